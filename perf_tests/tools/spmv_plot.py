#!/usr/bin/env python3
"""Draws result files of perf_spmv as an SVG figure: scripts/env python3 perf_tests/tools/spmv_plot.py ...

  spmv_plot.py block-size FILE... -o FIGURE   throughput of the suite grid by block size
  spmv_plot.py matrix FILE... -o FIGURE       throughput of the suites paper, small and irregular by matrix
  spmv_plot.py vectors FILE... -o FIGURE      time for k vectors at a time, by k

The same results give the same bytes. A library has the same colour in every figure.
"""
import argparse

import perf_results as results
from perf_figure import INK, draw, draw_limit, finish, look_of, plt, where

# Of the lines of the figure by vectors.
MARKERS = "osD^vPX*"


def best_label(library, rows):
    """A peer may have several products: what is drawn is the fastest of them each time."""
    kernels = {row["kernel"] for row in rows}
    name = look_of(library).name
    return name if library == results.ASHLAR or len(kernels) == 1 else f"{name}, best of {len(kernels)}"


def chosen_sets(cases, asked):
    there = results.distinct(case.set for case in cases)
    for name in asked if asked != ["all"] else []:
        if name not in there:
            raise results.Problem(f"no results of '{name}'", "the files have: " + "; ".join(there),
                                  "pass files that have them, or choose others by --set")
    return there if asked == ["all"] else asked


