#!/usr/bin/env python3
"""Runs the tools that show results of perf_streaming, on the committed results and on made-up ones.

    test_streaming_tools.py SOURCE_DIR SCRATCH_DIR
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
TOOLS, RESULTS = SOURCE / "perf_tests/tools", SOURCE / "perf_tests/results/h200"
CASES, PRODUCTS = RESULTS / "streaming.json", RESULTS / "streaming_products.json"
HAS_MATPLOTLIB = subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True).returncode == 0


def rows(subdivisions, seconds, gain=0.5, products=50, case="cantilever 3 dof 8^3"):
    """A result as perf_streaming writes it: hidden, and not."""
    both = {"case": case, "block_size": 3, "library": "ashlar", "type": "double", "verified": True, "bytes": 1e9,
            "limit_gb_s": 50, "num_subdivisions": subdivisions, "num_products": products, "gain": gain,
            "hidden_share": 0.9, "seconds_copy": 0.02, "seconds_compute": 0.01}
    result = []
    for kernel, time in (("streamed, not hidden", seconds * (1 + gain)), ("streamed", seconds)):
        result.append(both | {"kernel": kernel, "seconds": time, "gb_s": 1 / time, "fraction": 0.02 / time,
                              "gflop_s": 10 / time})
    return result


class StreamingTools(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def run_tool(self, tool, *arguments, code=0):
        result = subprocess.run([sys.executable, "-B", TOOLS / f"{tool}.py", *arguments], capture_output=True,
                                text=True, cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout if code == 0 else result.stderr

    def write(self, results):
        (self.folder / "results.json").write_text(json.dumps({"context": {}, "results": results}))
        return "results.json"

    def test_committed_results_are_those_of_the_page(self):
        table = self.run_tool("streaming_table", CASES)
        self.assertEqual(len(table.splitlines()), 2 + 6)
        self.assertIn(table, (SOURCE / "docs/results.md").read_text())

    def test_the_fastest_number_of_subdivisions(self):
        name = self.write(rows(4, 0.03) + rows(8, 0.025, gain=0.6) + rows(16, 0.028))
        self.assertEqual(self.run_tool("streaming_table", name).splitlines()[2:], [
            "| 3 dof 8^3 | 1.00 | 8 | 50 | 40.0 | 25.0 | 20.0 | 10.0 | 60 | 0.900 | 400 | 0.800 |"])
        self.assertEqual(len(self.run_tool("streaming_table", "--all", name).splitlines()), 2 + 3)

    def test_what_is_wrong(self):
        wrong = rows(4, 0.03)
        wrong[1]["verified"] = False
        self.assertIn("is wrong", self.run_tool("streaming_table", self.write(wrong), code=2))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_figures(self):
        for kind, name, said in (("subdivisions", CASES, "copies hidden"), ("products", PRODUCTS, "products alone")):
            self.run_tool("streaming_plot", kind, name, "-o", "figure.svg")
            texts = re.findall(r"<text[^>]*>([^<]*)</text>", (self.folder / "figure.svg").read_text())
            self.assertIn(said, texts)
            committed = (SOURCE / f"docs/figures/streaming_by_{kind}.svg").read_text()
            for text in texts:
                if "commit" in text:
                    self.assertIn(text, committed)
        self.assertIn("several matrices", self.run_tool("streaming_plot", "products", CASES, "-o", "f.svg", code=2))
        one = self.write(rows(4, 0.03))
        self.assertIn("one number of products only",
                      self.run_tool("streaming_plot", "products", one, "-o", "f.svg", code=2))


if __name__ == "__main__":
    unittest.main()
