#!/usr/bin/env python3
"""Runs all that is measured over several devices of a host, within a time: tests of every exchange mode first, then
conjugate gradients, exchanges and HPGMG, and, where compute-sanitizer is there, tests under it. What fails, or has no
time left, is named, and the rest goes on.

    measure_devices.py BUILD_DIR --ranks 2,4 --out RESULTS [--minutes 9] [--only NAME,...]

A log of each step, and the JSON files of the performance tests, go to RESULTS; steps.json there says how each ended. The
exit code is 0 where all steps ran and passed, 1 where one did not, 2 for bad arguments.
"""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import sys
import time

from perf_steps import Step, run

CASES = "grid27x1:80,stencil11:128,grid27x3:68,stencil11:256,stencil11:46,stencil11:22,audi_kw,af_0_k101"
TABLE_2 = "stencil11:256,stencil11:128,audi_kw,af_0_k101"
MIN_CELLS = "32768"  # what the library does where nothing else is said, unlike the program
OURS = ("--libraries", "ashlar")  # peers have no modes: they are measured once
MODES = ("blocking", "stream", "kernel")
# One GPU by one kernel and by a graph: grids, the same with scattered numbers, rows of few and of many blocks.
LAUNCHES = ("grid27x1:80,renumbered27x1:80,stencil11:128,stencil11x3:68,grid27x3:68,renumbered27x3:36,"
            "renumbered27x3:44,renumbered27x3:52,renumbered27x3:60,renumbered27x3:68,stencil11x4:56,grid27x4:56,"
            "renumbered27x4:32,renumbered27x4:40,renumbered27x4:48,renumbered27x4:56")
# With random delays: name, program, which of its tests, rounds. Solves have 40 iterations in several ways, and ghost
# cells six cases, so that there are 10^5 of either in each mode at least.
DELAYS = (("solves", "distributed", "*", "625"), ("solves_stream", "nccl", "Nccl.*", "1250"),
          ("ghosts", "multigrid", "*", "17000"), ("ghosts_stream", "nccl", "NcclMultigrid.*", "17000"))
# Where NVIDIA's checker is there: its tool, program, which of its tests.
SANITIZER = "compute-sanitizer"
CHECKS = (("memcheck", "test_persistent_cg", "CgLaunches/0*:*VeryDifferentLengths"),
          ("racecheck", "test_persistent_cg", "*StopAtTheLimit*:*MatrixIsIndefinite"), ("memcheck", "test_mpi_halo", "*"))