def plot_block_sizes(rows, contexts, arguments):
    rows = [row for row in rows if results.suite_of(row) == "grid" and row.get("num_vectors", 1) == 1]
    if not rows:
        raise results.Problem("no results of the suite grid", "throughput by block size is drawn of them",
                              "measure by perf_spmv --suites grid, or draw by matrix")
    cases = results.by_case(rows)
    sets = chosen_sets(cases, arguments.set or ["double"])
    labels = {name: best_label(name, results.of_library(rows, name)) for name in results.libraries(rows)}
    columns = min(len(sets), 3)
    lines = -(-len(sets) // columns)
    figure, grid = plt.subplots(lines, columns, squeeze=False, sharex=True, sharey=True,
                                figsize=(8, 4.6) if columns == 1 else (3.4 * columns, 0.95 + 2.6 * lines))
    handles = []
    for axes, which in zip(grid.flat, sets):
        of_size = {case.block_size: rows for case, rows in sorted(cases.items()) if case.set == which}
        for library, label in labels.items():
            best = {b: results.best_of(rows, library) for b, rows in of_size.items()}
            best = {b: row for b, row in best.items() if row}
            if not best:
                continue
            look = look_of(library)
            axes.plot(list(best), [row["gb_s"] for row in best.values()], color=look.colour, marker=look.marker,
                      markersize=4.5 if columns == 1 else 3.5, linewidth=1.8 if library == results.ASHLAR else 1.2,
                      zorder=3 if library == results.ASHLAR else 2, label=label)
        draw_limit(axes, [(b, rows[0]["limit_gb_s"]) for b, rows in of_size.items()])
        handles += zip(*axes.get_legend_handles_labels())
        axes.set_ylim(bottom=0)
        if columns == 1 and len(of_size) <= 32:
            axes.set_xticks(list(of_size))
            axes.tick_params(axis="x", labelsize=8)
        else:
            axes.set_xticks([1] + list(range(4, max(case.block_size for case in cases) + 1, 4)))
        axes.set(xlabel="block size")
        if len(sets) > 1:
            axes.set_title(results.set_label(which))
    for axes in grid[:, 0]:
        axes.set_ylabel("throughput (GB/s)")
    for axes in grid.flat[:len(sets)]:
        axes.xaxis.set_tick_params(labelbottom=True)
    for axes in grid.flat[len(sets):]:
        axes.remove()
    words = "grids of dense blocks" + (f", {results.set_label(sets[0])}" if len(sets) == 1 else "")
    finish(figure, handles, "Throughput by block size", f"{words}; {where(contexts)}", arguments.output)


def plot_matrices(rows, contexts, arguments):
    rows = [row for row in rows if results.suite_of(row) in ("paper", "small", "irregular")
            and row.get("num_vectors", 1) == 1]
    cases = {case: of_case for case, of_case in results.by_case(rows).items() if case.set == "double"}
    if not cases:
        raise results.Problem("no results of the suites paper, small and irregular",
                              "throughput by matrix is drawn of them, for double, by columns",
                              "measure by perf_spmv --suites paper,small,irregular, or draw by block size")
    shown = [row for of_case in cases.values() for row in of_case]
    labels = {name: best_label(name, results.of_library(shown, name)) for name in results.libraries(shown)}
    there = {results.suite_of(row) for row in shown}
    suites = [suite for suite in ("paper", "irregular", "small") if suite in there]
    # Matrices that fit in a cache are bound by how soon a product can begin and end: their times tell more than rates,
    # which span three powers of ten.
    quantity = {suite: "us" if suite == "small" else "gb_s" for suite in suites}
    if arguments.quantity != "auto":
        quantity = dict.fromkeys(suites, arguments.quantity)
    members = {suite: [case for case, of_case in cases.items() if results.suite_of(of_case[0]) == suite]
               for suite in suites}
    # The small ones have a line of panels to themselves, so that names stay readable.
    lines = [[suite for suite in suites if suite != "small"], [suite for suite in suites if suite == "small"]]
    lines = [line for line in lines if line]
    figure = plt.figure(figsize=(10, 0.95 + 3.3 * len(lines)))
    panels = figure.add_gridspec(len(lines), 1)
    handles = []
    for line, place in zip(lines, panels):
        inner = place.subgridspec(1, len(line), width_ratios=[len(members[suite]) for suite in line])
        for suite, at in zip(line, inner):
            axes = figure.add_subplot(at)
            draw_bars(axes, members[suite], cases, labels, quantity[suite])
            name = {"paper": "the paper's matrices", "small": "small matrices", "irregular": "irregular"}[suite]
            axes.set_title(name + (": the time" if quantity[suite] == "us" else ""))
            handles += zip(*axes.get_legend_handles_labels())
    finish(figure, handles, "Throughput by matrix", f"double; b: block size; {where(contexts)}", arguments.output)


def draw_bars(axes, members, cases, labels, quantity):
    width = 0.84 / len(labels)
    value = {"gb_s": lambda row: row["gb_s"], "us": lambda row: row["seconds"] * 1e6}[quantity]
    for index, (library, label) in enumerate(labels.items()):
        look = look_of(library)
        best = [results.best_of(cases[case], library) for case in members]
        bars = [(i, value(row)) for i, row in enumerate(best) if row]
        axes.bar([i + (index - (len(labels) - 1) / 2) * width for i, _ in bars], [height for _, height in bars],
                 width=0.92 * width, color=look.colour, linewidth=0, label=label)
    if quantity == "gb_s":
        limits = [cases[case][0]["limit_gb_s"] for case in members]
        # A line over the width of each group, as the limit is of the run that measured the group.
        draw_limit(axes, [(i + side, limit) for i, limit in enumerate(limits) for side in (-0.5, 0.5)])
    rates = {"gb_s": "throughput (GB/s)", "us": "time (µs, less is better)"}
    axes.set(ylabel=rates[quantity], xlim=(-0.6, len(members) - 0.4))
    axes.set_xticks(range(len(members)), [tick_of(case) for case in members], fontsize=7.5)
    axes.tick_params(axis="x", length=0)


def tick_of(case):
    """A matrix's name in a few short lines: the number of block rows is what tells the small ones apart."""
    name = case.name.removeprefix("small, ").replace(" block rows", "\nblock rows").replace(" (twin)", "\n(twin)")
    return f"{name}\nb = {case.block_size}"


def plot_vectors(rows, contexts, arguments):
    cases = results.by_case(rows)
    groups = results.products_of_vectors(cases)
    asked = (arguments.set or ["double"])[0]
    groups = {name: of_sizes for (name, which), of_sizes in groups.items()
              if which == asked and arguments.case in (None, name)}
    if not groups:
        raise results.Problem("no products with several vectors",
                              f"no result of ours of the set '{asked}' has 'num_vectors' above 1",
                              "measure by perf_spmv --suites multivector")
    if len(groups) > 1:
        raise results.Problem("several matrices", ", ".join(groups), "choose one by --case")
    (name, of_sizes), = groups.items()
    sizes = arguments.block_sizes or some_of(sorted(of_sizes), 6)
    for b in sizes:
        if b not in of_sizes:
            raise results.Problem(f"no products with several vectors for b = {b}",
                                  "there are some for " + ", ".join(map(str, sorted(of_sizes))),
                                  "choose among these by --block-sizes")
    peers = any(products.ratio for b in sizes for products in of_sizes[b].values())
    figure, panels = plt.subplots(1, 2 if peers else 1, squeeze=False, figsize=(9.5 if peers else 6, 4.4))
    time, *beside = panels[0]
    counts = sorted({k for b in sizes for k in of_sizes[b]})
    time.plot(counts, counts, color=INK, linewidth=1, linestyle=(0, (5, 3)), label="one at a time")
    for i, b in enumerate(sizes):
        # All are ours: dark to light by block size, no library's colour.
        style = dict(color=plt.get_cmap("viridis")(0.88 * i / max(len(sizes) - 1, 1)), label=f"b = {b}",
                     marker=MARKERS[i % len(MARKERS)], markersize=4.5, linewidth=1.5)
        points = sorted(of_sizes[b].items())
        nothing = float("nan")  # leaves a gap
        time.plot([k for k, _ in points], [products.of_one or nothing for _, products in points], **style)
        for axes in beside:
            axes.plot([k for k, _ in points], [products.ratio or nothing for _, products in points], **style)
    time.set_title("our time for k over that for one")
    time.set(ylabel="time(k) / time(1)")
    time.set_yscale("log", base=2)
    for axes in beside:
        axes.set_title("the best peer's time over ours")
        axes.axhline(1, color=INK, linewidth=1)
        axes.set_ylabel("ratio (more is better)")
        axes.margins(y=0.1)
        axes.set_ylim(bottom=0)
    for axes in panels[0]:
        axes.set_xlabel("vectors k")
        axes.set_xscale("log", base=2)
        axes.set_xticks(counts, list(map(str, counts)))
        axes.minorticks_off()
    time.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    handles = list(zip(*time.get_legend_handles_labels()))
    finish(figure, handles, "Several vectors at a time", f"{name}, {results.set_label(asked)}; {where(contexts)}",
           arguments.output)


def some_of(values, count):
    """At most `count` of the values, the first and the last among them."""
    if len(values) <= count:
        return values
    return [values[round(i * (len(values) - 1) / (count - 1))] for i in range(count)]


def list_of_sizes(text):
    return [int(b) for b in text.split(",")]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_spmv --json")
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE", help="an SVG file")
    parser.add_argument("--set", action="append", metavar="NAME",
                        help="block-size, vectors: double (the default), float, mixed, bfloat16, row_major, transpose, or two of "
                             "them: 'mixed, transpose'. block-size takes several, a panel each, and 'all'")
    parser.add_argument("--quantity", choices=("auto", "gb_s", "us"), default="auto",
                        help="matrix: rates or times; auto is times for the small ones and rates for the others")
    parser.add_argument("--case", help="vectors: which matrix, by its name in the files")
    parser.add_argument("--block-sizes", type=list_of_sizes, metavar="B,B,...",
                        help="vectors: which lines to draw (default: some of those that are there)")
    return parser.parse_args()


KINDS = {"block-size": plot_block_sizes, "matrix": plot_matrices, "vectors": plot_vectors}


def main():
    return draw(KINDS, parse(), "spmv_plot")


if __name__ == "__main__":
    results.run("spmv_plot", main)
