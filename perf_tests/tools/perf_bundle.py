"""The bundle that scripts/perf writes: all results of one machine in one JSON file.

    {"bundle": 1, "machine": {...}, "context": {...}, "steps": [{"name", "program", "arguments", "status", "seconds"}],
     "results": [row, ...]}

A row is as its program wrote it, with "program" and with "passes": the seconds of each time that it was measured, of
which "seconds" is the median.
"""
import json
import statistics

import perf_results as results

FORMAT = 1
# Those whose results are committed, by names that begin with theirs.
PROGRAMS = ("spmv", "cg_ranks", "cg", "halo", "hpgmg_ranks", "hpgmg", "streaming", "tpetra")
# What a row is of, besides case, block size, library and kernel: what was asked for, not what came of it.
ASKED = {"spmv": ("type", "layout", "mode", "num_vectors", "vectors"), "cg": ("preconditioner",), "cg_ranks": ("ranks",),
         "halo": ("ranks",), "hpgmg": ("host_threshold",), "hpgmg_ranks": ("ranks", "host_threshold"),
         "streaming": ("num_products", "num_vectors", "hide", "cached", "num_readers")}
USUAL = results.USUAL | {"num_vectors": 1, "preconditioner": "none"}
SHARED = ("case", "block_size", "library", "kernel")


def program_of(name):
    """The program that wrote a file of this name: the start of it, as files are named; None where it is no program's."""
    return next((program for program in PROGRAMS if name == program or name.startswith(program + "_")), None)


def key_of(row):
    """What a row is of. Rows of two machines with the same key are of the same thing, though not of the same size."""
    program = row["program"]
    asked = [(name, row.get(name, USUAL.get(name))) for name in ASKED.get(program, ("num_vectors", "ranks"))]
    if "taper" in row:  # the experiment of the paper; elsewhere subdivisions are planned
        asked.append(("num_subdivisions", row.get("num_subdivisions")))
    # Another library's product names no layout; of a halo the limit is among them.
    return (program, *(row.get(name) for name in SHARED), *((name, value) for name, value in asked if value is not None))


def is_same_size(row, other):
    return abs(row.get("bytes", 0) - other.get("bytes", 0)) <= 0.01 * row.get("bytes", 0)


def read_results(path, program):
    """The rows of a result file that a performance test wrote; its context; and what is wrong with rows that are left
    out. No rows where it is no such file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        every, context = content["results"], content.get("context") or {}
    except (OSError, ValueError, KeyError, TypeError):
        return [], {}, []
    rows, faults = [], []
    for index, row in enumerate(every if program else []):
        try:
            results.check(path.name, index, row)
            if results.is_timed(row):
                rows.append(row | {"program": program})
            else:
                faults.append(f"{path.name}: {row['library']} {row['kernel']}, {row['case']}: {row['why_no_time']}")
        except results.Problem as problem:
            faults.append(str(problem))
    return rows, context, faults


def fastest_by_key(rows):
    """Of a sweep, and of turns, the fastest."""
    found = {}
    for row in rows:
        key = key_of(row)
        if key not in found or row["seconds"] < found[key]["seconds"]:
            found[key] = row
    return found


def add_pass(bundle_rows, rows):
    """Adds what one more run of a step has measured to {key: row}."""
    for key, row in fastest_by_key(rows).items():
        if key in bundle_rows and is_same_size(bundle_rows[key], row):
            passes = [*bundle_rows[key]["passes"], row["seconds"]]
        else:
            passes = [row["seconds"]]
        best = row if row["seconds"] <= min(passes) else bundle_rows[key]
        bundle_rows[key] = best | {"passes": passes, "seconds": statistics.median(passes)}
        if best.get("bytes"):
            bundle_rows[key]["gb_s"] = best["bytes"] / bundle_rows[key]["seconds"] / 1e9
            bundle_rows[key]["fraction"] = bundle_rows[key]["gb_s"] / best["limit_gb_s"]


def read_bundle(name):
    try:
        with open(name, encoding="utf-8") as file:
            bundle = json.load(file)
    except OSError as error:
        raise results.Problem(f"cannot read {name}", error.strerror or str(error), "pass a bundle of scripts/perf")
    except ValueError as error:
        raise results.Problem(f"{name} is not JSON", str(error), "pass a bundle of scripts/perf")
    if not isinstance(bundle, dict) or bundle.get("bundle") != FORMAT:
        raise results.Problem(f"{name} is no bundle of format {FORMAT}", "it has no \"bundle\": 1",
                              "pass what scripts/perf wrote, performance.json")
    for index, row in enumerate(bundle["results"]):
        results.check(name, index, row)
        passes = row.get("passes")
        if not isinstance(row.get("program"), str) or not isinstance(passes, list) or not passes:
            raise results.Problem(f"{name}: result {index} names no program or no passes", "scripts/perf writes both",
                                  "write the file anew")
    return bundle


def committed(folder, is_gpu):
    """The committed results of other machines of this kind: {folder's name: {key: row}}; what names each, its device."""
    cards, devices = {}, {}
    for card in sorted(path for path in folder.iterdir() if path.is_dir()):
        rows = []
        for path in sorted(card.glob("*.json")):
            found, context, _ = read_results(path, program_of(path.stem))
            if found and (context.get("execution_space") in ("Cuda", "HIP", "SYCL")) == is_gpu:
                rows += found
                devices.setdefault(card.name, context.get("device", card.name))
        if rows:
            cards[card.name] = fastest_by_key(rows)
    return cards, devices
