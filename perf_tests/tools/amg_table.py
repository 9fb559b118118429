#!/usr/bin/env python3
"""Prints result files of perf_amg, all of one machine, as a Markdown table.

A row for each cantilever: seconds of set-up and solve for each preconditioner, in brackets the seconds of the set-up
and the iterations, and the time with block-Jacobi over the time with AMG.
"""
import argparse

import perf_results as results

NUMBERS = ("seconds", "seconds_set_up", "iterations", "num_rows")


def check(row):
    """What perf_amg writes besides what all performance tests do."""
    for key in NUMBERS:
        if not results.is_number(row.get(key)):
            raise results.Problem(f"{row['case']}, {row['library']} {row['kernel']} has no '{key}'",
                                  "it is no result of perf_amg", "pass files that perf_amg wrote with --json")


def name_of(case):
    """"33:0.45:1000" is 33^3 nodes with Poisson's ratio 0.45 and a layer that is 1000 times as stiff."""
    nodes, poisson, layer, *_ = case.split(":") + ["", ""]
    return ((nodes if "x" in nodes else f"{nodes}^3") + (f", Poisson {poisson}" if poisson else "") +
            (f", a layer {layer} times as stiff" if layer else ""))


def preconditioner(row):
    return row["kernel"] if row["library"] == "ashlar" else f"{row['library']}: {row['kernel']}"


def cell(row):
    return f"{row['seconds']:.3f} ({row['seconds_set_up']:.3f}, {row['iterations']})" if row else ""


def cells(case, of_kernel, kernels):
    plain, amg = (of_kernel.get(kernel) for kernel in ("block_jacobi", "amg"))
    unknowns = next(iter(of_kernel.values()))["num_rows"]
    return ([name_of(case), str(unknowns)] + [cell(of_kernel.get(kernel)) for kernel in kernels] +
            [f"{plain['seconds'] / amg['seconds']:.2f}" if plain and amg else ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_amg --json")
    arguments = parser.parse_args()
    # Its rows have no fraction: a solve is compared with another, not with the bandwidth.
    rows, _ = results.read(arguments.files, measured=("seconds", "gb_s", "limit_gb_s"))
    systems = {}
    for row in rows:
        check(row)
        of_kernel = systems.setdefault(row["case"], {})
        of_kernel[preconditioner(row)] = results.fastest([row, of_kernel.get(preconditioner(row), row)])
    kernels = results.distinct(preconditioner(row) for row in rows)
    head = ["nodes", "unknowns"] + [f"{kernel}, s (set-up, iterations)" for kernel in kernels] + ["block_jacobi / amg"]
    print("| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|")
    for case, of_kernel in systems.items():
        print("| " + " | ".join(cells(case, of_kernel, kernels)) + " |")
    return 0


if __name__ == "__main__":
    results.run("amg_table", main)
