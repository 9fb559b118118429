#!/usr/bin/env python3
"""Prints how the tuned plans of result files of perf_spmv (--kernels auto,tuned,auto,tuned) compare with the default.

Each kernel's time is its median over the repetitions; the spread is between the default's fastest and slowest. Exit
code 1 where a tuned plan took more than 2 % and more than that spread longer than the default.
"""
import argparse
import statistics
import sys

import perf_results as results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_spmv --kernels auto,tuned --json")
    arguments = parser.parse_args()
    rows, _ = results.read(arguments.files)
    lines, slower = [], 0
    for case, of_case in results.by_case(results.of_library(rows, results.ASHLAR)).items():
        default, tuned = ([row for row in of_case if row["kernel"] == kernel] for kernel in ("auto", "tuned"))
        if not default or not tuned:
            continue
        of_default, of_tuned = ([row["seconds"] * 1e6 for row in rows] for rows in (default, tuned))
        usual, spread = statistics.median(of_default), max(of_default) - min(of_default)
        chosen = statistics.median(of_tuned)
        slower += chosen > usual + max(0.02 * usual, spread)
        name = case.name if case.set == "double" else f"{case.name}, {results.set_label(case.set)}"
        plan = tuned[-1].get("plan", "").split(": ", 1)[-1]
        lines.append(f"| {name} | {case.block_size} | {usual:.1f} | {spread:.1f} | {chosen:.1f} | {usual / chosen:.3f} | {plan} |")
    if not lines:
        raise results.Problem("no plan was measured both ways", "a default ('auto') and a tuned one are compared",
                              "measure by perf_spmv --kernels auto,tuned,auto,tuned")
    print("| matrix | b | default, us | spread | tuned, us | speed-up | choice |")
    print("| --- " * 7 + "|")
    print("\n".join(lines))
    print(f"\nSlower than the default beyond noise: {slower}")
    sys.stdout.flush()
    return int(slower > 0)


if __name__ == "__main__":
    results.run("spmv_tuned", main)
