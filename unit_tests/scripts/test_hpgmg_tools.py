#!/usr/bin/env python3
"""Runs the tool that draws a slice of what ashlar hpgmg --vtk writes, on a made-up file, and those that show results of
perf_hpgmg and perf_hpgmg_ranks, on committed results and on made-up ones.

    test_hpgmg_tools.py SOURCE_DIR SCRATCH_DIR
"""
import base64
import importlib
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
TOOLS, RESULTS = SOURCE / "perf_tests/tools", SOURCE / "perf_tests/results"
HAS_MATPLOTLIB = subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True).returncode == 0
CELLS = (4, 3, 2)


def image(values, components=1):
    """A file of ashlar hpgmg --vtk: 4 x 3 x 2 cells of width 0.25."""
    data = struct.pack("<Q", 8 * len(values)) + struct.pack(f"<{len(values)}d", *values)
    return f"""<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<ImageData WholeExtent="0 4 0 3 0 2" Origin="0 0 0" Spacing="0.25 0.25 0.25">
<Piece Extent="0 4 0 3 0 2">
<CellData>
<DataArray type="Float64" Name="u" NumberOfComponents="{components}" format="appended" offset="0"/>
</CellData>
</Piece>
</ImageData>
<AppendedData encoding="base64">
_{base64.b64encode(data).decode()}
</AppendedData>
</VTKFile>
"""


def row(seconds, cells=32, boxes=8, **more):
    """A result as perf_hpgmg writes it; as perf_hpgmg_ranks does, with an exchange and ranks."""
    columns = {"case": f"fv4 {cells}^3", "block_size": 1, "library": "ashlar", "kernel": "gsrb, F-cycle",
               "type": "double", "operator": "fv4", "cells_per_dim": cells, "num_boxes": boxes, "verified": True,
               "seconds": seconds, "gb_s": 1 / seconds, "limit_gb_s": 4000, "fraction": 0.25,
               "unknowns_per_second": cells**3 / seconds, "host_threshold": 0}
    return columns | more


