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


def timeline(*cases, tracks=("not hidden: copies", "not hidden: products", "hidden: copies", "hidden: products")):
    """A file of perf_streaming --trace: two copies and products of 2 and 3 ms, by turns, and the second copy hidden."""
    times = {"not hidden: copies": (1000, 6000), "not hidden: products": (3000, 8000), "hidden: copies": (500, 2500),
             "hidden: products": (2500, 5500)}
    events = []
    for pid, case in enumerate(cases):
        events.append({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": case}})
        for tid, track in enumerate(tracks):
            events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": track}})
        for tid, track in enumerate(tracks):
            is_copy = "copies" in track
            events += [{"ph": "X", "name": f"{'copy' if is_copy else 'products with'} {k}", "cat": "copy", "pid": pid,
                        "tid": tid, "ts": ts, "dur": 2000 if is_copy else 3000} for k, ts in enumerate(times[track])]
    return {"displayTimeUnit": "ms", "traceEvents": events}


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

    def timeline_error(self, content, *arguments):
        (self.folder / "trace.json").write_text(content if isinstance(content, str) else json.dumps(content))
        return self.run_tool("streaming_timeline", "trace.json", "-o", "figure.svg", *arguments, code=2)

    def test_committed_results_have_a_row_for_each_matrix(self):
        self.assertEqual(len(self.run_tool("streaming_table", CASES).splitlines()), 2 + 6)

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

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_a_timeline(self):
        (self.folder / "trace.json").write_text(json.dumps(timeline("one, 2 subdivisions; a device", "another")))
        self.run_tool("streaming_timeline", "trace.json", "--case", "one", "-o", "figure.svg")
        figure = (self.folder / "figure.svg").read_text()
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", figure)
        # From the first span to the last; both passes on one axis.
        for said in ("Copies not hidden: 10 ms", "Copies hidden behind products: 8 ms", "copies", "products", "ms",
                     "one, 2 subdivisions; a device"):
            self.assertIn(said, texts)
        self.assertLess(texts.index("Copies not hidden: 10 ms"), texts.index("Copies hidden behind products: 8 ms"))
        # Corners of the bars, before those of the legend: the first of them says how long 2 ms are.
        corners = re.findall(r'<path d="M ([\d.]+) [\d.]+ \nL [\d.]+ [\d.]+ \nL ([\d.]+) [^"]*"[^>]*'
                             r'style="fill: #(56b4e9|009e73)', figure)[:8]
        bars = [(float(begin), float(end)) for begin, end, _ in corners]
        start, unit = bars[0][0], (bars[0][1] - bars[0][0]) / 2
        self.assertEqual([tuple(round((x - start) / unit, 3) for x in bar) for bar in bars],
                         [(0, 2), (5, 7), (2, 5), (7, 10), (0, 2), (2, 4), (2, 5), (5, 8)])
        self.assertEqual([colour for *_, colour in corners], ["56b4e9", "56b4e9", "009e73", "009e73"] * 2)

    def test_what_is_no_timeline(self):
        self.assertIn("cannot read", self.run_tool("streaming_timeline", "none.json", "-o", "f.svg", code=2))
        self.assertIn("is not JSON", self.timeline_error("{"))
        self.assertIn("no list 'traceEvents'", self.timeline_error({"results": []}))
        self.assertIn("several matrices (one; two)", self.timeline_error(timeline("one", "two")))
        self.assertIn("no matrix 'three'", self.timeline_error(timeline("one", "two"), "--case", "three"))
        lost = timeline("one")
        lost["traceEvents"][-1]["tid"] = 9
        self.assertIn("is no span of a track", self.timeline_error(lost))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_a_timeline_of_one_pass(self):
        half = timeline("one", tracks=("hidden: copies", "hidden: products"))
        self.assertIn("no spans of the pass 'not hidden'", self.timeline_error(half))


if __name__ == "__main__":
    unittest.main()
