#!/usr/bin/env python3
"""The figures at the head of README.md are those of the committed results: each is computed anew from its file, and must
be in the line of README that links the file. So are the tables of HPGMG in docs/.

check_figures.py SOURCE_DIR      compare; exit 1 and name each figure that is missing
"""
import json
import pathlib
import sys

import hpgmg_figures

RESULTS = pathlib.Path("perf_tests/results/h200")


def rows(source, name, **wanted):
    """The rows of a result file that have these values, and a time."""
    every = json.loads((source / RESULTS / name).read_text())["results"]
    return [row for row in every if row.get("seconds") and all(row.get(key) == value for key, value in wanted.items())]


def ours_and_best_peer(found):
    ours = [row for row in found if row["library"] == "ashlar"]
    peers = [row for row in found if row["library"] != "ashlar"]
    return min(row["seconds"] for row in ours), min(row["seconds"] for row in peers)


def grid(source):
    found = rows(source, "spmv_grid.json")
    ratios, ours, theirs = [], [], []
    for size in range(1, 33):
        of_size = [row for row in found if row["block_size"] == size]
        mine, best = ours_and_best_peer(of_size)
        ratios.append(best / mine)
        for row in of_size:
            if row["library"] == "ashlar":
                ours.append(row["fraction"])
            elif row["seconds"] == best:
                theirs.append(row["gb_s"] / row["limit_gb_s"])
    return [f"{min(ours):.2f} to {max(ours):.2f} of the", f"{min(ratios):.2f} to {max(ratios):.2f} times",
            f"{min(theirs):.2f} to {max(theirs):.2f}"]


def multivector(source):
    of = {k: ours_and_best_peer(rows(source, "spmv_multivector.json", block_size=3, num_vectors=k)) for k in (1, 8)}
    return [f"{of[8][0] / of[1][0]:.2f} times", f"{of[8][1] / of[8][0]:.1f} times"]


def streaming(source):
    of = {row["kernel"]: row["seconds"] * 1e3 for row in rows(source, "streaming_limit.json", num_vectors=1)
          if row["kernel"] != "sweep"}
    return [f"{of['half of it: A = T + T^T']:.1f} ms", f"{of['planned']:.1f} ms", f"{of['no share of the host']:.1f} ms"]


def from_file(source):
    disk, = rows(source, "streaming_file.json", cached=False, hide=True)
    return [f"{disk['fraction']:.2f} of the", f"{disk['limit_gb_s']:.1f} GB/s"]


def several_devices(source):
    mine, best = ours_and_best_peer([row for row in rows(source, "cg_ranks_2_peers.json", case="stencil11:128")
                                     if row["library"] != "in_kernel"])  # a program for this alone, not a library
    return [f"{mine * 1e6:.1f} us", f"{best / mine:.2f} times"]


def solver(source):
    figures = []
    for case in ("grid27x3:68", "stencil11:22"):
        found = rows(source, "cg.json", case=case)
        ours, = [row["us"] for row in found if row["kernel"] == "automatic" and row["preconditioner"] == "none"]
        peer = min(row["us"] for row in found if row["library"] != "ashlar")
        figures += [f"{ours:.3g} us", f"{peer / ours:.2f} times"]
    return figures


FIGURES = {"spmv_grid.json": grid, "spmv_multivector.json": multivector, "streaming_limit.json": streaming,
           "streaming_file.json": from_file, "cg.json": solver,
           "cg_ranks_2_peers.json": several_devices}


def main(source):
    readme = (source / "README.md").read_text()
    missing = 0
    for name, figures_of in FIGURES.items():
        lines = " ".join(line for line in readme.splitlines() if f"({RESULTS / name})" in line)
        for figure in figures_of(source):
            print(f"{name}: {figure}")
            if figure not in lines:
                missing += 1
                print(f"README.md: '{figure}' is not in a line that links {RESULTS / name}")
    for wrong in hpgmg_figures.missing(source):
        missing += 1
        print(wrong)
    print(f"{missing} figures are missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
