#!/usr/bin/env python3
"""Draws a slice of what ashlar hpgmg --vtk has written, as an SVG or a PNG figure:

  scripts/env python3 perf_tests/tools/hpgmg_slice.py ...

  hpgmg_slice.py u.vti -o FIGURE [--normal x|y|z] [--at 0.25]   the cells that the plane z = 0.25 goes through
"""
import argparse
import base64
import struct
import xml.etree.ElementTree as xml

import perf_results as results
from perf_figure import finish, plt, start

AXES = "xyz"


def read(name):
    """The numbers of cells in x, y and z of an image file, the width of a cell, the name of its first field and its
    values, x first."""
    try:
        root = xml.parse(name).getroot()
    except OSError as error:
        raise results.Problem(f"cannot read {name}", error.strerror or str(error), "pass a file of ashlar hpgmg --vtk")
    except xml.ParseError as error:
        raise results.Problem(f"{name} is no VTK file", str(error), "pass a file of ashlar hpgmg --vtk")
    image, field = root.find("ImageData"), root.find("ImageData/Piece/CellData/DataArray")
    if image is None or field is None or field.get("NumberOfComponents") != "1" or field.get("type") != "Float64":
        raise results.Problem(f"{name} holds no image with a number in each cell", "a slice of one is drawn",
                              "pass a file of ashlar hpgmg --vtk")
    extent = [int(number) for number in image.get("WholeExtent").split()]
    cells = [extent[2 * d + 1] - extent[2 * d] for d in range(3)]
    width = [float(number) for number in image.get("Spacing").split()]
    text = root.find("AppendedData").text.strip()[1:]
    size = 8 * cells[0] * cells[1] * cells[2]
    begin = int(field.get("offset"))
    data = base64.b64decode(text[begin:begin + (8 + size + 2) // 3 * 4])
    order = "<" if root.get("byte_order") == "LittleEndian" else ">"
    if len(data) < 8 + size or struct.unpack_from(order + "Q", data)[0] != size:
        raise results.Problem(f"{name} is cut short", f"{size} bytes of values are to be there", "write it anew")
    return cells, width, field.get("Name"), struct.unpack_from(f"{order}{size // 8}d", data, 8)


def slice_of(cells, values, normal, place):
    """Rows of the plane's cells, the first direction along each row."""
    first, second = (d for d in range(3) if d != normal)
    stride = (1, cells[0], cells[0] * cells[1])
    begin = place * stride[normal]
    return [[values[begin + i * stride[first] + j * stride[second]] for i in range(cells[first])]
            for j in range(cells[second])]


def plot(arguments):
    cells, width, field, values = read(arguments.file)
    normal = AXES.index(arguments.normal)
    length = cells[normal] * width[normal]
    if not 0 <= arguments.at <= length:
        raise results.Problem(f"--at {arguments.at:g}", f"{arguments.normal} goes from 0 to {length:g}", "choose another")
    place = min(int(arguments.at / width[normal]), cells[normal] - 1)
    start("hpgmg_slice")
    rows = slice_of(cells, values, normal, place)
    largest = max(max(map(abs, row)) for row in rows) or 1
    first, second = (d for d in range(3) if d != normal)
    figure, axes = plt.subplots(figsize=(6.2, 6.0))
    image = axes.imshow(rows, origin="lower", cmap="RdBu_r", vmin=-largest, vmax=largest, interpolation="nearest",
                        extent=(0, cells[first] * width[first], 0, cells[second] * width[second]))
    axes.grid(False)
    axes.set(xlabel=AXES[first], ylabel=AXES[second])
    figure.colorbar(image, ax=axes, shrink=0.8, format="%.1e").outline.set_visible(False)
    finish(figure, [], f"{field}, averages over cells",
           f"{' x '.join(map(str, cells))} cells, those around {arguments.normal} = {(place + 0.5) * width[normal]:.4g}",
           arguments.output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="of ashlar hpgmg --vtk")
    parser.add_argument("--normal", choices=AXES, default="z", help="of the plane (default: z)")
    parser.add_argument("--at", type=float, default=0.25, metavar="PLACE", help="where it is (default: 0.25)")
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE",
                        help="an SVG file; a PNG file if its name ends in .png")
    plot(parser.parse_args())
    return 0


if __name__ == "__main__":
    results.run("hpgmg_slice", main)
