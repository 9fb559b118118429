#!/usr/bin/env python3
"""Draws a timeline of perf_streaming --trace as an SVG figure: when copies and products took place, in a pass without
hiding above and in one with hiding below, as figures 9 and 10 of Fagerlund et al. 2014 have it.
"""
import argparse

import perf_results as results
from perf_figure import INK, finish, plt, start
from perf_trace import Bar, read

PASSES = {"not hidden": "Copies not hidden", "hidden": "Copies hidden behind products"}
COLOURS = {"copies": "#56B4E9", "products": "#009E73"}
HEIGHT = 0.7  # of a bar, where rows are 1 apart

def chosen(processes, case):
    """The name and the tracks of the one matrix that is to be drawn."""
    found = {name: tracks for name, tracks in processes.items() if case is None or name.startswith(case)}
    if len(found) != 1:
        raise results.Problem("several matrices" if found else f"no matrix '{case}'", "; ".join(processes) or "none",
                              "name one of the file's with --case")
    return next(iter(found.items()))


def bars_of(tracks, kind):
    """{row: [Bar]} of one pass, from its first span on."""
    rows = {row: tracks.get(f"{kind}: {row}", []) for row in COLOURS}
    begin = min((bar.begin_ms for row in rows.values() for bar in row), default=None)
    if begin is None:
        raise results.Problem(f"no spans of the pass '{kind}'", "there are to be both, hidden and not",
                              "write the file by perf_streaming --trace")
    return {row: [Bar(bar.name, bar.begin_ms - begin, bar.end_ms - begin) for bar in bars]
            for row, bars in rows.items()}


def draw_pass(axes, rows, end):
    for place, (row, bars) in enumerate(rows.items()):
        axes.broken_barh([(bar.begin_ms, bar.end_ms - bar.begin_ms) for bar in bars], (place - HEIGHT / 2, HEIGHT),
                         facecolor=COLOURS[row], edgecolor="white", linewidth=0.6, label=row)
        for bar in bars:
            number = bar.name.rsplit(" ", 1)[-1]
            # Where there is room for it.
            if bar.end_ms - bar.begin_ms > 0.01 * (1 + len(number)) * end:
                axes.text((bar.begin_ms + bar.end_ms) / 2, place, number, ha="center", va="center", fontsize=8,
                          color=INK)
    last = max(bar.end_ms for bars in rows.values() for bar in bars)
    axes.axvline(last, color=INK, linewidth=1, linestyle=(0, (5, 3)))
    axes.set(yticks=range(len(rows)), yticklabels=rows, ylim=(len(rows) - 0.4, -0.6))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", visible=True)
    return last


def plot(name, tracks, output):
    passes = {kind: bars_of(tracks, kind) for kind in PASSES}
    end = max(bar.end_ms for rows in passes.values() for bars in rows.values() for bar in bars)
    figure, panels = plt.subplots(len(passes), 1, sharex=True, figsize=(9.5, 4.4))
    for axes, (kind, rows) in zip(panels, passes.items()):
        last = draw_pass(axes, rows, end)
        axes.set_title(f"{PASSES[kind]}: {last:.3g} ms")
    panels[-1].set(xlabel="ms", xlim=(0, 1.01 * end))
    handles = [handle for axes in panels for handle in zip(*axes.get_legend_handles_labels())]
    finish(figure, handles, "When copies and products take place", name, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="of perf_streaming --trace")
    parser.add_argument("--case", metavar="NAME", help="of several matrices, the one whose name begins so")
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE", help="an SVG file")
    arguments = parser.parse_args()
    name, tracks = chosen(read(arguments.file, "perf_streaming"), arguments.case)
    start("streaming_timeline")
    plot(name, tracks, arguments.output)
    return 0


if __name__ == "__main__":
    results.run("streaming_timeline", main)
