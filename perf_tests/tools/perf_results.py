"""What the tools for the result files of the performance tests share: reading, grouping, who is fastest, saying what is wrong."""
import collections
import json
import sys

# What is measured. `set` names what is unusual about it: "double" for columns of doubles and A x, else say "float",
# "row_major", "mixed, transpose". A peer's product, which names no layout, is beside ours of the usual one.
Case = collections.namedtuple("Case", "name block_size set num_vectors")

USUAL = {"type": "double", "layout": "column_major", "mode": "no_transpose"}
TEXT = ("case", "library", "kernel")
MEASURED = ("seconds", "gb_s", "fraction", "limit_gb_s")
ASHLAR = "ashlar"


class Problem(Exception):
    """What a user can mend. Reads "problem (why) suggestion"."""

    def __init__(self, problem, why, suggestion):
        super().__init__(f"{problem} ({why}) {suggestion}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_timed(row):
    """Whether a row has a time. One that was found right, and whose time is not known, has none and says why."""
    return not isinstance(row.get("why_no_time"), str)


def check(name, index, row, measured=MEASURED):
    """One row of the results has all that the tools use; `measured` names the numbers."""
    where = f"{name}: result {index}"
    if not isinstance(row, dict):
        raise Problem(where + " is no object", "a result is a row with named columns", "write it by a performance test with --json")
    for keys, kind, fits in ((TEXT, "text", lambda value: isinstance(value, str)),
                             (("verified",), "true or false", lambda value: isinstance(value, bool)),
                             (("block_size",), "a whole number above 0", lambda v: type(v) is int and v > 0)):
        for key in keys:
            if not fits(row.get(key)):
                raise Problem(f"{where}: '{key}' is {row[key]!r}" if key in row else f"{where} has no '{key}'",
                              f"it is to be {kind}", "write the file anew with --json")
    if not row["verified"]:
        raise Problem(f"{where} is wrong: {row['library']} {row['kernel']}, {row['case']}, b = {row['block_size']}",
                      "the performance test found it not to be what it should be", "mend it before it is shown")
    for key in measured if is_timed(row) else ("limit_gb_s",):
        if not is_number(row.get(key)) or not row[key] > 0:
            raise Problem(f"{where}: '{key}' is {row[key]!r}" if key in row else f"{where} has no '{key}'",
                          "it is to be a number above 0", "write the file anew with --json")
    vectors = row.get("num_vectors", 1)
    if type(vectors) is not int or vectors < 1:
        raise Problem(f"{where}: 'num_vectors' is {vectors!r}", "it is to be a whole number above 0",
                      "write the file anew with --json")


def read(names, measured=MEASURED):
    """All results of the files that have a time, in order, and where they were measured: one context a file."""
    rows, contexts = [], []
    for name in names:
        try:
            with open(name, encoding="utf-8") as file:
                content = json.load(file)
        except OSError as error:
            raise Problem(f"cannot read {name}", error.strerror or str(error), "pass a file that a performance test wrote with --json")
        except ValueError as error:
            raise Problem(f"{name} is not JSON", str(error), "pass a file that a performance test wrote with --json")
        if not isinstance(content, dict) or not isinstance(content.get("results"), list):
            raise Problem(f"{name} has no list 'results'", "performance tests write one", "pass a file that a performance test wrote with --json")
        for index, row in enumerate(content["results"]):
            check(name, index, row, measured)
        rows += filter(is_timed, content["results"])
        contexts.append(content.get("context") or {})
    if not rows:
        raise Problem(f"no results in {', '.join(map(str, names))}", "their lists are empty, or nothing in them has a time",
                      "run the performance test with cases and libraries that are there")
    return rows, contexts


def case_of(row):
    unusual = [row[key] for key in USUAL if row.get(key, USUAL[key]) != USUAL[key]]
    return Case(row["case"], row["block_size"], ", ".join(unusual) or "double", row.get("num_vectors", 1))


def set_label(name):
    """A set's name for people: "double, A^T"."""
    words = {"row_major": "blocks by rows", "transpose": "A^T", "mixed": "float, vectors of double",
             "bfloat16": "bfloat16, vectors of double"}
    parts = name.split(", ")
    if parts[0] in ("row_major", "transpose"):
        parts.insert(0, USUAL["type"])
    return ", ".join(words.get(part, part) for part in parts)


def by_case(rows):
    """The results for each Case, in the order of the files."""
    cases = {}
    for row in rows:
        cases.setdefault(case_of(row), []).append(row)
    return cases


def suite_of(row):
    """The suite that perf_spmv had the matrix from."""
    starts = {"grid": "grid", "small": "small", "power law": "irregular", "multivector": "multivector"}
    return next((suite for start, suite in starts.items() if row["case"].startswith(start)), "paper")


def fastest(rows):
    return min(rows, key=lambda row: row["seconds"], default=None)


def ours(rows):
    """Our product as the plan makes it; where only kernels by name were measured, the fastest."""
    mine = of_library(rows, ASHLAR)
    return fastest([row for row in mine if row["kernel"] == "auto"] or mine)


def best_peer(rows):
    """The fastest product of all other libraries."""
    return fastest([row for row in rows if row["library"] != ASHLAR])


def libraries(rows):
    """The libraries, ours first and the others by name."""
    return sorted({row["library"] for row in rows}, key=lambda name: (name != ASHLAR, name.lower()))


def of_library(rows, library):
    return [row for row in rows if row["library"] == library]


def best_of(rows, library):
    """A library's product that stands for it: ours as the plan makes it, a peer's fastest."""
    return ours(rows) if library == ASHLAR else fastest(of_library(rows, library))


def distinct(values):
    """Each value once, in the order of their first appearance."""
    return list(dict.fromkeys(values))


Products = collections.namedtuple("Products", "seconds of_one ratio")


def products_of_vectors(cases):
    """(case's name, set) -> block size -> k -> our time for k vectors, that over our time for one, and the best peer's
    time for k over ours. Of matrices that were multiplied by several vectors at a time; None for what was not measured.
    """
    several = {(case.name, case.set) for case in cases if case.num_vectors > 1}
    result = {}
    for case, rows in cases.items():
        mine, peer = ours(rows), best_peer(rows)
        if (case.name, case.set) not in several or mine is None:
            continue
        one = ours(cases.get(case._replace(num_vectors=1), []))
        of_size = result.setdefault((case.name, case.set), {}).setdefault(case.block_size, {})
        of_size[case.num_vectors] = Products(mine["seconds"], one and mine["seconds"] / one["seconds"],
                                             peer and peer["seconds"] / mine["seconds"])
    return result


def run(tool, main):
    """Ends the program with what main() returns; with one line and the code 2 where the user can mend what is wrong."""
    try:
        sys.exit(main())
    except Problem as problem:
        print(f"{tool}: {problem}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # Who reads has read enough. Python would fail once more when it empties its buffer at the end.
        sys.stdout = None
        sys.exit(1)
