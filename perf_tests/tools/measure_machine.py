#!/usr/bin/env python3
"""Runs all performance tests at sizes fit for this machine, within a time, and writes what they measured as one bundle,
performance.json, and as a page, report.html. What fails, or has no time left, is named, and the rest goes on.

    measure_machine.py BUILD_DIR --out FOLDER [--quick] [--minutes N] [--passes N] [--commit NAME] [--only STEP,...]

All steps are run once, then again while there is time: what passes differ by is the noise. Exit code: 0 where each step
passed once, 1 where one did not, 2 for bad arguments.
"""
import argparse
import json
import pathlib
import shutil
import sys
import time

import machine_steps
import perf_bundle
import perf_report
from perf_steps import run

COMMITTED = pathlib.Path(__file__).resolve().parent.parent / "results"


class Measurement:
    """What the steps have given so far."""

    def __init__(self, build, out, launcher, deadline):
        self.build, self.out, self.launcher, self.deadline = build, out, launcher, deadline
        self.ended, self.rows, self.context, self.left_out = {}, {}, {}, []

    def run(self, step, is_first):
        left = self.deadline - time.monotonic()
        entry = self.ended.get(step.name)
        if is_first:
            entry = self.ended[step.name] = {"name": step.name, "program": step.program, "ranks": step.ranks,
                                             "arguments": list(step.arguments), "status": "no time left", "passes": 0}
        elif entry["status"] != "passed" or 1.2 * entry["seconds"] > left:
            return
        if left <= 1:
            return
        step.limit = min(step.limit, left)
        result = self.out / f"{step.name}.json"
        result.unlink(missing_ok=True)
        started = time.monotonic()
        status = run(step, self.build, self.out, self.launcher)
        if is_first:
            entry |= {"status": status, "seconds": round(time.monotonic() - started, 1)}
        if status == "passed":
            entry["passes"] += 1
        elif is_first and status != "absent":
            entry["log_end"] = "\n".join((self.out / f"{step.name}.log").read_text(errors="replace").splitlines()[-12:])
        # A program that fails may have written what it measured before.
        self.take(result, step.program.removeprefix("perf_tests/perf_"), is_first)

    def take(self, path, program, is_first):
        rows, context, faults = perf_bundle.read_results(path, program)
        if is_first:
            self.left_out += faults
            self.left_out += [f"{path.stem}: " + ", ".join(f"{value}" for value in each.values())
                              for each in context.pop("left_out", [])]
        self.context = self.context or context
        perf_bundle.add_pass(self.rows, rows)


def bundle_of(measurement, machine):
    return {"bundle": perf_bundle.FORMAT, "machine": machine, "context": measurement.context,
            "steps": list(measurement.ended.values()), "left_out": measurement.left_out,
            "results": list(measurement.rows.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD_DIR")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--quick", action="store_true", help="small sizes: 2.5 minutes at most, not 7")
    parser.add_argument("--minutes", type=float, help="the most that all steps may take")
    parser.add_argument("--passes", type=int, default=3, help="the most times that a step is run (default: 3)")
    parser.add_argument("--commit", default="unknown", help="recorded in the context")
    parser.add_argument("--only", help="steps, by how their names begin, separated by commas")
    options = parser.parse_args()
    minutes = options.minutes if options.minutes is not None else (2.5 if options.quick else 7)
    if minutes <= 0 or options.passes < 1:
        parser.error("--minutes and --passes: above 0")
    try:
        built_with = json.loads((options.build / "perf_tests/built_with.json").read_text())
    except (OSError, ValueError) as error:
        parser.error(f"{options.build}: no build with performance tests ({error}); "
                     "name a build folder that was configured with ASHLAR_ENABLE_PERF_TESTS=ON")
    options.out.mkdir(parents=True, exist_ok=True)

    machine = machine_steps.machine_of(built_with)
    steps = machine_steps.steps_of(machine, built_with, options.quick, options.commit)
    skipped = {program.removeprefix("perf_"): why for program, why in built_with["skipped"].items()}
    if options.only:
        wanted = tuple(options.only.split(","))
        steps = [step for step in steps if step.name.startswith(wanted)]
        skipped = {name: why for name, why in skipped.items() if name.startswith(wanted)}
    if not steps:
        parser.error(f"--only {options.only}: no step begins so" + "".join(f"; {name}: {why}" for name, why in skipped.items()))
    launcher = [shutil.which(built_with["mpiexec"]) or "mpiexec"] + machine_steps.launcher_flags(built_with["mpiexec"])
    measurement = Measurement(options.build.resolve(), options.out.resolve(), launcher,
                              time.monotonic() + 60 * minutes)
    told = {"is_gpu": machine.is_gpu, "cores": machine.cores, "ranks": machine.ranks, "is_quick": options.quick,
            "built_with": built_with}
    cards, devices = perf_bundle.committed(COMMITTED, machine.is_gpu)
    for name, why in skipped.items():
        measurement.left_out.append(f"{name}: {why}")
        print(f"{name:16} skipped: {why}", flush=True)
    for turn in range(options.passes):
        for step in steps:
            measurement.run(step, is_first=turn == 0)
            if turn == 0:
                ended = measurement.ended[step.name]
                print(f"{step.name:16} {ended['status']:10} {ended.get('seconds', 0):5.1f} s", flush=True)
            # Written each time: what is there is kept, whatever ends this.
            bundle = bundle_of(measurement, told)
            (options.out / "performance.json").write_text(json.dumps(bundle, indent=1) + "\n")
        perf_report.write(bundle, cards, devices, options.out / "report.html")
    bad = [step["name"] for step in bundle["steps"] if step["status"] != "passed"]
    print(f"{len(steps)} steps, {len(steps) - len(bad)} passed" + (f"; not: {', '.join(bad)}" if bad else ""))
    print(options.out / "report.html", options.out / "performance.json", sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
