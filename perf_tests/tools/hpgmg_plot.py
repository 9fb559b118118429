#!/usr/bin/env python3
"""Draws result files of perf_hpgmg and perf_hpgmg_ranks as an SVG figure: scripts/env python3
perf_tests/tools/hpgmg_plot.py ...

  hpgmg_plot.py exchange FILE... -o FIGURE     ms of a cycle by mode of exchange and size of boxes, gain over blocking
  hpgmg_plot.py thresholds FILE... -o FIGURE   time with coarse levels on the host, over that without
  hpgmg_plot.py rates FILE... -o FIGURE        unknowns a second by size of the grid
  hpgmg_plot.py boxes FILE... -o FIGURE        ms for the same cells in more and more boxes

hpgmg_table.py prints the same numbers.
"""
import argparse

import hpgmg_results as hpgmg
import perf_results as results
from perf_figure import INK, finish, plt, start, where

# A mode has one colour and one marker in all figures.
LOOKS = {"blocking": ("#E69F00", "s"), "stream": ("#009E73", "^"), "kernel": ("#0072B2", "o"), "auto": ("#CC79A7", "D")}
OTHERS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777")
MARKERS = "os^Dv<>"


def handles_of(axes):
    return list(zip(*axes.get_legend_handles_labels()))


def plot_exchange(rows, contexts, arguments):
    groups = hpgmg.exchanges(rows)
    figure, grid = plt.subplots(2, len(groups), squeeze=False, sharex=True, sharey="row",
                                figsize=(max(6.5, 3.6 * len(groups)), 6), height_ratios=(3, 2))
    handles = []
    for (time, gain), (name, of_group) in zip(grid.T, groups.items()):
        modes = hpgmg.by_mode(of_group)
        sizes = sorted({row["box_dim"] for row in of_group})
        blocking = {row["box_dim"]: row["seconds"] for row in modes.pop("blocking", [])}
        for mode, of_size in {"blocking": blocking, **{mode: {row["box_dim"]: row["seconds"] for row in of_mode}
                                                       for mode, of_mode in modes.items()}}.items():
            colour, marker = LOOKS.get(mode, ("#777777", "x"))
            time.plot([sizes.index(size) for size in of_size], [1e3 * seconds for seconds in of_size.values()],
                      color=colour, marker=marker, markersize=4.5, linewidth=1.5, label=mode)
            if mode == "blocking":
                continue
            width = 0.84 / len(modes)
            shift = (list(modes).index(mode) - (len(modes) - 1) / 2) * width
            gains = [(sizes.index(size) + shift, hpgmg.gain(seconds, blocking[size]))
                     for size, seconds in of_size.items() if size in blocking]
            gain.bar([x for x, _ in gains], [less for _, less in gains], width=0.92 * width, linewidth=0, color=colour)
            for x, less in gains:
                gain.annotate(f"{less}", (x, max(less, 0)), xytext=(0, 1), textcoords="offset points", ha="center",
                              fontsize=7)
        time.set_yscale("log")
        time.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        time.set_title(name if len(groups) > 1 else "")
        gain.set_xticks(range(len(sizes)), [f"{size}$^3$" for size in sizes])
        gain.tick_params(axis="x", length=0)
        gain.set(xlabel="cells of a box")
        handles += handles_of(time)
    grid[0][0].set_ylabel("ms a cycle (less is better)")
    grid[1][0].set_ylabel("gain over blocking, %")
    boxes = ", ".join(results.distinct(hpgmg.count(row["num_boxes"], "box") for row in hpgmg.cycles(rows)))
    finish(figure, handles, "A cycle by mode of exchange", f"{boxes}; {where(contexts)}", arguments.output)


def plot_thresholds(rows, contexts, arguments):
    found = hpgmg.thresholds(rows)
    counts = sorted({threshold for _, of_name in found for threshold in of_name if threshold > 0})
    figure, axes = plt.subplots(figsize=(7.5, 1.6 + 0.3 * len(found)))
    height = 0.8 / len(counts)
    for index, threshold in enumerate(counts):
        bars = []
        for i, (_, of_name) in enumerate(found):
            there = [n for n in counts if n in of_name]
            if threshold in there:
                y = i + (there.index(threshold) - (len(there) - 1) / 2) * height
                bars.append((y, of_name[threshold]["seconds"] / of_name[0]["seconds"]))
        axes.barh([y for y, _ in bars], [ratio for _, ratio in bars], height=0.9 * height, linewidth=0,
                  color=OTHERS[index % len(OTHERS)], label=f"levels below {threshold} cells a rank on the host")
    axes.axvline(1, color=INK, linewidth=1, linestyle=(0, (5, 3)), label="all levels on the device")
    axes.set_yticks(range(len(found)), [name.replace("^3", "$^3$") for name, _ in found], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set(xlabel="time over that with all levels on the device (less is better)")
    finish(figure, handles_of(axes), "Coarse levels on the host", where(contexts), arguments.output, columns=2)


def plot_lines(groups, x, y, axes):
    for index, (name, of_name) in enumerate(groups.items()):
        points = sorted((row[x], y(row)) for row in of_name)
        axes.plot(*zip(*points), color=OTHERS[index % len(OTHERS)], marker=MARKERS[index % len(MARKERS)],
                  markersize=4.5, linewidth=1.5, label=name)
    ticks = sorted({row[x] for of_name in groups.values() for row in of_name})
    axes.set_xscale("log", base=2)
    axes.minorticks_off()
    return ticks


def plot_rates(rows, contexts, arguments):
    groups = hpgmg.rates(rows)
    figure, axes = plt.subplots(figsize=(7.5, 4.6))
    ticks = plot_lines(groups, "cells_per_dim", lambda row: row["unknowns_per_second"], axes)
    axes.set_xticks(ticks, [f"{cells}$^3$" for cells in ticks])
    axes.set_yscale("log")
    axes.set(xlabel="cells", ylabel="unknowns a second (more is better)")
    finish(figure, handles_of(axes), "Unknowns a second by size of the grid", where(contexts), arguments.output,
           columns=3)


def plot_boxes(rows, contexts, arguments):
    groups = hpgmg.cuts(rows)
    figure, axes = plt.subplots(figsize=(7.5, 4.4))
    ticks = plot_lines(groups, "num_boxes", lambda row: 1e3 * row["seconds"], axes)
    cells = rows[0]["cells_per_dim"]
    of_box = {row["num_boxes"]: row["box_dim"] for row in rows}
    axes.set_xticks(ticks, [f"{boxes} of {of_box[boxes]}$^3$" for boxes in ticks])
    axes.set_ylim(bottom=0)
    axes.set(xlabel="boxes", ylabel="ms a cycle (less is better)")
    finish(figure, handles_of(axes), "The same cells in more and more boxes", f"{cells}^3 cells; {where(contexts)}",
           arguments.output, columns=2)


KINDS = {"exchange": plot_exchange, "thresholds": plot_thresholds, "rates": plot_rates, "boxes": plot_boxes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_hpgmg or perf_hpgmg_ranks --json")
    hpgmg.add_choices(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE", help="an SVG file")
    arguments = parser.parse_args()
    rows, contexts = hpgmg.read(arguments.files)
    rows = hpgmg.chosen(rows, arguments)
    start("hpgmg_plot")
    KINDS[arguments.kind](rows, contexts, arguments)
    return 0


if __name__ == "__main__":
    results.run("hpgmg_plot", main)
