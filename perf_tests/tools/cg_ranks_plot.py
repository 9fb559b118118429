#!/usr/bin/env python3
"""Draws result files of perf_cg_ranks on one, two and more ranks as an SVG figure: microseconds of an iteration of
conjugate gradients, and parallel efficiency, by number of ranks. `cg_ranks_table.py scaling` prints the same numbers.

    cg_ranks_plot.py FILE... -o FIGURE
"""
import argparse

import cg_ranks_results as cg
from perf_figure import INK, finish, plt, start, where

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777", "#000000")
MARKERS = "os^Dv<>P"


def plot(rows, contexts, output):
    ranks = cg.ranks_in(rows)
    figure, (time, e) = plt.subplots(1, 2, figsize=(9.5, 5))
    for index, case in enumerate(cg.cases_in(rows)):
        found = [(n, cg.best(rows, case, n)) for n in ranks]
        found = [(n, row) for n, row in found if row]
        look = {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)], "markersize": 4.5,
                "linewidth": 1.5}
        time.plot([n for n, _ in found], [row["us"] for _, row in found], label=cg.name_of(case).replace("^3", "$^3$"),
                  **look)
        efficiencies = [(n, 1 if n == 1 else cg.efficiency(rows, row)) for n, row in found]
        e.plot(*zip(*((n, its) for n, its in efficiencies if its is not None)), **look)
        n, first = found[0]
        time.plot([n, ranks[-1]], [first["us"], first["us"] * n / ranks[-1]], color=look["color"], linewidth=0.8,
                  linestyle=(0, (2, 3)))
    for axes in (time, e):
        axes.set_xscale("log", base=2)
        axes.set_xticks(ranks, [str(n) for n in ranks])
        axes.minorticks_off()
        axes.set_xlabel("GPUs" if all("device" in context for context in contexts) else "ranks")
    time.set_yscale("log")
    time.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    time.set_title("us an iteration (dotted: one's over their number)")
    e.set_ylim(0, 1.05)
    e.axhline(1, color=INK, linewidth=0.8)
    e.set_title("parallel efficiency e")
    finish(figure, list(zip(*time.get_legend_handles_labels())), "Conjugate gradients over ranks", where(contexts), output,
           columns=4)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_cg_ranks --json")
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE", help="an SVG file")
    arguments = parser.parse_args()
    rows, _, contexts = cg.read(arguments.files)
    start("cg_ranks_plot")
    plot(rows, contexts, arguments.output)
    return 0


if __name__ == "__main__":
    cg.results.run("cg_ranks_plot", main)
