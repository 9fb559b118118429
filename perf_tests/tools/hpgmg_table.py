#!/usr/bin/env python3
"""Prints result files of perf_hpgmg and perf_hpgmg_ranks as a Markdown table.

  hpgmg_table.py exchange FILE...     ms of a cycle by mode of exchange and size of boxes, and the gain over blocking
  hpgmg_table.py thresholds FILE...   ms with coarse levels on the host, and what that gains
  hpgmg_table.py rates FILE...        unknowns a second by size of the grid
  hpgmg_table.py boxes FILE...        the same cells in more and more boxes
  hpgmg_table.py levels FILE...       ms by how many cells a rank has of a coarse level at least
  hpgmg_table.py weak FILE...         as many cells a rank on more and more ranks
  hpgmg_table.py hidden FILE...       microseconds of a residual and its exchange, and what is hidden
"""
import argparse

import hpgmg_results as hpgmg
import perf_results as results


def ms(row):
    return hpgmg.three(1e3 * row["seconds"])


def only(rows):
    """The fastest, where the same was measured twice."""
    return results.fastest(rows)


def exchange_table(rows):
    groups = hpgmg.exchanges(rows)
    columns = [(f"{name}: {mode}, ms" if len(groups) > 1 else f"{mode}, ms", of_group, mode)
               for name, of_group in groups.items() for mode in hpgmg.by_mode(of_group)]
    table = [["boxes of"] + [head for head, *_ in columns]]
    for box_dim in sorted({row["box_dim"] for of_group in groups.values() for row in of_group}):
        line = [hpgmg.cube(box_dim)]
        for _, of_group, mode in columns:
            of_size = hpgmg.by_mode([row for row in of_group if row["box_dim"] == box_dim])
            row, blocking = only(of_size.get(mode, [])), only(of_size.get("blocking", []))
            gains = row and blocking and row is not blocking
            line.append((ms(row) if row else "") +
                        (f" ({hpgmg.gain(row['seconds'], blocking['seconds'])} %)" if gains else ""))
        table.append(line)
    return table


def thresholds_table(rows):
    found = hpgmg.thresholds(rows)
    counts = sorted({threshold for _, of_name in found for threshold in of_name})
    table = [["cells"] + ["all on the device, ms" if n == 0 else f"below {n} on the host" for n in counts]]
    for name, of_name in found:
        without = of_name[0]["seconds"]
        table.append([name] + [("" if n not in of_name else ms(of_name[n]) + (
            f" ({hpgmg.gain(of_name[n]['seconds'], without)} %)" if n else "")) for n in counts])
    return table


def rates_table(rows):
    groups = hpgmg.rates(rows)
    table = [["cells"] + [f"{name}, 10^6 unknowns/s" for name in groups]]
    for cells in sorted({row["cells_per_dim"] for of_name in groups.values() for row in of_name}):
        found = [only([row for row in of_name if row["cells_per_dim"] == cells]) for of_name in groups.values()]
        table.append([hpgmg.cube(cells)] + [hpgmg.three(1e-6 * row["unknowns_per_second"]) if row else ""
                                            for row in found])
    return table


def boxes_table(rows):
    groups = hpgmg.cuts(rows)
    table = [["boxes"] + [f"{name}: ms, unknowns/s, of the bandwidth" for name in groups]]
    for boxes in sorted({row["num_boxes"] for of_name in groups.values() for row in of_name}):
        found = [only([row for row in of_name if row["num_boxes"] == boxes]) for of_name in groups.values()]
        box_dim = next(row["box_dim"] for row in found if row)
        table.append([f"{boxes} of {hpgmg.cube(box_dim)}"] + [
            f"{ms(row)}, {row['unknowns_per_second']:.2e}, {row['fraction']:.2f}" if row else "" for row in found])
    return table


