#!/usr/bin/env python3
"""Runs the tool that draws a slice of what ashlar hpgmg --vtk writes, on a made-up file.

    test_hpgmg_tools.py SOURCE_DIR SCRATCH_DIR
"""
import base64
import importlib
import pathlib
import shutil
import struct
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
TOOLS = SOURCE / "perf_tests/tools"
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


if __name__ == "__main__":
    unittest.main()
