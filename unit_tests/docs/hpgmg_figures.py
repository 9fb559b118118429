"""Tables of HPGMG's results, and where docs/ must have them: those that perf_tests/tools/hpgmg_table.py prints word for
word, and the columns of those that were written by hand, which hold more than the files do."""
import json
import sys

RESULTS = "perf_tests/results"
RESULTS_PAGE = "docs/results.md"
# (page, kind of table, files, --how)
PRINTED = [
    ("docs/multigrid.md", "boxes", ["2core/hpgmg.json"], None),
    (RESULTS_PAGE, "boxes", ["h100/hpgmg_boxes.json"], None),
    (RESULTS_PAGE, "exchange", ["h100/hpgmg_ranks.json"], None),
    (RESULTS_PAGE, "hidden", ["h100/hpgmg_hidden.json"], None),
    (RESULTS_PAGE, "thresholds", ["h100/hpgmg_ranks_thresholds.json"], None),
    (RESULTS_PAGE, "thresholds", ["h100/hpgmg.json"], None),
    (RESULTS_PAGE, "rates", ["h200/hpgmg_switches.json", "h200/hpgmg_ranks_2.json", "h200/hpgmg_ranks_4.json"],
     ["default", "kernel"]),
    (RESULTS_PAGE, "boxes", ["h200/hpgmg_boxes.json"], None),
    (RESULTS_PAGE, "exchange", ["h200/hpgmg_ranks_2.json", "h200/hpgmg_ranks_4.json"], None),
    (RESULTS_PAGE, "hidden", ["h200/hpgmg_hidden_2.json"], None),
    (RESULTS_PAGE, "hidden", ["h200/hpgmg_hidden_4.json"], None),
    (RESULTS_PAGE, "levels", ["h200/hpgmg_min_cells_2.json"], None),
    (RESULTS_PAGE, "thresholds", ["h200/hpgmg_thresholds_2.json"], None),
    (RESULTS_PAGE, "weak", [f"h200/hpgmg_weak_{ranks}.json" for ranks in (1, 2, 4)], None),
]
# file -> {column of the first table below its link: (switches, sweeps)}
BY_SWITCHES = {
    "h200/hpgmg_switches.json": {1: ("default", "automatic"), 3: ("plain", "automatic")},
    "h100/hpgmg_switches.json": {1: ("default", "automatic"), 2: ("graphs", "automatic")},
}
FORMS = {2: ["two half sweeps, cells", "two half sweeps, planes"], 3: ["residual, cells", "residual, planes"],
         1: ["ghost cells"]}


class Choices:
    def __init__(self, how):
        self.how = how


def printed(source):
    """[(page, what, the lines that it must have)]"""
    sys.path.insert(0, str(source / "perf_tests/tools"))
    import hpgmg_table
    found = []
    for page, kind, files, how in PRINTED:
        lines = hpgmg_table.table_of(kind, [str(source / RESULTS / name) for name in files], Choices(how))
        found.append((page, f"{kind} of {', '.join(files)}", "\n".join(lines) + "\n"))
    return found


def table_below(page, name):
    """The cells of the first table below the first link to the file, {first cell: all}."""
    below = page[page.index(f"({'../' + RESULTS}/{name})"):].splitlines()
    first = next(n for n, line in enumerate(below) if line.startswith("| "))
    rows = {}
    for line in below[first + 2:]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows[cells[0]] = cells
    return rows


def is_rounded(text, value):
    """Whether a number of the page is this one, to its last digit."""
    digits = len(text.partition(".")[2])
    return abs(float(text) - value) <= 0.5 * 10.0 ** -digits + 1e-9


def results_of(source, name):
    return json.loads((source / RESULTS / name).read_text())["results"]


def by_hand(source, page):
    """[(what, a cell's text, the numbers that it must be)]"""
    found = []
    for name, columns in BY_SWITCHES.items():
        table = table_below(page, name)
        for row in results_of(source, name):
            for column, wanted in columns.items():
                if (row["switches"], row.get("sweeps", "automatic")) == wanted and row["num_boxes"] == 1:
                    size = f"{row['cells_per_dim']}^3"
                    found.append((f"{name}: {size}, {wanted[0]}", table.get(size, [""] * 9)[column],
                                  [1e3 * row["seconds"]]))
    for name in ("h100/hpgmg_forms.json", "h200/hpgmg_forms.json"):
        table = table_below(page, name)
        of = {(row["cells_per_dim"], row["kernel"]): 1e6 * row["seconds"] for row in results_of(source, name)
              if row["num_boxes"] == 1}
        for cells in sorted({cells for cells, _ in of}):
            for column, kernels in FORMS.items():
                found.append((f"{name}: {cells}^3, {kernels[0]}", table.get(f"{cells}^3", [""] * 9)[column],
                              [of[cells, kernel] for kernel in kernels]))
    return found


def missing(source):
    """What is wrong, a line each; what is compared is printed."""
    wrong, pages = [], {page: (source / page).read_text() for page in {page for page, *_ in PRINTED}}
    for page, what, table in printed(source):
        print(f"{page}: {what}")
        if table not in pages[page]:
            wrong.append(f"{page} does not have the table of {what} as perf_tests/tools/hpgmg_table.py prints it")
    for what, text, values in by_hand(source, pages[RESULTS_PAGE]):
        print(f"{what}: {text}")
        numbers = text.split(", ")
        try:
            is_right = len(numbers) == len(values) and all(map(is_rounded, numbers, values))
        except ValueError:
            is_right = False
        if not is_right:
            wrong.append(f"{RESULTS_PAGE}: '{text}' is not {', '.join(f'{value:.4g}' for value in values)} ({what})")
    return wrong
