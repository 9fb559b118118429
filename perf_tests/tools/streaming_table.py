#!/usr/bin/env python3
"""Prints result files of perf_streaming as a Markdown table: for each matrix, the number of subdivisions that takes least
time, or with --all each number."""
import argparse

import perf_results as results

HEAD = ["matrix", "GB", "subdivisions", "products", "not hidden, ms", "hidden, ms", "copies, ms", "products, ms",
        "gain, %", "hidden share", "GFLOP/s", "of the link"]


def cells(row, seconds_shown):
    return [row["case"].replace("cantilever ", ""), f"{row['bytes'] * 1e-9:.2f}", str(row["num_subdivisions"]),
            str(row["num_products"]), f"{seconds_shown * 1e3:.1f}", f"{row['seconds'] * 1e3:.1f}",
            f"{row['seconds_copy'] * 1e3:.1f}", f"{row['seconds_compute'] * 1e3:.1f}", f"{100 * row['gain']:.0f}",
            f"{row['hidden_share']:.3f}", f"{row['gflop_s']:.0f}", f"{row['fraction']:.3f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of perf_streaming --json")
    parser.add_argument("--all", action="store_true", help="every number of subdivisions")
    arguments = parser.parse_args()
    rows, _ = results.read(arguments.files)
    groups = {}
    for row in rows:
        if row["kernel"] == "streamed":
            key = (row["case"], row["num_products"], row["num_subdivisions"] if arguments.all else 0)
            groups.setdefault(key, []).append(row)
    print("| " + " | ".join(HEAD) + " |\n" + "| --- " * len(HEAD) + "|")
    for of_key in groups.values():
        row = min(of_key, key=lambda each: each["seconds"])
        print("| " + " | ".join(cells(row, row["seconds"] * (1 + row["gain"]))) + " |")
    return 0


if __name__ == "__main__":
    results.run("streaming_table", main)
