#!/usr/bin/env python3
"""Prints result files of perf_spmv as a Markdown table: a row for each matrix, our product beside the best peer's.

spmv_table.py FILE...
"""
import json
import math
import sys

CASE = ("case", "block_size", "type", "layout", "mode")


def key(row):
    """What is measured: a peer's product is beside ours in the usual type, layout and mode."""
    usual = {"type": "double", "layout": "column_major", "mode": "no_transpose"}
    return tuple(row.get(name, usual.get(name)) for name in CASE)


def fastest(rows):
    return min(rows, key=lambda row: row["seconds"], default=None)


def main(files):
    if not files:
        sys.exit(__doc__)
    cases = {}
    for name in files:
        with open(name) as file:
            for row in json.load(file)["results"]:
                if not row["verified"]:
                    sys.exit(f"{name}: a wrong result: {row['library']} {row['kernel']}, {row['case']}")
                cases.setdefault(key(row), []).append(row)
    print("| matrix | b | us | GB/s | of the read bandwidth | best peer, GB/s | ratio |")
    print("| --- " * 7 + "|")
    ratios = []
    for (case, b, kind, layout, mode), rows in cases.items():
        ours = fastest([row for row in rows if row["library"] == "ashlar"])
        peer = fastest([row for row in rows if row["library"] != "ashlar"])
        if ours is None:
            continue
        unusual = [name for name in (kind, layout, mode) if name not in ("double", "column_major", "no_transpose")]
        beside = ["", ""]
        if peer:
            ratios.append(peer["seconds"] / ours["seconds"])
            beside = [f"{peer['gb_s']:.0f} ({peer['library']} {peer['kernel']})", f"{ratios[-1]:.2f}"]
        cells = [", ".join([case] + unusual), str(b), f"{ours['seconds'] * 1e6:.1f}", f"{ours['gb_s']:.0f}",
                 f"{ours['fraction']:.2f}"] + beside
        print("| " + " | ".join(cells) + " |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\nGeometric mean of the ratios: {mean:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
