#!/usr/bin/env python3
"""Prints result files of perf_cg as a Markdown table.

A row for each system and preconditioner: the floor, microseconds an iteration of each form of ours and in brackets how
many times the floor they are, the best peer's beside them, and that over ours. Ours is the form 'automatic'; where it
was not measured, the fastest form.
"""
import argparse
import math

import perf_results as results

# Ours, in the order of their columns; others come after them.
FORMS = ["one_by_one", "graph", "persistent", "automatic", "single_reduction", "pipelined"]
NUMBERS = ("us", "floor_us", "over_floor")


def check(row):
    """What perf_cg writes besides what all performance tests do."""
    for key in NUMBERS:
        if not results.is_number(row.get(key)) or not row[key] > 0:
            raise results.Problem(f"{row['case']}, {row['library']} {row['kernel']} has no '{key}'",
                                  "it is no result of perf_cg", "pass files that perf_cg wrote with --json")


def microseconds(us):
    """Three digits, or all before the point."""
    return f"{us:.{max(0, 2 - math.floor(math.log10(us)))}f}"


def system_of(row):
    preconditioner = row.get("preconditioner", "none")
    return row["case"] if preconditioner == "none" else f"{row['case']}, {preconditioner}"


def forms_in(rows):
    there = results.distinct(row["kernel"] for row in results.of_library(rows, results.ASHLAR))
    return [form for form in FORMS if form in there] + [form for form in there if form not in FORMS]


def our_form(rows):
    mine = results.of_library(rows, results.ASHLAR)
    return results.fastest([row for row in mine if row["kernel"] == "automatic"] or mine)


def floor_cell(row):
    if "floor_with_preconditioner_us" not in row:
        return microseconds(row["floor_us"])
    return f"{microseconds(row['floor_us'])} ({microseconds(row['floor_with_preconditioner_us'])} with it)"


def cells(system, rows, forms):
    of_form = {row["kernel"]: row for row in results.of_library(rows, results.ASHLAR)}
    mine, peer = our_form(rows), results.best_peer(rows)
    ours = [f"{microseconds(of_form[form]['us'])} ({of_form[form]['over_floor']:.2f})" if form in of_form else ""
            for form in forms]
    beside = f"{microseconds(peer['us'])} ({peer['kernel']})" if peer else ""
    ratio = f"{peer['us'] / mine['us']:.2f}" if peer and mine else ""
    return [system, str(rows[0]["block_size"]), floor_cell(rows[0])] + ours + [beside, ratio]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_cg --json")
    arguments = parser.parse_args()
    rows, _ = results.read(arguments.files)
    systems = {}
    for row in rows:
        check(row)
        systems.setdefault(system_of(row), []).append(row)
    forms = forms_in(rows)
    head = ["system", "b", "floor, us"] + [f"{form}, us" for form in forms] + ["best peer, us", "peer / ours"]
    print("| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|")
    for system, of_system in systems.items():
        print("| " + " | ".join(cells(system, of_system, forms)) + " |")
    return 0


if __name__ == "__main__":
    results.run("cg_table", main)
