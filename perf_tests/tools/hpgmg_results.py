"""What the tools for result files of perf_hpgmg and perf_hpgmg_ranks share: reading, and how rows are told apart."""
import math

import perf_results as results

NUMBERS = ("cells_per_dim", "num_boxes")
MODES = ("blocking", "stream", "kernel", "auto")


def check(row):
    """What both programs write besides what all performance tests do."""
    for key in NUMBERS:
        if type(row.get(key)) is not int or row[key] < 1:
            raise results.Problem(f"{row['case']}, {row['library']} {row['kernel']} has no '{key}'",
                                  "it is no result of perf_hpgmg or perf_hpgmg_ranks",
                                  "pass files that one of these wrote with --json")


def read(names):
    """All results of the files, each with the device that it was measured on, and one context a file."""
    rows, contexts = [], []
    for name in names:
        of_file, of_context = results.read([name])
        for row in of_file:
            check(row)
            row.setdefault("box_dim", row["cells_per_dim"] // round(row["num_boxes"] ** (1 / 3)))
            row.setdefault("ranks", 1)
            row["device"] = str(of_context[0].get("device", ""))
        rows += of_file
        contexts += of_context
    return rows, contexts


def cycles(rows):
    """Of cycles, not of what a residual hides."""
    return [row for row in rows if "hidden" not in row]


def how(row):
    """The mode of exchange, or which switches were on."""
    return row.get("exchange") or row.get("switches", "default")


def sweeps(row):
    return row.get("sweeps", "automatic")


def threshold(row):
    return row.get("host_threshold", 0)


def cube(cells):
    return f"{cells}^3"


def count(number, noun):
    """"1 box", "8 boxes"."""
    return f"{number} {noun}" + ("" if number == 1 else "es" if noun.endswith("x") else "s")


def three(number):
    """Three digits, or all before the point."""
    return f"{number:.{max(0, 2 - math.floor(math.log10(abs(number))))}f}" if number else "0"


def gain(seconds, of):
    """By how many percent less than `of`."""
    return round(100 * (1 - seconds / of))


PARTS = {"device": lambda row: row["device"], "ranks": lambda row: count(row["ranks"], "rank"),
         "operator": lambda row: row.get("operator", ""), "boxes": lambda row: count(row["num_boxes"], "box"),
         "how": how, "sweeps": lambda row: "" if sweeps(row) == "automatic" else f"sweeps by {sweeps(row)}"}


def series(rows, parts):
    """Rows in groups that differ in these parts, named by those that are not the same in all: {name: rows}."""
    parts = [part for part in parts if len({PARTS[part](row) for row in rows}) > 1] or [parts[-1]]
    groups = {}
    for row in rows:
        groups.setdefault(", ".join(filter(None, (PARTS[part](row) for part in parts))), []).append(row)
    return groups


def by_mode(rows):
    """{mode: rows}, in the order of MODES."""
    there = results.distinct(how(row) for row in rows)
    return {mode: [row for row in rows if how(row) == mode]
            for mode in [m for m in MODES if m in there] + [m for m in there if m not in MODES]}


def wanted(rows, problem, why, suggestion):
    if not rows:
        raise results.Problem(problem, why, suggestion)
    return rows


def of_one_operator(rows):
    """The rows, which a table shows side by side without a word on the operator."""
    there = results.distinct(row.get("operator", "") for row in rows)
    if len(there) > 1:
        raise results.Problem("several operators", ", ".join(there), "pass files of one")
    return rows


def exchanges(rows):
    """Cycles in several modes of exchange, all levels on the device, in groups of a device, an operator and a number of
    ranks."""
    rows = [row for row in cycles(rows) if "exchange" in row and threshold(row) == 0]
    wanted(rows, "no cycles by mode of exchange", "perf_hpgmg_ranks writes them",
           "measure by mpirun -n 2 perf_hpgmg_ranks --exchange blocking,stream,kernel")
    return series(rows, ("device", "operator", "ranks"))


def thresholds(rows):
    """[(name, {threshold: row})] of what was measured with several thresholds, with none and with others."""
    found, operators = {}, {row.get("operator", "") for row in cycles(rows)}
    for row in cycles(rows):
        name = f"{row.get('operator', '')}, " if len(operators) > 1 else ""
        name += f"{cube(row['cells_per_dim'])} in {count(row['num_boxes'], 'box')}"
        if "exchange" in row:
            name += f", {count(row['ranks'], 'rank')}, {row['exchange']}"
        found.setdefault((row["device"], row.get("operator"), how(row), name), {})[threshold(row)] = row
    found = [(key[-1], rows) for key, rows in found.items() if len(rows) > 1 and 0 in rows]
    return wanted(found, "no cycles with several thresholds",
                  "levels of fewer cells a rank than the threshold run on the host",
                  "measure by perf_hpgmg or perf_hpgmg_ranks --host-thresholds 0,1000,10000")


def cuts(rows):
    """{name: rows}: the same cells in other boxes."""
    rows = [row for row in cycles(rows) if threshold(row) == 0]
    if len({row["cells_per_dim"] for row in rows}) > 1:
        raise results.Problem("several grids", ", ".join(sorted({cube(row["cells_per_dim"]) for row in rows})),
                              "choose one by --cells")
    if len({row["num_boxes"] for row in rows}) < 2:
        raise results.Problem("one number of boxes only", "what is shown is over them",
                              "measure by perf_hpgmg --boxes 1,8,64,512,4096")
    return series(rows, ("device", "operator", "sweeps", "how"))


def rates(rows):
    """{name: rows}: the same number of boxes on the same ranks, by size of the grid."""
    rows = [row for row in cycles(rows) if threshold(row) == 0]
    if len({row["cells_per_dim"] for row in rows}) < 2:
        raise results.Problem("one grid only", "what is shown is by size of the grid",
                              "measure by perf_hpgmg --cells 32,64,128,256")
    return series(rows, ("device", "ranks", "operator", "boxes", "sweeps", "how"))


def chosen(rows, arguments):
    """Those that the options --how and --cells leave."""
    for option, value in (("how", how), ("cells", lambda row: row["cells_per_dim"])):
        asked = getattr(arguments, option, None)
        if asked:
            there = results.distinct(map(value, rows))
            rows = [row for row in rows if value(row) in asked]
            wanted(rows, f"nothing by --{option} {','.join(map(str, asked))}",
                   "the files have: " + ", ".join(map(str, there)), "choose among these")
    return rows


def add_choices(parser):
    parser.add_argument("--how", type=lambda text: text.split(","), metavar="NAME,...",
                        help="only these modes of exchange, or switches")
    parser.add_argument("--cells", type=lambda text: [int(number) for number in text.split(",")], metavar="N,...",
                        help="only grids of so many cells in each direction")
