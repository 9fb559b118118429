#!/usr/bin/env python3
"""Prints result files of perf_cg_ranks as a Markdown table.

  cg_ranks_table.py scaling FILE...   microseconds an iteration by number of ranks, in brackets over the floor, and e,
                                      the parallel efficiency; a column for each peer in the files: its time over ours
  cg_ranks_table.py forms FILE...     microseconds by form of the halo, and e: Table 2 of the multi-GPU paper
  cg_ranks_table.py factors FILE...   e by its factors, where they are known: Table 3 of the paper
"""
import argparse

import cg_ranks_results as cg
import perf_results as results
from cg_table import microseconds


def peer_cell(rows, peers, case, ranks):
    """A library's time over ours for each number of ranks; "-" if one of both is missing."""
    pairs = [(cg.best(peers, case, n), cg.best(rows, case, n)) for n in ranks]
    return ", ".join(f"{peer['us'] / row['us']:.2f}" if peer and row else "-" for peer, row in pairs)


def scaling_table(rows, peers):
    ranks = cg.ranks_in(rows)
    beside = {library: results.of_library(peers, library) for library in results.libraries(peers)}
    table = [["system"] + [f"{n} rank{'s' if n > 1 else ''}" for n in ranks] +
             [f"{library} / ours on {', '.join(map(str, cg.ranks_in(of_library)))}"
              for library, of_library in beside.items()]]
    for case in cg.cases_in(rows):
        line = [cg.name_of(case)]
        for n in ranks:
            row = cg.best(rows, case, n)
            e = row and cg.efficiency(rows, row)
            line.append(f"{microseconds(row['us'])} ({cg.over_floor(row):.2f}{f', {e:.2f}' if e else ''})" if row else "")
        table.append(line + [peer_cell(rows, of_library, case, cg.ranks_in(of_library))
                             for of_library in beside.values()])
    return table


def forms_table(rows, _):
    cases = cg.cases_in([row for row in rows if row["ranks"] > 1])
    table = [["ranks", "form"] + [cg.name_of(case) for case in cases]]
    for n, form in results.distinct((row["ranks"], row["kernel"]) for row in rows if row["ranks"] > 1):
        line = [str(n), form]
        for case in cases:
            row = results.fastest([row for row in rows if (row["ranks"], row["kernel"], row["case"]) == (n, form, case)])
            e = row and cg.efficiency(rows, row)
            line.append(f"{microseconds(row['us'])}{f' ({e:.2f})' if e else ''}" if row else "")
        table.append(line)
    return table


def factors_table(rows, _):
    table = [["ranks", "system", "form", "us", "e", "granularity", "tasks", "pipeline"]]
    for row in rows:
        factors = [row.get(name) for name in ("efficiency", "granularity", "tasks", "pipeline")]
        if all(map(results.is_number, factors)):
            table.append([str(row["ranks"]), cg.name_of(row["case"]), row["kernel"], microseconds(row["us"])] +
                         [f"{factor:.2f}" for factor in factors])
    if len(table) == 1:
        raise results.Problem("no row has factors", "kernels that iterate have none, nor has what has no time of one rank",
                              "pass files of the blocking mode that were written with --whole")
    return table


TABLES = {"scaling": scaling_table, "forms": forms_table, "factors": factors_table}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_cg_ranks --json")
    arguments = parser.parse_args()
    rows, peers, _ = cg.read(arguments.files)
    head, *lines = TABLES[arguments.table](rows, peers)
    print("| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|")
    for line in lines:
        print("| " + " | ".join(line) + " |")
    return 0


if __name__ == "__main__":
    results.run("cg_ranks_table", main)
