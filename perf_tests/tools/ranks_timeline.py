#!/usr/bin/env python3
"""Draws a timeline of perf_cg_ranks --trace as an SVG figure: what each rank does in one iteration of conjugate
gradients, a panel for each form, as figures 3 to 6 of the multi-GPU paper have it.
"""
import argparse
import collections
import re

import perf_results as results
from perf_figure import PALE, start
from perf_trace import read
from ranks_panels import Kind, Panel, cut, pieces_of, plot

# The first that fits. Waits lie under what is done meanwhile.
KINDS = (Kind("products", "#009E73", ("ashlar::spmv",)),
         Kind("vector updates", "#0072B2", ("ashlar::cg[", "ashlar::axpby", "ashlar::single_reduction",
                                            "ashlar::pipelined")),
         Kind("dot products", "#E69F00", ("ashlar::dot",)),
         Kind("halo packed, added", "#CC79A7", ("ashlar::halo[pack]", "ashlar::halo[put]", "ashlar::halo[exchange]",
                                                "ashlar::distributed[")),
         Kind("sums sent, added", "#F0E442", ("ashlar::distributed_space[",)),
         Kind("host copies", "#56B4E9", ()),
         Kind("iterations in one kernel", "#D55E00", ("ashlar::persistent_cg[products",)),
         Kind("waits for the halo", "#F2D7D5", ("ashlar::halo[wait]", "ashlar::halo::end",
                                                "ashlar::halo::next_arrived")),
         Kind("waits for sums", PALE, ("ashlar::distributed_space::sum_end",)))
FIRST = "ashlar::cg[direction]"  # an iteration begins where p is made
ALL = "ashlar::persistent_cg[products"  # or is one of all those that this kernel does


def forms_of(processes, case):
    """{form: {rank: [Piece]}} of the one case that is to be drawn, in the order of the file."""
    cases = collections.defaultdict(dict)
    for name, tracks in processes.items():
        parts = re.fullmatch(r"([^,]+), (.+), rank (\d+)", name)
        if parts:
            cases[parts[1]].setdefault(parts[2], {})[int(parts[3])] = pieces_of(tracks, KINDS)
    found = {name: forms for name, forms in cases.items() if case is None or name == case}
    if len(found) != 1:
        raise results.Problem("several cases" if found else f"no case '{case}'", "; ".join(cases) or "none",
                              "name one of the file's with --case")
    return next(iter(found.items()))


def when(ranks, number):
    """When the first rank begins an iteration and the last one ends it."""
    begins = {rank: sorted(piece.begin_ms for piece in pieces if piece.name == FIRST)
              for rank, pieces in ranks.items()}
    recorded = min(map(len, begins.values()))
    if recorded < number + 2:
        raise results.Problem(f"no iteration {number}", f"there are {recorded}", "record more with --trace-iterations")
    return min(times[number] for times in begins.values()), max(times[number + 1] for times in begins.values())


def panel_of(form, ranks, number):
    """One iteration, or all where they are one kernel, from where the first rank begins."""
    kernels = [piece for pieces in ranks.values() for piece in pieces if piece.name.startswith(ALL)]
    if kernels:
        begin, end = min(kernel.begin_ms for kernel in kernels), max(kernel.end_ms for kernel in kernels)
        what = "all iterations, "
    else:
        (begin, end), what = when(ranks, number), ""
    long_us = 1e3 * (end - begin)
    return Panel(f"{form}: {what}{long_us:.4g} us", cut(ranks, begin, end), long_us)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="of perf_cg_ranks --trace")
    parser.add_argument("--case", metavar="NAME", help="of several cases, which")
    parser.add_argument("--form", metavar="TEXT", action="append", default=[],
                        help="draw only forms with this in their name; may be given several times")
    parser.add_argument("--iteration", metavar="N", type=int, default=3, help="which iteration, from 0 (default: 3)")
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE", help="an SVG file")
    arguments = parser.parse_args()
    case, forms = forms_of(read(arguments.file, "perf_cg_ranks"), arguments.case)
    wanted = {form: ranks for form, ranks in forms.items()
              if not arguments.form or any(text in form for text in arguments.form)}
    if not wanted:
        raise results.Problem("no such form", "; ".join(forms), "name one of these with --form")
    start("ranks_timeline")
    panels = [panel_of(form, ranks, arguments.iteration) for form, ranks in wanted.items()]
    plot(panels, KINDS, "One iteration of conjugate gradients over ranks", case, arguments.output)
    return 0


if __name__ == "__main__":
    results.run("ranks_timeline", main)
