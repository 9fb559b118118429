#!/usr/bin/env python3
"""Runs the tool that shows results of perf_amg, on made-up ones and on the committed ones.

    test_amg_tools.py SOURCE_DIR SCRATCH_DIR
"""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
TOOL = SOURCE / "perf_tests/tools/amg_table.py"


def row(kernel, seconds, set_up, iterations, case="65", **more):
    """A result as perf_amg writes it."""
    columns = {"case": case, "block_size": 3, "library": "ashlar", "kernel": kernel, "num_rows": 823875, "gb_s": 1e3,
               "limit_gb_s": 4e3, "seconds": seconds, "seconds_set_up": set_up, "iterations": iterations,
               "verified": True}
    return columns | more


class AmgTools(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def run_tool(self, *files, code=0):
        result = subprocess.run([sys.executable, "-B", TOOL, *files], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stderr if code else result.stdout

    def table(self, rows, code=0):
        (self.folder / "results.json").write_text(json.dumps({"context": {}, "results": rows}))
        return self.run_tool("results.json", code=code)

    def test_a_row_for_each_cantilever(self):
        lines = self.table([row("block_jacobi", 0.105, 0.001, 573), row("amg", 0.07, 0.057, 13),
                            row("amg", 0.09, 0.06, 13), row("block_jacobi", 0.013, 0.0004, 499, "33:0.45"),
                            row("amg", 0.5, 0.1, 9, "9x5x5", num_rows=675)]).splitlines()
        self.assertEqual(lines, [
            "| nodes | unknowns | block_jacobi, s (set-up, iterations) | amg, s (set-up, iterations) "
            "| block_jacobi / amg |",
            "| --- | --- | --- | --- | --- |",
            "| 65^3 | 823875 | 0.105 (0.001, 573) | 0.070 (0.057, 13) | 1.50 |",
            "| 33^3, Poisson 0.45 | 823875 | 0.013 (0.000, 499) |  |  |",
            "| 9x5x5 | 675 |  | 0.500 (0.100, 9) |  |"])

    def test_other_libraries_have_columns_of_their_own(self):
        lines = self.table([row("block_jacobi", 0.9, 0.1, 345, "33:0.3:1000"), row("amg", 0.45, 0.3, 17, "33:0.3:1000"),
                            row("block_jacobi", 1.2, 0.1, 346, "33:0.3:1000", library="petsc")]).splitlines()
        self.assertEqual(lines[0], "| nodes | unknowns | block_jacobi, s (set-up, iterations) "
                         "| amg, s (set-up, iterations) | petsc: block_jacobi, s (set-up, iterations) "
                         "| block_jacobi / amg |")
        self.assertEqual(lines[2], "| 33^3, Poisson 0.3, a layer 1000 times as stiff | 823875 | 0.900 (0.100, 345) "
                         "| 0.450 (0.300, 17) | 1.200 (0.100, 346) | 2.00 |")

    def test_the_committed_results(self):
        path = SOURCE / "perf_tests/results/h200/amg.json"
        lines = self.run_tool(path).splitlines()
        self.assertEqual(len(lines), 5)
        seconds = next(r["seconds"] for r in json.loads(path.read_text())["results"]
                       if (r["case"], r["kernel"]) == ("129", "block_jacobi"))
        self.assertTrue(any(line.startswith(f"| 129^3 | 6440067 | {seconds:.3f} (") for line in lines), lines)

    def test_what_is_wrong(self):
        without = row("amg", 0.07, 0.057, 13)
        del without["seconds_set_up"]
        self.assertRegex(self.table([without], code=2),
                         r"^amg_table: 65, ashlar amg has no 'seconds_set_up' \(it is no result of perf_amg\) ")


if __name__ == "__main__":
    unittest.main()
