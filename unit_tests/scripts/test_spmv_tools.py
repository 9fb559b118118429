#!/usr/bin/env python3
"""Runs the tools that show results of perf_spmv, on the committed results and on broken ones.

    test_spmv_tools.py SOURCE_DIR SCRATCH_DIR
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
TOOLS, RESULTS = SOURCE / "perf_tests/tools", SOURCE / "perf_tests/results/h200"
GRID, SUITES = RESULTS / "spmv_grid.json", RESULTS / "spmv_suites.json"
OTHERS = [RESULTS / f"spmv_{name}.json" for name in ("types", "row_major", "transpose")]
HAS_MATPLOTLIB = subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True).returncode == 0


def row(library="ashlar", k=1, seconds=1e-3, **more):
    """A result as perf_spmv writes it."""
    kernel = "auto" if library == "ashlar" else "some kernel"
    columns = {"case": "grid27", "block_size": 4, "library": library, "kernel": kernel, "type": "double",
               "mode": "no_transpose", "verified": True, "seconds": seconds, "bytes": 1e6, "gb_s": 1e-3 / seconds,
               "limit_gb_s": 10, "fraction": 1e-4 / seconds}
    return columns | ({"num_vectors": k} if k > 1 else {}) | more


class SpmvTools(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def run_tool(self, tool, *arguments, code=0, seed="0"):
        # The seed orders what Python keeps in sets: no output may depend on it.
        result = subprocess.run([sys.executable, "-B", TOOLS / f"{tool}.py", *arguments], capture_output=True,
                                text=True, cwd=self.folder, env=os.environ | {"PYTHONHASHSEED": seed})
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout if code == 0 else result.stderr

    def table(self, *arguments, **more):
        return self.run_tool("spmv_table", *arguments, **more)

    def write(self, rows, name="results.json"):
        text = rows if isinstance(rows, str) else json.dumps({"context": {"device": "none"}, "results": rows})
        (self.folder / name).write_text(text)
        return name


class Table(SpmvTools):
    def test_committed_results(self):
        rows = self.table(GRID).splitlines()
        self.assertEqual([line.split(" | ")[1] for line in rows[2:34]], [str(b) for b in range(1, 33)])
        self.assertRegex(rows[-1], r"^Geometric mean of the ratios: \d\.\d\d$")
        suites = self.table(SUITES)
        for text in ("| GT01R | 5 |", "| RM07R (twin) | 7 |", "| small, 100 block rows | 1 |", "| power law | 8 |",
                     "(cuSPARSE "):
            self.assertIn(text, suites)

    def test_by_set(self):
        lines = self.table("--by-set", GRID, *OTHERS).splitlines()
        self.assertEqual(lines[0], "| b | double | float | float, vectors of double | bfloat16, vectors of double "
                                   "| double, blocks by rows | double, A^T |")
        self.assertEqual(len(lines), 2 + 32)
        self.assertRegex(lines[2], r"^\| 1( \| \d\.\d\d){6} \|$")
        name = self.write([row(block_size=5), row(block_size=3, fraction=0.5), row(block_size=5, type="float"),
                           row(block_size=5, layout="row_major", mode="transpose")])
        self.assertEqual(self.table("--by-set", name).splitlines(), [
            "| b | double | float | double, blocks by rows, A^T |", "| --- | --- | --- | --- |", "| 3 | 0.50 |  |  |",
            "| 5 | 0.10 | 0.10 | 0.10 |"])

    def test_best_peer_and_plan(self):
        name = self.write([row(seconds=2e-3), row(kernel="by_block", seconds=1e-3), row("MKL", seconds=6e-3),
                           row("Eigen", seconds=3e-3), row("cuSPARSE", type="float")])
        lines = self.table(name).splitlines()
        self.assertEqual(lines[2:], ["| grid27 | 4 | 2000.0 | 0 | 0.05 | 0 (Eigen some kernel) | 1.50 |", "",
                                     "Geometric mean of the ratios: 1.50"])

    def test_several_vectors(self):
        rows = [row(), row(k=8, seconds=1.25e-3), row("cuSPARSE", 8, 2.5e-3), row(k=64, block_size=5)]
        lines = self.table(self.write(rows)).splitlines()
        self.assertEqual(lines[2], "| grid27 | 4 | 1000.0 | 1 | 0.10 |  |  |")  # of one vector, and no other
        at = lines.index("grid27: our time for k vectors over that for one")
        # For b = 5 there is no time for one.
        self.assertEqual(lines[at + 2:at + 6], ["| b | k = 8 | k = 64 |", "| --- | --- | --- |", "| 4 | 1.25 |  |",
                                                "| 5 |  |  |"])
        at = lines.index("grid27: the best peer's time for k vectors over ours")
        self.assertEqual(lines[at + 4:], ["| 4 |  | 2.00 |  |", "| 5 |  |  |  |", "",
                                          "Geometric mean of the ratios: 2.00"])

    def test_what_is_wrong(self):
        for text, said in (("{", "is not JSON"), ("[1]", "has no list 'results'"), ('{"results": 1}', "no list"),
                           ('{"results": []}', "no results in"), ([3], "result 0 is no object"),
                           ([row(), {"case": "grid27"}], "result 1 has no 'library' (it is to be text)"),
                           ([row(block_size="4")], "'block_size' is '4'"),
                           ([row() | {"seconds": None}], "'seconds' is None"),
                           ([row(gb_s=float("nan"))], "'gb_s' is nan"), ([row(num_vectors=0)], "'num_vectors' is 0"),
                           ([row(verified=False)], "is wrong: ashlar auto, grid27, b = 4")):
            with self.subTest(text=text):
                error = self.table(self.write(text), code=2)
                self.assertIn(said, error)
                # "problem (why) suggestion", in a line.
                self.assertRegex(error, r"^spmv_table: [^\n]+ \([^\n]+\) [^\n]+\n$")
        self.assertIn("cannot read nothing.json (No such file or directory)", self.table("nothing.json", code=2))
        self.table(code=2)


class Tuned(SpmvTools):
    def tuned(self, *seconds, code=0):
        rows = [row(kernel=kernel, seconds=time, plan=f"spmv: kernel {kernel}")
                for kernel, time in zip(("auto", "tuned", "auto", "tuned"), seconds)]
        return self.run_tool("spmv_tuned", self.write(rows), code=code)

    def test_compares_medians_of_the_repetitions(self):
        lines = self.tuned(1.0e-3, 0.8e-3, 1.1e-3, 0.9e-3).splitlines()
        self.assertEqual(lines[2], "| grid27 | 4 | 1050.0 | 100.0 | 850.0 | 1.235 | kernel tuned |")
        self.assertEqual(lines[-1], "Slower than the default beyond noise: 0")

    def test_slower_beyond_the_spread(self):
        self.tuned(1.00e-3, 1.09e-3, 1.10e-3, 1.09e-3)
        self.tuned(1.000e-3, 1.015e-3, 1.000e-3, 1.015e-3)
        self.tuned(1.00e-3, 1.03e-3, 1.01e-3, 1.04e-3, code=1)

    def test_committed_results(self):
        self.assertIn("| grid27 | 16 |", self.run_tool("spmv_tuned", RESULTS.parent / "h200_host/spmv_tuned.json"))

    def test_nothing_to_compare(self):
        self.assertIn("no plan was measured both ways", self.run_tool("spmv_tuned", self.write([row()]), code=2))


class Plot(SpmvTools):
    def plot(self, *arguments, code=0, seed="0"):
        self.run_tool("spmv_plot", *arguments, "-o", "figure.svg", code=code, seed=seed)
        return (self.folder / "figure.svg").read_text()

    def texts(self, figure):
        """All that the figure says: its text is text."""
        return re.findall(r"<text[^>]*>([^<]*)</text>", figure)

    def assert_in_docs(self, name, figure):
        """The committed figure says the same: the commit measured, the libraries. Its bytes may be of another Matplotlib.
        """
        self.assertEqual(self.texts((SOURCE / "docs/figures" / name).read_text()), self.texts(figure),
                         f"docs/figures/{name} is not of the committed results: docs/how_to/benchmark.md says how to draw it")

    def plot_error(self, *arguments):
        error = self.run_tool("spmv_plot", *arguments, "-o", "figure.svg", code=2)
        self.assertRegex(error, r"^spmv_plot: [^\n]+ \([^\n]+\) [^\n]+\n$")
        self.assertFalse((self.folder / "figure.svg").exists())
        return error

    def test_broken_results(self):
        self.assertIn("is not JSON", self.plot_error("matrix", self.write("{")))
        self.assertIn("has no 'library'", self.plot_error("block-size", self.write([{"case": "grid27"}])))
        self.run_tool("spmv_plot", "pie", GRID, "-o", "figure.svg", code=2)

    @unittest.skipIf(HAS_MATPLOTLIB, "matplotlib is here")
    def test_no_matplotlib(self):
        self.assertIn("has no matplotlib", self.plot_error("matrix", SUITES))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_block_sizes(self):
        figure = self.plot("block-size", GRID)
        texts = self.texts(figure)
        self.assertLessEqual({str(b) for b in range(1, 33)}, set(texts))
        for text in ("Ashlar", "read bandwidth", "block size", "throughput (GB/s)"):
            self.assertIn(text, texts)
        for library in ("cuSPARSE", "Kokkos Kernels"):
            self.assertRegex("\n".join(texts), rf"(?m)^{library}, best of \d$")
        self.assertLess(len(figure), 100_000)
        self.assertEqual(self.plot("block-size", GRID, seed="1"), figure)
        self.assert_in_docs("products_by_block_size.svg", figure)

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_sets(self):
        figure = self.plot("block-size", "--set", "all", *OTHERS)
        self.assert_in_docs("products_by_type.svg", figure)
        texts = self.texts(figure)
        for text in ("float", "float, vectors of double", "double, blocks by rows", "double, A^T"):
            self.assertIn(text, texts)

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_matrices(self):
        figure = self.plot("matrix", SUITES)
        texts = self.texts(figure)
        for text in ("GT01R", "audikw_1", "power law", "32768", "b = 16", "Ashlar", "read bandwidth",
                     "throughput (GB/s)", "time (µs, less is better)"):
            self.assertIn(text, texts)
        for library in ("cuSPARSE", "Kokkos Kernels"):
            self.assertRegex("\n".join(texts), rf"(?m)^{library}, best of \d$")
        self.assertLess(len(figure), 100_000)
        self.assertEqual(self.plot("matrix", SUITES, seed="1"), figure)
        self.assert_in_docs("products_by_matrix.svg", figure)
        self.assertNotIn("time (µs, less is better)", self.texts(self.plot("matrix", SUITES, "--quantity", "gb_s")))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_several_vectors(self):
        rows = [row(library, k, seconds * k**0.5, block_size=b) for b in (3, 4, 8) for k in (1, 4, 16)
                for library, seconds in (("ashlar", 1e-3), ("MKL", 2e-3))]
        texts = self.texts(self.plot("vectors", self.write(rows)))
        for text in ("b = 3", "b = 4", "b = 8", "16", "vectors k", "time(k) / time(1)",
                     "the best peer's time over ours"):
            self.assertIn(text, texts)
        texts = self.texts(self.plot("vectors", "--block-sizes", "4", self.write(rows)))
        self.assertIn("b = 4", texts)
        self.assertNotIn("b = 3", texts)

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_nothing_to_draw(self):
        self.assertIn("suite grid", self.plot_error("block-size", SUITES))
        self.assertIn("paper, small and irregular", self.plot_error("matrix", GRID))
        self.assertIn("no products with several vectors", self.plot_error("vectors", GRID))
        self.assertIn("no results of 'float' (the files have: double)",
                      self.plot_error("block-size", "--set", "float", GRID))
        name = self.write([row(k=k, block_size=b) for b in (3, 4) for k in (1, 8)])
        self.assertIn("there are some for 3, 4", self.plot_error("vectors", "--block-sizes", "7", name))
        name = self.write([row(k=k, case=case) for case in ("a", "b") for k in (1, 8)])
        self.assertIn("choose one by --case", self.plot_error("vectors", name))
        error = self.run_tool("spmv_plot", "block-size", GRID, "-o", "no/figure.svg", code=2)
        self.assertIn("cannot write no/figure.svg (No such file or directory)", error)


class Figures(unittest.TestCase):
    def test_pages_show_figures_that_are_there(self):
        shown = set()
        for page in ("explanation/products.md", "results.md"):
            shown |= set(re.findall(r"!\[[^\]]+\]\((?:\.\./)?(figures/[^)]+)\)", (SOURCE / "docs" / page).read_text()))
        there = {f"figures/{path.name}" for path in (SOURCE / "docs/figures").glob("products_*.svg")}
        self.assertEqual(there, {name for name in shown if name.startswith("figures/products_")})


if __name__ == "__main__":
    unittest.main()
