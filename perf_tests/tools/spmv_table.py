#!/usr/bin/env python3
"""Prints result files of perf_spmv as a Markdown table: one row a block size, one column a kernel, in GB/s.

spmv_table.py FILE...
"""
import json
import sys


def main(files):
    if not files:
        sys.exit(__doc__)
    rates = {}  # block size -> kernel -> (best GB/s, its fraction of the read bandwidth)
    for name in files:
        with open(name) as file:
            for row in json.load(file)["results"]:
                if not row["verified"]:
                    sys.exit(f"{name}: a wrong result, {row['kernel']} at block size {row['block_size']}")
                kernels = rates.setdefault(row["block_size"], {})
                kernels[row["kernel"]] = max(kernels.get(row["kernel"], (0, 0)), (row["gb_s"], row["fraction"]))
    names = sorted({name for kernels in rates.values() for name in kernels})
    print("| b | " + " | ".join(names) + " |")
    print("| --- " * (len(names) + 1) + "|")
    for b in sorted(rates):
        cells = [f"{rates[b][n][0]:.0f} ({rates[b][n][1]:.2f})" if n in rates[b] else "" for n in names]
        print(f"| {b} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