def steps_of(ranks, is_small):
    """All steps, in the order of what matters most."""
    cases, table, more = (CASES, TABLE_2, []) if not is_small else ("stencil11:16", "stencil11:16", ["--samples", "1"])
    many, few = (["--iterations", "100,400"], ["--iterations", "10,40", "--samples", "3"]) if not is_small else ([], [])
    cells = [] if not is_small else ["--log2-boxes", "3", "--samples", "1"]
    packed = ["--decompositions", "1d", "--halos", "packed"]
    found = [Step("test_persistent_cg", 1, 120, "unit_tests/test_persistent_cg")]
    for n in ranks:
        for program in ("test_mpi_halo", "test_mpi_distributed", "test_mpi_multigrid", "test_mpi_nccl"):
            found.append(Step(f"{program}_{n}", n, 120, f"unit_tests/{program}"))
    found.append(Step("cg_1", 1, 90, "perf_tests/perf_cg_ranks", "--cases", cases, *packed, *many, *more))
    for n in ranks:
        # Conjugate gradients as they are by default, beside peers; then every form of the halo.
        found += [
            Step(f"cg_{n}", n, 90, "perf_tests/perf_cg_ranks", "--cases", cases, *packed, "--whole", "cg_1.json", *many,
                 *more),
            Step(f"cg_{n}_forms", n, 60, "perf_tests/perf_cg_ranks", "--cases", table, "--exchange", "kernel,stream",
                 "--whole", "cg_1.json", *OURS, *more),
            # (Each number of neighbours takes two thirds of a minute.)
            Step(f"halo_{n}", n, 90, "perf_tests/perf_halo", "--neighbours", str(n - 1),
                 *(["--bytes", "8,1024"] + more if is_small else [])),
            Step(f"hpgmg_{n}", n, 60, "perf_tests/perf_hpgmg_ranks", *cells),
            Step(f"hidden_{n}", n, 60, "perf_tests/perf_hpgmg_ranks", "--hidden", *cells),
        ]
        found += [Step(f"delays_{n}_{name}", n, 120, f"unit_tests/test_mpi_{program}",
                       f"--gtest_filter={tests}WhateverRanksWaitFor*",
                       variables={"ASHLAR_TEST_ROUNDS": "2" if is_small else rounds})
                  for name, program, tests, rounds in DELAYS]
    for n in [1] + ranks:
        # 8 boxes, so that a rank has about 256^3 cells and a cube is whole: 256^3, 320^3, 384^3 cells on 1, 2 and 4
        # ranks. (Rates a rank compare. Numbers of cells are powers of 2 times a small number, or there is no multigrid.)
        box_dim = {1: 128, 2: 160, 4: 192}.get(n)
        if box_dim is None:
            continue
        weak = ["--box-dims", str(box_dim // 16 if is_small else box_dim), "--boxes-per-rank", str(8 // n), "--exchange",
                "kernel,stream", "--min-cells-per-rank", MIN_CELLS]
        found.append(Step(f"weak_{n}", n, 60, "perf_tests/perf_hpgmg_ranks", *weak))
    for n in ranks:
        for mode in MODES:
            found.append(Step(f"killed_{n}_{mode}", n, 70, "perf_tests/perf_halo", "--modes", mode, "--bytes", "1024",
                              "--samples", "1000000", killed=True))
            # (Residuals of so slender a system fall for longer than the rank lives.)
            nodes = "33,9,9" if is_small else "513,65,65"
            found.append(Step(f"killed_solve_{n}_{mode}", n, 70, "apps/ashlar", "solve", "--problem", "cantilever",
                              "--nodes", nodes, "--rtol", "1e-300", "--max-iterations", "1000000000", "--exchange",
                              mode, killed=True))
            found.append(Step(f"killed_hpgmg_{n}_{mode}", n, 70, "perf_tests/perf_hpgmg_ranks", "--log2-boxes",
                              "3" if is_small else "5", "--exchange", mode, "--samples", "1000000", killed=True))
    if shutil.which(SANITIZER):
        found += [Step(f"{tool}_{program}", 1, 170, f"unit_tests/{program}", f"--gtest_filter={tests}",
                       under=(SANITIZER, "--tool", tool, "--error-exitcode", "9")) for tool, program, tests in CHECKS]
    found.append(Step("launches", 1, 90, "perf_tests/perf_cg_ranks", "--cases", LAUNCHES if not is_small else cases,
                      *packed, "--launch", "persistent,graph", *OURS, *many, *more))
    # Where messages go through the host an iteration takes up to 50 ms.
    found += [Step(f"cg_{n}_blocking", n, 240, "perf_tests/perf_cg_ranks", "--cases", table, "--exchange", "blocking",
                   "--whole", "cg_1.json", *OURS, *few, *more) for n in ranks]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD_DIR")
    parser.add_argument("--ranks", default="2", help="numbers of ranks, each with a device of its own (default: 2)")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="RESULTS", help="folder for logs and JSON")
    parser.add_argument("--minutes", type=float, default=9, help="no step begins later (default: 9)")
    parser.add_argument("--only", help="steps, by how their names begin, separated by commas")
    parser.add_argument("--small", action="store_true", help="small sizes: to see whether all of it works")
    parser.add_argument("--launcher", default="mpirun --bind-to none", help="what starts ranks, before -n")
    parser.add_argument("--commit", default="unknown", help="recorded with the results")
    options = parser.parse_args()
    try:
        ranks = [int(number) for number in options.ranks.split(",")]
    except ValueError:
        parser.error(f"--ranks {options.ranks}: not numbers; write for example 2,4")
    if not options.build.is_dir():
        parser.error(f"{options.build}: no such folder; name the one that the programs were built in")
    if min(ranks) < 2:
        parser.error(f"--ranks {options.ranks}: at least 2 each; one alone is measured besides")
    options.out.mkdir(parents=True, exist_ok=True)
    # Each rank takes a device of its own.
    os.environ.setdefault("KOKKOS_MAP_DEVICE_ID_BY", "mpi_rank")

    ended, begin = {}, time.monotonic()
    for step in steps_of(ranks, options.small):
        if options.only and not step.name.startswith(tuple(options.only.split(","))):
            continue
        if step.program.startswith("perf_tests/"):
            step.arguments += "--commit", options.commit
        if time.monotonic() - begin > 60 * options.minutes:
            ended[step.name] = {"status": "no time left"}
        else:
            started = time.monotonic()
            status = run(step, options.build.resolve(), options.out.resolve(), shlex.split(options.launcher))
            ended[step.name] = {"status": status, "seconds": round(time.monotonic() - started, 1)}
        print(f"{step.name:28} {ended[step.name]['status']}", flush=True)
        (options.out / "steps.json").write_text(json.dumps(ended, indent=1) + "\n")
    return 0 if ended and all(step["status"] == "passed" for step in ended.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
