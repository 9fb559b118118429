#!/usr/bin/env python3
"""Says what became slower from one bundle of scripts/perf to another, beyond noise: compare_bundles.py A.json B.json

A product, an iteration, a cycle is slower where each pass of B took longer than each of A, and the median by more than
noise: the spread of the passes of either, 5 % at least; 15 % where A or B was measured but once. Exit code: 0 where
nothing became slower, 1 where something did, 2 where the two cannot be compared.
"""
import argparse
import sys

import perf_bundle
import perf_results as results

LEAST_NOISE, NOISE_OF_ONE_PASS = 0.05, 0.15


def noise_of(row):
    passes = row["passes"]
    if len(passes) < 2:
        return NOISE_OF_ONE_PASS
    return max(LEAST_NOISE, (max(passes) - min(passes)) / row["seconds"])


def verdict(before, after):
    """How many times as long it takes, what counts as noise, and which of slower, faster and level it is."""
    ratio, noise = after["seconds"] / before["seconds"], max(noise_of(before), noise_of(after))
    if min(after["passes"]) > max(before["passes"]) and ratio > 1 + noise:
        return ratio, noise, "slower"
    if max(after["passes"]) < min(before["passes"]) and ratio < 1 / (1 + noise):
        return ratio, noise, "faster"
    return ratio, noise, "level"


def label(row):
    program, *_, = perf_bundle.key_of(row)
    unusual = [str(value) for name, value in perf_bundle.key_of(row)[5:] if perf_bundle.USUAL.get(name) != value]
    return ", ".join([f"{program}: {row['case']}, b = {row['block_size']}", f"{row['library']} {row['kernel']}", *unusual])


def time_text(seconds):
    return f"{seconds * 1e6:.3g} us" if seconds < 1e-3 else f"{seconds * 1e3:.4g} ms"


def compare(a, b):
    """(ratio, noise, verdict, row of A, row of B) for all that both measured at the same size, and how many rows of ours
    are in one only."""
    rows_a, rows_b = ({perf_bundle.key_of(row): row for row in bundle["results"] if row["library"] == results.ASHLAR}
                      for bundle in (a, b))
    both = [key for key in rows_a if key in rows_b and perf_bundle.is_same_size(rows_a[key], rows_b[key])]
    compared = [(*verdict(rows_a[key], rows_b[key]), rows_a[key], rows_b[key]) for key in both]
    return compared, len(rows_a.keys() | rows_b.keys()) - len(both)


def main():
    parser = argparse.ArgumentParser(prog="scripts/perf --compare", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", metavar="A.json", help="before")
    parser.add_argument("b", metavar="B.json", help="after")
    arguments = parser.parse_args()
    a, b = perf_bundle.read_bundle(arguments.a), perf_bundle.read_bundle(arguments.b)
    compared, alone = compare(a, b)
    if not compared:
        raise results.Problem("nothing to compare", "the two have no row of ours of the same size in common",
                              "measure both in the same way, with or without --quick")
    for name in ("device", "kokkos", "compiler"):
        if a["context"].get(name) != b["context"].get(name):
            print(f"note: {name} was {a['context'].get(name)}, now {b['context'].get(name)}")
    for wanted, first in (("slower", True), ("faster", False)):
        for ratio, noise, found, before, after in sorted(compared, key=lambda each: each[0], reverse=first):
            if found == wanted:
                print(f"{wanted}: {label(after)}: {time_text(before['seconds'])} -> {time_text(after['seconds'])}, "
                      f"{ratio:.2f} times (noise {100 * noise:.0f} %)")
    counts = {name: sum(each[2] == name for each in compared) for name in ("slower", "faster", "level")}
    print(f"{len(compared)} compared: {counts['slower']} slower, {counts['faster']} faster, {counts['level']} level; "
          f"{alone} in one of the two only or of another size")
    return 1 if counts["slower"] else 0


if __name__ == "__main__":
    results.run("scripts/perf --compare", main)
