"""Draws what ranks do as bars on a line for each of them, a panel for each way to do it."""
import collections
import re

from perf_figure import INK, finish, plt

Kind = collections.namedtuple("Kind", "label colour names")  # what a bar is, by how its name begins
Piece = collections.namedtuple("Piece", "name kind begin_ms end_ms")
Panel = collections.namedtuple("Panel", "title ranks long_us")  # ranks: {rank: [(kind, begin, end)]} in microseconds
HEIGHT = 0.74  # of a bar, where ranks are 1 apart


def kind_of(track, name, kinds):
    """The place in `kinds` of a bar of this track: the first that fits, or the one without names for copies that leave
    a memory space; none for what is not drawn."""
    spaces = re.fullmatch(r"copies (.+) -> (.+)", track)
    if spaces:
        copies = next((index for index, kind in enumerate(kinds) if not kind.names), None)
        return copies if spaces[1] != spaces[2] else None
    return next((index for index, kind in enumerate(kinds) if name.startswith(kind.names or ("\0",))), None)


def pieces_of(tracks, kinds):
    """What is drawn of a rank, of tracks as perf_trace.read() has them."""
    every = (Piece(bar.name, kind_of(track, bar.name, kinds), bar.begin_ms, bar.end_ms)
             for track, bars in tracks.items() for bar in bars)
    return [piece for piece in every if piece.kind is not None]


def cut(ranks, begin, end):
    """Of {rank: [Piece]} what lies between two times, in microseconds from the first, as a Panel has it."""
    return {rank: [(piece.kind, 1e3 * (max(piece.begin_ms, begin) - begin), 1e3 * (min(piece.end_ms, end) - begin))
                   for piece in pieces if piece.end_ms > begin and piece.begin_ms < end]
            for rank, pieces in ranks.items()}


def draw_panel(axes, panel, kinds):
    for rank, bars in panel.ranks.items():
        # What was defined last lies at the bottom.
        for kind, begin, end in sorted(bars, reverse=True):
            axes.broken_barh([(begin, end - begin)], (rank - HEIGHT / 2, HEIGHT), facecolor=kinds[kind].colour,
                             edgecolor="white", linewidth=0.3)
    axes.set(yticks=sorted(panel.ranks), yticklabels=[f"rank {rank}" for rank in sorted(panel.ranks)],
             ylim=(max(panel.ranks) + 0.6, -0.6))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", visible=True)
    axes.axvline(panel.long_us, color=INK, linewidth=1, linestyle=(0, (5, 3)))
    axes.set_title(panel.title)


def plot(drawn, kinds, title, subtitle, output):
    """A figure of some panels. Where copies are seen, the subtitle says how the recorder saw them."""
    num_ranks = max(len(panel.ranks) for panel in drawn)
    figure, panels = plt.subplots(len(drawn), 1, sharex=True, squeeze=False,
                                  figsize=(9.5, 1.5 + len(drawn) * (0.55 + 0.24 * num_ranks)))
    for axes, panel in zip(panels[:, 0], drawn):
        draw_panel(axes, panel, kinds)
    panels[-1, 0].set(xlabel="us", xlim=(0, 1.01 * max(panel.long_us for panel in drawn)))
    seen = {kind for panel in drawn for bars in panel.ranks.values() for kind, _, _ in bars}
    handles = [(plt.Rectangle((0, 0), 1, 1, facecolor=kinds[kind].colour), kinds[kind].label) for kind in sorted(seen)]
    # (As Kokkos does for a tool on GPUs, where copies are seen.)
    has_copies = any(not kinds[kind].names for kind in seen)
    fenced = "; the recorder waits for each kernel and copy, so that nothing overlaps" if has_copies else ""
    finish(figure, handles, title, subtitle + fenced, output, columns=None if len(handles) < 7 else 5)
