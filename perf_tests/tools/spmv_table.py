#!/usr/bin/env python3
"""Prints result files of perf_spmv as Markdown tables.

A row for each matrix, our product beside the best peer's. Matrices that were also multiplied by several vectors at a
time: a row for each block size, a column for each number of vectors k. With --by-set: a row for each block size, a
column for each set (type, layout, mode), our product as a fraction of the read bandwidth.
"""
import argparse
import math
import sys

import perf_results as results


def title(name, which):
    """The matrix, and what is unusual about the product."""
    return name if which == "double" else f"{name}, {results.set_label(which)}"


def print_row(cells):
    print("| " + " | ".join(cells) + " |")


def print_head(cells):
    print_row(cells)
    print("| --- " * len(cells) + "|")


def print_mean(ratios):
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nGeometric mean of the ratios: {mean:.2f}")


def print_matrices(cases):
    print_head(["matrix", "b", "us", "GB/s", "of the read bandwidth", "best peer, GB/s", "ratio"])
    ratios = []
    for case, rows in cases.items():
        mine, peer = results.ours(rows), results.best_peer(rows)
        if mine is None:
            continue
        beside = ["", ""]
        if peer:
            ratios.append(peer["seconds"] / mine["seconds"])
            beside = [f"{peer['gb_s']:.0f} ({peer['library']} {peer['kernel']})", f"{ratios[-1]:.2f}"]
        print_row([title(case.name, case.set), str(case.block_size), f"{mine['seconds'] * 1e6:.1f}",
                   f"{mine['gb_s']:.0f}", f"{mine['fraction']:.2f}"] + beside)
    print_mean(ratios)


def print_sets(cases):
    """Fractions of the read bandwidth: cases of the same name and block size are a row."""
    sets = results.distinct(case.set for case in cases)
    names = results.distinct(case.name for case in cases)
    print_head((["matrix"] if len(names) > 1 else []) + ["b"] + list(map(results.set_label, sets)))
    for name, b in sorted({(case.name, case.block_size) for case in cases}, key=lambda at: (names.index(at[0]), at[1])):
        fractions = [results.ours(cases.get(results.Case(name, b, which, 1), [])) for which in sets]
        print_row(([name] if len(names) > 1 else []) + [str(b)] +
                  [f"{mine['fraction']:.2f}" if mine else "" for mine in fractions])


def print_by_count(of_sizes, counts, value):
    """A row for each block size, a column for each number of vectors; value(Products) is None where there is none."""
    print_head(["b"] + [f"k = {k}" for k in counts])
    for b, of_size in sorted(of_sizes.items()):
        values = [value(of_size[k]) if k in of_size else None for k in counts]
        print_row([str(b)] + ["" if number is None else f"{number:.2f}" for number in values])


def print_vectors(name, which, of_sizes):
    """time(k) / time(1), and the best peer's time(k) over ours."""
    counts = sorted({k for of_size in of_sizes.values() for k in of_size})
    print(f"\n{title(name, which)}: our time for k vectors over that for one\n")
    print_by_count(of_sizes, [k for k in counts if k > 1], lambda products: products.of_one)
    ratios = [products.ratio for of_size in of_sizes.values() for products in of_size.values() if products.ratio]
    if ratios:
        print(f"\n{title(name, which)}: the best peer's time for k vectors over ours\n")
        print_by_count(of_sizes, counts, lambda products: products.ratio)
        print_mean(ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_spmv --json")
    parser.add_argument("--by-set", action="store_true", help="block sizes by sets")
    arguments = parser.parse_args()
    rows, _ = results.read(arguments.files)
    cases = results.by_case(rows)
    single = {case: rows for case, rows in cases.items() if case.num_vectors == 1}
    if arguments.by_set:
        print_sets(single)
        return 0
    if single:
        print_matrices(single)
    for (name, which), of_sizes in results.products_of_vectors(cases).items():
        print_vectors(name, which, of_sizes)
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    results.run("spmv_table", main)