class HpgmgTools(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.file = self.folder / "u.vti"

    def draw(self, content, *arguments, code=0):
        self.file.write_text(content)
        result = subprocess.run([sys.executable, "-B", TOOLS / "hpgmg_slice.py", "u.vti", "-o", "figure.svg", *arguments],
                                capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        if code != 0:
            return result.stderr
        return "" if "figure.png" in arguments else (self.folder / "figure.svg").read_text()

    def test_values_are_read_and_cut_as_they_lie(self):
        sys.path.insert(0, str(TOOLS))
        sys.dont_write_bytecode = True
        tool = importlib.import_module("hpgmg_slice")
        values = [100 * k + 10 * j + i for k in range(2) for j in range(3) for i in range(4)]
        self.file.write_text(image(values))
        cells, width, field, found = tool.read(str(self.file))
        self.assertEqual((cells, width, field, list(found)), ([4, 3, 2], [0.25] * 3, "u", values))
        self.assertEqual(tool.slice_of(cells, found, 2, 1), [[100 + 10 * j + i for i in range(4)] for j in range(3)])
        self.assertEqual(tool.slice_of(cells, found, 1, 2), [[100 * k + 20 + i for i in range(4)] for k in range(2)])
        self.assertEqual(tool.slice_of(cells, found, 0, 3), [[100 * k + 10 * j + 3 for j in range(3)] for k in range(2)])

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_the_figure_says_which_cells(self):
        values = [0.5] * 24
        figure = self.draw(image(values))
        self.assertIn("4 x 3 x 2 cells, those around z = 0.375", figure)
        self.assertEqual(figure, self.draw(image(values)))
        self.assertIn("those around x = 0.875", self.draw(image(values), "--normal", "x", "--at", "1"))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_a_picture_of_that_name_is_a_png_file(self):
        self.draw(image([0.5] * 24), "-o", "figure.png")
        self.assertEqual((self.folder / "figure.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_what_cannot_be_drawn_is_named(self):
        for content, words in ((image([1.0] * 23), "cut short"), (image([1.0] * 24, 3), "a number in each cell"),
                               ("{}", "is no VTK file")):
            self.assertIn(words, self.draw(content, code=2))
        self.assertIn("z goes from 0 to 0.5", self.draw(image([1.0] * 24), "--at", "0.6", code=2))


class HpgmgResults(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def run_tool(self, tool, *arguments, code=0):
        result = subprocess.run([sys.executable, "-B", TOOLS / f"hpgmg_{tool}.py", *arguments], capture_output=True,
                                text=True, cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        if code != 0:
            # "problem (why) suggestion", in a line.
            self.assertRegex(result.stderr, r"^hpgmg_[a-z]+: [^\n]+ \([^\n]+\) [^\n]+\n$")
        return result.stdout if code == 0 else result.stderr

    def write(self, results):
        content = {"context": {"device": "one", "commit": "abc"}, "results": results}
        (self.folder / "results.json").write_text(json.dumps(content))
        return "results.json"

    def table(self, kind, results, *arguments):
        return self.run_tool("table", kind, self.write(results), *arguments).splitlines()

    def test_modes_and_their_gain_over_blocking(self):
        rows = [row(seconds, cells, ranks=2, exchange=mode, box_dim=cells // 2)
                for cells, times in ((32, (8e-3, 4e-3, 2e-3)), (64, (20e-3, 22e-3)))
                for mode, seconds in zip(("blocking", "kernel", "stream"), times)]
        self.assertEqual(self.table("exchange", rows), [
            "| boxes of | blocking, ms | stream, ms | kernel, ms |", "| --- | --- | --- | --- |",
            "| 16^3 | 8.00 | 2.00 (75 %) | 4.00 (50 %) |", "| 32^3 | 20.0 |  | 22.0 (-10 %) |"])
        # With levels on the host it is another table's.
        host = [each | {"host_threshold": 10000, "seconds": 1} for each in rows]
        self.assertEqual(self.table("exchange", rows + host), self.table("exchange", rows))
        self.assertEqual(self.table("exchange", rows, "--how", "blocking,stream")[0],
                         "| boxes of | blocking, ms | stream, ms |")
        four = [each | {"ranks": 4} for each in rows]
        self.assertIn("| 2 ranks: blocking, ms |", self.table("exchange", rows + four)[0])

    def test_boxes_of_files_without_their_size(self):
        self.assertEqual(self.table("boxes", [row(4e-3, boxes=64, switches="default"), row(2e-3, switches="default"),
                                              row(3e-3, switches="plain")]), [
            "| boxes | default: ms, unknowns/s, of the bandwidth | plain: ms, unknowns/s, of the bandwidth |",
            "| --- | --- | --- |", "| 8 of 16^3 | 2.00, 1.64e+07, 0.25 | 3.00, 1.09e+07, 0.25 |",
            "| 64 of 8^3 | 4.00, 8.19e+06, 0.25 |  |"])

    def test_thresholds(self):
        rows = [row(4e-3), row(3e-3, host_threshold=1000), row(5e-3, host_threshold=10000), row(1e-3, cells=64)]
        self.assertEqual(self.table("thresholds", rows), [
            "| cells | all on the device, ms | below 1000 on the host | below 10000 on the host |",
            "| --- | --- | --- | --- |", "| 32^3 in 8 boxes | 4.00 | 3.00 (25 %) | 5.00 (-25 %) |"])

    def test_rates_and_weak_scaling(self):
        rows = [row(1e-3, ranks=1, exchange="kernel"), row(2e-3, 40, ranks=2, exchange="kernel")]
        self.assertEqual(self.table("rates", rows)[2:], ["| 32^3 | 32.8 |  |", "| 40^3 |  | 32.0 |"])
        self.assertEqual(self.table("weak", rows)[2:], ["| 1 | 32^3 | 1.00 |", "| 2 | 40^3 | 2.00 (0.49) |"])

    def test_operators_are_told_apart(self):
        rows = [row(seconds, exchange=mode, ranks=2, operator=operator)
                for operator, seconds in (("fv2", 1e-3), ("fv4", 2e-3)) for mode in ("blocking", "kernel")]
        lines = "\n".join(self.table("exchange", rows))
        self.assertIn("fv2", lines)
        self.assertIn("fv4", lines)
        self.assertIn("1.00", lines)
        self.assertIn("2.00", lines)
        more = rows + [row(3e-3, 40, exchange="kernel", ranks=4, operator="fv4")]
        self.assertIn("several operators (fv2, fv4)", self.run_tool("table", "weak", self.write(more), code=2))

    def test_what_is_hidden(self):
        of = {"exchange_seconds": 1e-5, "interior_seconds": 4e-5, "both_seconds": 4.5e-5, "seconds_not_cut": 5e-5,
              "hidden": 0.5, "ranks": 2}
        rows = [row(6e-5, exchange=mode, **of) for mode in ("blocking", "kernel")]
        self.assertEqual(self.table("hidden", rows)[2:], ["| 16^3 | 10.0 | 40.0 | 45.0 | 0.50 | 50.0 | 60.0 |"])

    def test_what_is_not_there_is_named(self):
        one = self.write([row(1e-3)])
        for kind, words in (("exchange", "no cycles by mode of exchange"), ("thresholds", "several thresholds"),
                            ("rates", "one grid only"), ("boxes", "one number of boxes only"),
                            ("levels", "one number of cells a rank only"), ("weak", "one number of ranks only"),
                            ("hidden", "nothing of what is hidden")):
            self.assertIn(words, self.run_tool("table", kind, one, code=2))
        self.assertIn("the files have: default", self.run_tool("table", "rates", "--how", "stream", one, code=2))
        self.assertIn("several grids (32^3, 64^3)",
                      self.run_tool("table", "boxes", self.write([row(1e-3), row(1e-3, 64, 1)]), code=2))
        other = row(1e-3)
        del other["num_boxes"]
        self.assertIn("no 'num_boxes' (it is no result of perf_hpgmg",
                      self.run_tool("table", "rates", self.write([other]), code=2))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_figures(self):
        for name, kind, files, more, said in (
                ("exchange", "exchange", ("h100/hpgmg_ranks", "h200/hpgmg_ranks_2", "h200/hpgmg_ranks_4"), (),
                 "kernel"),
                ("threshold", "thresholds", ("h100/hpgmg_ranks_thresholds", "h100/hpgmg"), (),
                 "all levels on the device"),
                ("cells", "rates", ("h200/hpgmg_switches", "h200/hpgmg_ranks_2", "h200/hpgmg_ranks_4"),
                 ("--how", "default,kernel"), "4 ranks, 8 boxes, kernel"),
                ("boxes", "boxes", ("h200/hpgmg_boxes", "h100/hpgmg_boxes"), (), "NVIDIA H200, keep_boxes")):
            self.run_tool("plot", kind, *(RESULTS / f"{file}.json" for file in files), *more, "-o", "figure.svg")
            texts = re.findall(r"<text[^>]*>([^<]*)</text>", (self.folder / "figure.svg").read_text())
            self.assertIn(said, texts)
            committed = (SOURCE / f"docs/figures/hpgmg_by_{name}.svg").read_text()
            self.assertEqual([text for text in texts if text not in committed], [])
        self.assertIn("one grid only", self.run_tool("plot", "rates", self.write([row(1e-3)]), "-o", "f.svg", code=2))


if __name__ == "__main__":
    unittest.main()
