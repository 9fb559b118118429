#!/usr/bin/env python3
"""Prints how the tuned plans of result files of perf_spmv (--kernels auto,tuned,auto,tuned) compare with the default.

spmv_tuned.py FILE...

Each kernel's time is its median over the repetitions; the spread is between the default's fastest and slowest. Exit
code 1 where a tuned plan took more than 2 % and more than that spread longer than the default.
"""
import json
import statistics
import sys

from spmv_table import key


def main(files):
    if not files:
        sys.exit(__doc__)
    cases = {}
    for name in files:
        with open(name) as file:
            for row in json.load(file)["results"]:
                if row["library"] == "ashlar" and row["verified"] and row["kernel"] in ("auto", "tuned"):
                    cases.setdefault(key(row), {}).setdefault(row["kernel"], []).append(row)
    slower = 0
    print("| matrix | b | default, us | spread | tuned, us | speed-up | choice |")
    print("| --- " * 7 + "|")
    for (case, b, kind, layout, mode), rows in cases.items():
        if len(rows) < 2:
            continue
        default, tuned = ([row["seconds"] * 1e6 for row in rows[name]] for name in ("auto", "tuned"))
        least, spread = statistics.median(default), max(default) - min(default)
        seconds = statistics.median(tuned)
        slower += seconds > least + max(0.02 * least, spread)
        unusual = [name for name in (kind, layout, mode) if name not in ("double", "column_major", "no_transpose")]
        cells = [", ".join([case] + unusual), str(b), f"{least:.1f}", f"{spread:.1f}", f"{seconds:.1f}",
                 f"{least / seconds:.3f}", rows["tuned"][-1]["plan"].split(": ", 1)[1]]
        print("| " + " | ".join(cells) + " |")
    print(f"\nSlower than the default beyond noise: {slower}")
    sys.exit(slower > 0)


if __name__ == "__main__":
    main(sys.argv[1:])