def levels_table(rows):
    rows = hpgmg.of_one_operator([row for row in hpgmg.cycles(rows) if "min_cells_per_rank" in row])
    least = sorted({row["min_cells_per_rank"] for row in rows})
    hpgmg.wanted(least[1:], "one number of cells a rank only", "coarse levels are on fewer ranks by it",
                 "measure by perf_hpgmg_ranks --min-cells-per-rank N, each N to a file, and pass all")
    table = [["boxes of"] + ["all levels on all ranks, ms" if n == 0 else f"{n} cells a rank" for n in least]]
    for box_dim in sorted({row["box_dim"] for row in rows}):
        found = [only([row for row in rows if (row["box_dim"], row["min_cells_per_rank"]) == (box_dim, n)])
                 for n in least]
        table.append([hpgmg.cube(box_dim)] + [ms(row) if row else "" for row in found])
    return table


def weak_table(rows):
    rows = hpgmg.of_one_operator([row for row in hpgmg.cycles(rows) if "exchange" in row])
    ranks = sorted({row["ranks"] for row in rows})
    hpgmg.wanted(ranks[1:], "one number of ranks only", "weak scaling is over several",
                 "pass files of perf_hpgmg_ranks on 1, 2 and 4")
    modes = list(hpgmg.by_mode(rows))
    table = [["ranks", "cells"] + [f"{mode}, ms (rate a rank, of that on {hpgmg.count(ranks[0], 'rank')})"
                                   for mode in modes]]
    for n in ranks:
        of_ranks = [row for row in rows if row["ranks"] == n]
        for cells in sorted({row["cells_per_dim"] for row in of_ranks}):
            line = [str(n), hpgmg.cube(cells)]
            for mode in modes:
                first, row = (only(hpgmg.by_mode(found).get(mode, [])) for found in (
                    [row for row in rows if row["ranks"] == ranks[0]],
                    [row for row in of_ranks if row["cells_per_dim"] == cells]))
                share = ""
                if first and row and n > ranks[0]:
                    share = row["unknowns_per_second"] / n / (first["unknowns_per_second"] / ranks[0])
                line.append(ms(row) + (f" ({share:.2f})" if share else "") if row else "")
            table.append(line)
    return table


def hidden_table(rows):
    # In files before the form was deleted, other modes have rows, too.
    rows = [row for row in rows if "hidden" in row and row["exchange"] == "blocking"]
    hpgmg.wanted(rows, "nothing of what is hidden", "perf_hpgmg_ranks --hidden writes it", "pass a file of it")
    table = [["boxes of", "exchange, us", "interior", "both", "hidden", "residual not cut", "cut"]]
    of_group = hpgmg.series(rows, ("device", "operator", "ranks"))
    for name, rows in of_group.items():
        for row in rows:
            what = hpgmg.cube(row["box_dim"]) + (f", {name}" if len(of_group) > 1 else "")
            numbers = [hpgmg.three(1e6 * row[key]) for key in ("exchange_seconds", "interior_seconds", "both_seconds")]
            table.append([what] + numbers + [f"{row['hidden']:.2f}"] + [
                hpgmg.three(1e6 * row[key]) for key in ("seconds_not_cut", "seconds")])
    return table


KINDS = {"exchange": exchange_table, "thresholds": thresholds_table, "rates": rates_table, "boxes": boxes_table,
         "levels": levels_table, "weak": weak_table, "hidden": hidden_table}


def table_of(kind, names, arguments=None):
    """The table's lines."""
    rows, _ = hpgmg.read(names)
    head, *lines = KINDS[kind](hpgmg.chosen(rows, arguments))
    return ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"] + ["| " + " | ".join(l) + " |" for l in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_hpgmg or perf_hpgmg_ranks --json")
    hpgmg.add_choices(parser)
    arguments = parser.parse_args()
    print("\n".join(table_of(arguments.kind, arguments.files, arguments)))
    return 0


if __name__ == "__main__":
    results.run("hpgmg_table", main)
