#!/usr/bin/env python3
"""Draws result files of perf_streaming as SVG figures.

subdivisions: a panel for each matrix, GFLOP/s over the number of subdivisions, copies hidden and not, as figures 3 to 8
of Fagerlund et al. 2014 have it. products: times and gain over the number of products with each subdivision.
"""
import argparse

import perf_results as results
from perf_figure import INK, draw, finish, plt, where

HIDDEN, SHOWN, SERIAL = "streamed", "streamed, not hidden", "one host thread, plain loops"
BLUE, ORANGE, GREEN = "#0072B2", "#E69F00", "#009E73"


def cases_of(rows, kernel):
    """{case: rows of this kernel}, in order."""
    groups = {}
    for row in rows:
        if row["kernel"] == kernel:
            groups.setdefault(row["case"], []).append(row)
    if not groups:
        raise results.Problem(f"no results of '{kernel}'", "perf_streaming writes them",
                              "pass a file of perf_streaming --json")
    return groups


def usual_products(rows):
    """The number of products that most rows have."""
    counts = [row["num_products"] for row in rows]
    return max(set(counts), key=counts.count)


def plot_subdivisions(rows, contexts, arguments):
    hidden, shown = cases_of(rows, HIDDEN), cases_of(rows, SHOWN)
    columns = min(3, len(hidden))
    lines = (len(hidden) + columns - 1) // columns
    figure, panels = plt.subplots(lines, columns, squeeze=False, figsize=(3.6 * columns, 2.7 * lines + 1))
    handles = []
    products = usual_products([row for of_case in hidden.values() for row in of_case])
    for axes, (case, of_case) in zip(panels.flat, hidden.items()):
        for of_kind, style in ((of_case, dict(color=BLUE, marker="o", label="copies hidden")),
                               (shown.get(case, []), dict(color=ORANGE, marker="s", label="not hidden"))):
            points = [(row["num_subdivisions"], row["gflop_s"]) for row in of_kind if row["num_products"] == products]
            axes.plot(*zip(*sorted(points)), markersize=4, linewidth=1.5, **style)
        # What the link alone allows: all products in the time of a plain copy.
        row = of_case[0]
        link = row["gflop_s"] * row["seconds"] / (row["bytes"] / row["limit_gb_s"] * 1e-9)
        axes.axhline(link, color=INK, linewidth=1, linestyle=(0, (5, 3)), label="bound by the link")
        axes.set_title(case.replace("cantilever ", "").replace("^3", "$^3$ nodes"))
        axes.set(xlabel="subdivisions", ylabel="GFLOP/s")
        axes.set_ylim(bottom=0)
        handles += list(zip(*axes.get_legend_handles_labels()))
    for axes in panels.flat[len(hidden):]:
        axes.set_visible(False)
    finish(figure, handles, f"Streaming, {products} products with each subdivision", where(contexts), arguments.output)


def plot_products(rows, contexts, arguments):
    hidden, shown = cases_of(rows, HIDDEN), cases_of(rows, SHOWN)
    if len(hidden) > 1:
        raise results.Problem("several matrices", ", ".join(hidden), "pass a file with one")
    (case, of_case), = hidden.items()
    of_case = sorted(of_case, key=lambda row: row["num_products"])
    if len({row["num_products"] for row in of_case}) < 2:
        raise results.Problem("one number of products only", "the figure is over them",
                              "measure by perf_streaming --products 1,10,100")
    counts = [row["num_products"] for row in of_case]
    figure, (time, gain) = plt.subplots(1, 2, figsize=(9.5, 4.2))
    not_hidden = {row["num_products"]: row["seconds"] for row in shown[case]}
    time.plot(counts, [not_hidden[count] * 1e3 for count in counts], color=ORANGE, marker="s", markersize=4,
              label="not hidden")
    time.plot(counts, [row["seconds"] * 1e3 for row in of_case], color=BLUE, marker="o", markersize=4,
              label="copies hidden")
    time.plot(counts, [row["seconds_copy"] * 1e3 for row in of_case], color=INK, linewidth=1, linestyle=(0, (5, 3)),
              label="copies alone")
    time.plot(counts, [row["seconds_compute"] * 1e3 for row in of_case], color=GREEN, linewidth=1,
              linestyle=(0, (2, 2)), label="products alone")
    time.set(ylabel="ms a pass", ylim=(0, None))
    gain.plot(counts, [100 * row["gain"] for row in of_case], color=BLUE, marker="o", markersize=4)
    gain.set(ylabel="gain by hiding, %", ylim=(0, 100))
    for axes in (time, gain):
        axes.set_xscale("log")
        axes.set_xlabel("products with each subdivision")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    finish(figure, list(zip(*time.get_legend_handles_labels())), "Where copies and products balance",
           f"{case}, {of_case[0]['num_subdivisions']} subdivisions; {where(contexts)}", arguments.output)


KINDS = {"subdivisions": plot_subdivisions, "products": plot_products}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_streaming --json")
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE", help="an SVG file")
    return draw(KINDS, parser.parse_args(), "streaming_plot")


if __name__ == "__main__":
    results.run("streaming_plot", main)
