#!/usr/bin/env python3
"""Draws timelines of `ashlar hpgmg --trace` over ranks as an SVG figure: what each rank does in two sweeps on the finest
level and the exchanges before them, a panel for each mode of exchange.

    hpgmg_timeline.py --trace blocking FILE --trace kernel FILE --title "8 boxes of 64^3" -o FIGURE
"""
import argparse
import re

import perf_results as results
from perf_figure import start
from perf_trace import read
from ranks_panels import Kind, Panel, cut, pieces_of, plot

SMOOTH = "ashlar::multigrid::smooth"
KINDS = (Kind("sweeps", "#009E73", (SMOOTH,)),
         Kind("messages packed, unpacked", "#CC79A7", ("ashlar::multigrid::pack", "ashlar::multigrid::unpack",
                                                       "ashlar::halo[put]")),
         Kind("ghost cells (kernel mode: messages, too)", "#E69F00", ("ashlar::multigrid::exchange",
                                                                      "ashlar::multigrid::boundary")),
         Kind("copies to and from the host", "#56B4E9", ()))
ON_FINEST = 0.75  # of the longest sweep: those of coarser levels are shorter


def sweeps_of(pieces):
    """The sweeps of a rank on the finest level."""
    every = sorted((piece for piece in pieces if piece.name.startswith(SMOOTH)), key=lambda piece: piece.begin_ms)
    longest = max((piece.end_ms - piece.begin_ms for piece in every), default=0)
    return [piece for piece in every if piece.end_ms - piece.begin_ms >= ON_FINEST * longest]


def panel_of(mode, name, first):
    ranks = {}
    for process, tracks in read(name, "ashlar hpgmg").items():
        rank = re.match(r"rank (\d+)", process)
        if rank:
            ranks[int(rank[1])] = pieces_of(tracks, KINDS)
    found = [sweeps_of(pieces) for pieces in ranks.values()]
    if len(set(map(len, found))) > 1:
        raise results.Problem(f"{name}: ranks have {', '.join(map(str, map(len, found)))} sweeps on the finest level",
                              "some took as long on another level", "trace it again")
    recorded = len(found[0]) if found else 0
    if first < 1 or recorded < first + 2:
        raise results.Problem(f"{name}: no sweeps {first} and {first + 1}", f"there are {recorded}, counted from 0",
                              "name others with --sweep, the first of them 1 or more")
    begin, end = min(its[first - 1].end_ms for its in found), max(its[first + 1].end_ms for its in found)
    long_us = 1e3 * (end - begin)
    return Panel(f"{mode}: {long_us:.4g} us", cut(ranks, begin, end), long_us)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trace", nargs=2, metavar=("MODE", "FILE"), action="append", required=True,
                        help="a mode, and what was traced in it; once for each panel")
    parser.add_argument("--sweep", metavar="N", type=int, default=4, help="the first of the two sweeps (default: 4)")
    parser.add_argument("--title", default="", help="what was solved, and where")
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE", help="an SVG file")
    arguments = parser.parse_args()
    panels = [panel_of(mode, name, arguments.sweep) for mode, name in arguments.trace]
    start("hpgmg_timeline")
    plot(panels, KINDS, "Two sweeps of multigrid over ranks", arguments.title, arguments.output)
    return 0


if __name__ == "__main__":
    results.run("hpgmg_timeline", main)
