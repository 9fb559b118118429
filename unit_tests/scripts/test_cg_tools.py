#!/usr/bin/env python3
"""Runs the tool that shows results of perf_cg, on made-up ones.

    test_cg_tools.py SOURCE_DIR SCRATCH_DIR
"""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
TOOLS = SOURCE / "perf_tests/tools"
PEER = "cuSPARSE and cuBLAS"


def row(kernel="automatic", us=10.0, library="ashlar", floor=5.0, **more):
    """A result as perf_cg writes it."""
    columns = {"case": "grid27:80", "block_size": 1, "library": library, "kernel": kernel, "preconditioner": "none",
               "num_rows": 512000, "num_values": 13481272, "us": us, "solve_us": us + 1, "iterations": 250,
               "floor_us": floor, "over_floor": us / floor, "seconds": us * 1e-6, "bytes": 1e6, "gb_s": 1e3 / us,
               "limit_gb_s": 200, "fraction": floor / us, "launch": "graph", "verified": True}
    return columns | more


class CgTools(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def table(self, rows, code=0):
        text = rows if isinstance(rows, str) else json.dumps({"context": {}, "results": rows})
        (self.folder / "results.json").write_text(text)
        result = subprocess.run([sys.executable, "-B", TOOLS / "cg_table.py", "results.json"], capture_output=True,
                                text=True, cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout if code == 0 else result.stderr

    def test_a_row_for_each_system(self):
        lines = self.table([
            row("persistent", 6.25), row("one_by_one", 52.9), row(us=6.0),
            row("CSR, algorithm 1, call by call", 25.0, PEER),
            row("CSR, algorithm 2, graph of 10 iterations", 18.0, PEER),
            row(us=1244.4, floor=1111.0, case="stencil11:256")]).splitlines()
        self.assertEqual(lines, [
            "| system | b | floor, us | one_by_one, us | persistent, us | automatic, us | best peer, us "
            "| peer / ours |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
            "| grid27:80 | 1 | 5.00 | 52.9 (10.58) | 6.25 (1.25) | 6.00 (1.20) "
            "| 18.0 (CSR, algorithm 2, graph of 10 iterations) | 3.00 |",
            "| stencil11:256 | 1 | 1111 |  |  | 1244 (1.12) |  |  |"])

    def test_preconditioners_are_rows_of_their_own(self):
        more = {"case": "cantilever:33", "block_size": 3}
        lines = self.table([row(**more), row("BSR", 30.0, PEER, **more),
                            row(us=15.0, preconditioner="block_jacobi", floor_with_preconditioner_us=6.0, **more)])
        self.assertEqual(lines.splitlines()[2:], [
            "| cantilever:33 | 3 | 5.00 | 10.0 (2.00) | 30.0 (BSR) | 3.00 |",
            "| cantilever:33, block_jacobi | 3 | 5.00 (6.00 with it) | 15.0 (3.00) |  |  |"])

    def test_the_fastest_where_automatic_is_missing(self):
        lines = self.table([row("graph", 9.0), row("pipelined", 8.0), row("another", 12.0), row("CSR", 16.0, PEER)])
        self.assertIn("| graph, us | pipelined, us | another, us | best peer, us |", lines)
        self.assertTrue(lines.endswith("| 16.0 (CSR) | 2.00 |\n"))

    def test_peers_alone(self):
        lines = self.table([row("CSR", 16.0, PEER)]).splitlines()
        self.assertEqual(lines[2], "| grid27:80 | 1 | 5.00 | 16.0 (CSR) |  |")

    def test_a_peer_without_a_time_is_no_peer(self):
        lost = row("BSR", library=PEER, us=1.0) | {key: None for key in ("us", "seconds", "gb_s", "fraction")}
        without = lost | {"why_no_time": "--iterations 20,60 (lost in noise)"}
        lines = self.table([row(), row("CSR", 16.0, PEER), without])
        self.assertIn("| 16.0 (CSR) | 1.60 |", lines)
        self.assertIn("no results in", self.table([without], code=2))
        self.assertIn("'seconds' is None", self.table([row(), lost], code=2))

    def test_what_is_wrong(self):
        wrong = row(verified=False)
        without_time = row()
        del without_time["us"]
        for rows, said in (("{", "is not JSON"), ([], "no results in"),
                           ([wrong], "is wrong: ashlar automatic, grid27:80"),
                           ([without_time], "ashlar automatic has no 'us' (it is no result of perf_cg)"),
                           ([row(over_floor=-1)], "has no 'over_floor'")):
            with self.subTest(said=said):
                error = self.table(rows, code=2)
                self.assertIn(said, error)
                # "problem (why) suggestion", in a line.
                self.assertRegex(error, r"^cg_table: [^\n]+ \([^\n]+\) [^\n]+\n$")


if __name__ == "__main__":
    unittest.main()
