#!/usr/bin/env python3
"""Runs the tools that show results of perf_cg_ranks, on made-up ones.

    test_cg_ranks_tools.py SOURCE_DIR SCRATCH_DIR
"""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
TOOLS = SOURCE / "perf_tests/tools"
HAS_MATPLOTLIB = subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True).returncode == 0


def row(ranks, us, kernel="1d packed", case="stencil11:128", **more):
    """A result as perf_cg_ranks writes it; the floor of one rank is 80 us."""
    columns = {"case": case, "block_size": 1, "library": "ashlar", "kernel": kernel, "ranks": ranks, "us": us,
               "seconds": us * 1e-6, "gb_s": 1e3, "limit_gb_s": 2e3 * ranks, "fraction": 80 / ranks / us, "verified": True}
    return columns | more


FACTORS = {"efficiency": 0.5, "granularity": 0.8, "tasks": 0.9, "pipeline": 0.694}


class CgRanksTools(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def run_tool(self, tool, rows, *arguments, code):
        (self.folder / "results.json").write_text(json.dumps({"context": {"device": "a GPU"}, "results": rows}))
        result = subprocess.run([sys.executable, "-B", TOOLS / tool, *arguments, "results.json"], capture_output=True,
                                text=True, cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stderr if code else result.stdout

    def table(self, which, rows, code=0):
        return self.run_tool("cg_ranks_table.py", rows, which, code=code)

    def test_scaling_counts_from_one_rank(self):
        lines = self.table("scaling", [row(1, 100.0), row(2, 62.5), row(2, 80.0, "2d packed"),
                                       row(4, 25.0, efficiency=0.875), row(2, 10.0, case="own")]).splitlines()
        self.assertEqual(lines, ["| system | 1 rank | 2 ranks | 4 ranks |", "| --- | --- | --- | --- |",
                                 "| 11-point 128^3 | 100 (1.25) | 62.5 (1.56, 0.80) | 25.0 (1.25, 0.88) |",
                                 "| own |  | 10.0 (0.25) |  |"])

    def test_scaling_has_a_column_for_each_peer(self):
        lines = self.table("scaling", [row(1, 100.0), row(2, 50.0), row(4, 25.0), row(2, 10.0, case="own"),
                                       row(2, 150.0, "graph", library="nccl"), row(2, 200.0, "calls", library="nccl"),
                                       row(4, 100.0, "graph", library="nccl"), row(4, 20.0, "one", library="in_kernel")])
        self.assertEqual(lines.splitlines(), [
            "| system | 1 rank | 2 ranks | 4 ranks | in_kernel / ours on 4 | nccl / ours on 2, 4 |",
            "| --- | --- | --- | --- | --- | --- |",
            "| 11-point 128^3 | 100 (1.25) | 50.0 (1.25, 1.00) | 25.0 (1.25, 1.00) | 0.80 | 3.00, 4.00 |",
            "| own |  | 10.0 (0.25) |  | - | -, - |"])

    def test_forms_are_told_apart(self):
        lines = self.table("forms", [row(1, 100.0), row(1, 7.0, case="of one"), row(2, 62.5), row(2, 200.0, "1d whole"),
                                     row(2, 5.0, "1d whole", "stencil11:22")]).splitlines()
        self.assertEqual(lines[0], "| ranks | form | 11-point 128^3 | 11-point 22^3 |")
        self.assertEqual(lines[2:], ["| 2 | 1d packed | 62.5 (0.80) |  |", "| 2 | 1d whole | 200 (0.25) | 5.00 |"])

    def test_factors_where_they_are_known(self):
        lines = self.table("factors", [row(2, 62.5), row(2, 100.0, **FACTORS)]).splitlines()
        self.assertEqual(lines[2:], ["| 2 | 11-point 128^3 | 1d packed | 100 | 0.50 | 0.80 | 0.90 | 0.69 |"])
        self.assertIn("no row has factors", self.table("factors", [row(2, 62.5)], code=2))

    def test_what_is_wrong(self):
        without_ranks = row(2, 1.0)
        del without_ranks["ranks"]
        self.assertIn("it is no result of perf_cg_ranks", self.table("scaling", [without_ranks], code=2))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_a_line_for_each_system(self):
        rows = [row(1, 100.0), row(2, 62.5), row(2, 10.0, case="own")]
        self.run_tool("cg_ranks_plot.py", rows, "-o", "figure.svg", code=0)
        figure = (self.folder / "figure.svg").read_text()
        for said in (">own<", ">GPUs<", ">parallel efficiency e<", "a GPU"):
            self.assertIn(said, figure)


if __name__ == "__main__":
    unittest.main()
