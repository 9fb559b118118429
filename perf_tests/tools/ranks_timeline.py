#!/usr/bin/env python3
"""Draws a timeline of perf_cg_ranks --trace as an SVG figure: what each rank does in one iteration of conjugate
gradients, a panel for each form, as figures 3 to 6 of the multi-GPU paper have it.
"""
import argparse
import collections
import re

import perf_results as results
from perf_figure import INK, PALE, finish, plt, start
from perf_trace import read

# What a bar is, by how its name begins; the first that fits. Waits lie under what is done meanwhile.
KINDS = (("products", "#009E73", ("ashlar::spmv",)),
         ("vector updates", "#0072B2", ("ashlar::cg[", "ashlar::axpby", "ashlar::single_reduction",
                                        "ashlar::pipelined")),
         ("dot products", "#E69F00", ("ashlar::dot",)),
         ("halo packed, added", "#CC79A7", ("ashlar::halo[pack]", "ashlar::halo[put]", "ashlar::halo[exchange]",
                                           "ashlar::distributed[")),
         ("sums sent, added", "#F0E442", ("ashlar::distributed_space[",)),
         ("host copies", "#56B4E9", ()),
         ("iterations in one kernel", "#D55E00", ("ashlar::persistent_cg[products",)),
         ("waits for the halo", "#F2D7D5", ("ashlar::halo[wait]", "ashlar::halo::end", "ashlar::halo::next_arrived")),
         ("waits for sums", PALE, ("ashlar::distributed_space::sum_end",)))
COPIES = next(index for index, (_, _, names) in enumerate(KINDS) if not names)  # known by their track
FIRST = "ashlar::cg[direction]"  # an iteration begins where p is made
ALL = "ashlar::persistent_cg[products"  # or is one of all those that this kernel does
HEIGHT = 0.74  # of a bar, where ranks are 1 apart


Piece = collections.namedtuple("Piece", "name kind begin_ms end_ms")


def kind_of(track, name):
    """The place in KINDS of a bar of this track; none for what is not drawn."""
    spaces = re.fullmatch(r"copies (.+) -> (.+)", track)
    if spaces:
        return COPIES if spaces[1] != spaces[2] else None
    return next((index for index, (_, _, names) in enumerate(KINDS) if name.startswith(names)), None)


def pieces_of(tracks):
    """What is drawn of a rank."""
    every = (Piece(bar.name, kind_of(track, bar.name), bar.begin_ms, bar.end_ms)
             for track, bars in tracks.items() for bar in bars)
    return [piece for piece in every if piece.kind is not None]


def forms_of(processes, case):
    """{form: {rank: [Piece]}} of the one case that is to be drawn, in the order of the file."""
    cases = collections.defaultdict(dict)
    for name, tracks in processes.items():
        parts = re.fullmatch(r"([^,]+), (.+), rank (\d+)", name)
        if parts:
            cases[parts[1]].setdefault(parts[2], {})[int(parts[3])] = pieces_of(tracks)
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


def drawn_of(ranks, number):
    """{rank: [(kind, begin, end)]} of one iteration, or of all where they are one kernel, in microseconds from where
    the first rank begins; how long that is, and what it is."""
    kernels = [piece for pieces in ranks.values() for piece in pieces if piece.name.startswith(ALL)]
    if kernels:
        begin, end = min(kernel.begin_ms for kernel in kernels), max(kernel.end_ms for kernel in kernels)
        what = "all iterations"
    else:
        (begin, end), what = when(ranks, number), ""
    cut = {rank: [(piece.kind, 1e3 * (max(piece.begin_ms, begin) - begin), 1e3 * (min(piece.end_ms, end) - begin))
                  for piece in pieces if piece.end_ms > begin and piece.begin_ms < end]
           for rank, pieces in ranks.items()}
    return cut, 1e3 * (end - begin), what


def draw_form(axes, cut):
    for rank, bars in cut.items():
        # What was defined last lies at the bottom.
        for kind, begin, end in sorted(bars, reverse=True):
            axes.broken_barh([(begin, end - begin)], (rank - HEIGHT / 2, HEIGHT), facecolor=KINDS[kind][1],
                             edgecolor="white", linewidth=0.3)
    axes.set(yticks=sorted(cut), yticklabels=[f"rank {rank}" for rank in sorted(cut)], ylim=(max(cut) + 0.6, -0.6))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", visible=True)


def plot(case, forms, number, output):
    drawn = {form: drawn_of(ranks, number) for form, ranks in forms.items()}
    num_ranks = max(len(cut) for cut, _, _ in drawn.values())
    figure, panels = plt.subplots(len(drawn), 1, sharex=True, squeeze=False,
                                  figsize=(9.5, 1.5 + len(drawn) * (0.55 + 0.24 * num_ranks)))
    for axes, (form, (cut, long, what)) in zip(panels[:, 0], drawn.items()):
        draw_form(axes, cut)
        axes.axvline(long, color=INK, linewidth=1, linestyle=(0, (5, 3)))
        axes.set_title(f"{form}: {what + ', ' if what else ''}{long:.4g} us")
    panels[-1, 0].set(xlabel="us", xlim=(0, 1.01 * max(long for _, long, _ in drawn.values())))
    seen = {kind for cut, _, _ in drawn.values() for bars in cut.values() for kind, _, _ in bars}
    handles = [(plt.Rectangle((0, 0), 1, 1, facecolor=KINDS[kind][1]), KINDS[kind][0]) for kind in sorted(seen)]
    # (As Kokkos does for a tool on GPUs, where copies are seen.)
    fenced = "; the recorder waits for each kernel and copy, so that nothing overlaps" if COPIES in seen else ""
    finish(figure, handles, "One iteration of conjugate gradients over ranks", case + fenced, output,
           columns=None if len(handles) < 7 else 5)


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
    plot(case, wanted, arguments.iteration, arguments.output)
    return 0


if __name__ == "__main__":
    results.run("ranks_timeline", main)
