#!/usr/bin/env python3
"""Each figure of the pages is that of the committed results.

- docs/results.md has the tables of results_tables.py, each between `<!-- table NAME -->` and `<!-- end -->`.
- A line of README.md or docs/results.md that links a result file has the figures computed from it below.

check_figures.py SOURCE_DIR            compare; exit 1 and name each figure that is missing
check_figures.py --write SOURCE_DIR    put the tables into docs/results.md first
"""
import math
import pathlib
import re
import statistics
import sys

from results_tables import (AMG_CASES, NVIDIA_HPGMG_MS, RESULTS, TABLES, Results, microseconds, milliseconds, number,
                            span, text_of, times)

PAGE = "docs/results.md"
TABLE = re.compile(r"(<!-- table (?P<name>\w+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)


def grid(results, name):
    pairs = [results.ours_and_best_peer(name, block_size=size) for size in range(1, 33)]
    return [f"{span([ours['fraction'] for ours, _ in pairs])} of the read bandwidth",
            span([peer["seconds"] / ours["seconds"] for ours, peer in pairs])]


def three_by_three(results):
    ours, peer = results.ours_and_best_peer("h200/spmv_grid", block_size=3)
    return [f"{ours['limit_gb_s']:.0f} GB/s", f"{microseconds(ours)} us", f"{microseconds(peer)} us"]


def eight_vectors(results, size):
    one, eight = (results.ours_and_best_peer("h200/spmv_multivector", block_size=size, num_vectors=k) for k in (1, 8))
    return times(eight[0]["seconds"], one[0]["seconds"]), times(eight[1]["seconds"], eight[0]["seconds"])


def power_law(results):
    ours, peer = results.ours_and_best_peer("h200/spmv_suites", case="power law", block_size=1)
    return [f"{1e6 * ours['seconds']:.0f} us", times(peer["seconds"], ours["seconds"])]


def one_device(results):
    figures = []
    for case, form in (("grid27:80", "automatic"), ("grid27x3:68", "automatic"), ("grid27x3:68", "gmres")):
        ours = results.row("h200/cg_gmres", case=case, kernel=form)
        peer = min(row["us"] for row in results.rows("h200/cg_gmres", case=case)
                   if row["library"] != "ashlar" and row["kernel"].startswith("GMRES") == (form == "gmres"))
        figures += [f"{number(ours['us'])} us", times(peer, ours["us"])]
    return figures


def small_system(results):
    found = results.rows("h200/cg", case="stencil11:22")
    ours, = [row["us"] for row in found if row["kernel"] == "automatic"]
    return [f"{number(ours)} us", times(min(row["us"] for row in found if row["library"] != "ashlar"), ours)]


def several_devices(results, ranks, case):
    us = {library: min(row["us"] for row in results.rows(f"h200/cg_ranks_{ranks}_peers", case=case, library=library))
          for library in ("ashlar", "nccl", "in_kernel")}
    return [f"{number(us['ashlar'])} us", times(us["nccl"], us["ashlar"]), times(us["in_kernel"], us["ashlar"])]


def amg(results, case, kernel="amg"):
    """Seconds of ours, the ratio of block-Jacobi, and the share of set-up."""
    ours, plain = (results.row("h200/amg", case=case, kernel=name) for name in (kernel, "block_jacobi"))
    return (f"{ours['seconds']:.3f} s", times(plain["seconds"], ours["seconds"]),
            f"{100 * ours['seconds_set_up'] / ours['seconds']:.0f} %")


def amg_on_a_core(results):
    cube = next(row for row in TABLES["amg_peers"](results) if row[0] == "48^3")
    gamg = results.row("2core/amg_peers", case="48", kernel="gamg, modes")["seconds"]
    ours = results.row("2core/amg_peers", case="48", library="ashlar", kernel="amg")["seconds"]
    return [f"{cube[1].split()[0]} s", cube[5], cube[7], times(gamg, ours)]


def streamed(results, kernel):
    sent, ours = (results.row("h200/streaming_limit", kernel=name, num_vectors=1) for name in
                  ("no share of the host", kernel))
    return f"{milliseconds(ours)} ms", sent["seconds"] / ours["seconds"]


def over_floor(results):
    gmres, cg = (results.row("h200/cg_gmres", case="grid27:80", kernel=form) for form in ("gmres", "one_by_one"))
    return [times(row["us"], row["floor_us"]) for row in (gmres, cg)]


def beside_petsc(results):
    ratios = []
    for case in AMG_CASES:
        ours, petsc = (results.row("2core/amg_peers", case=case, library=library, kernel="block_jacobi")["seconds"]
                       for library in ("ashlar", "petsc"))
        ratios.append(petsc / ours)
    return [f"{min(ratios):.2f} to {max(ratios):.2f}"]


def single_entries(results, name):
    ours, peer = results.ours_and_best_peer(name, block_size=1)
    return [times(peer["seconds"], ours["seconds"])]


def slow_matrices(results):
    ours = [results.ours_and_best_peer("h200/spmv_suites", case=case, block_size=size) for case, size in
            (("power law", 1), ("power law", 3), ("small, 100 block rows", 3))]
    fractions = [f"{row['fraction']:.2f}" for row, _ in ours]
    return [f"{fractions[0]}, {fractions[1]}", times(ours[2][1]["seconds"], ours[2][0]["seconds"])]


def types(results):
    return [", ".join(f"{results.row('h200/spmv_types', type='mixed', block_size=size)['fraction']:.2f}"
                      for size in (1, 2))]


def by_rows(results):
    ours = results.row("h200/spmv_row_major", block_size=5)["fraction"]
    return [times(ours, results.row("h200/spmv_grid", library="ashlar", block_size=5)["fraction"])]


def idle(results):
    row = results.row("h200/cg_ranks_with_host", case="stencil11:128", kernel="1d packed, refined 3")
    return [f"{100 * row['idle_us'][0] / row['us']:.0f} %"]


def h100(results):
    found = results.rows("h100/cg", case="grid27x3:68")
    ours, = [row["us"] for row in found if row["kernel"] == "automatic"]
    return [times(min(row["us"] for row in found if row["library"] != "ashlar"), ours)]


def hpgmg(results):
    found = {cells: results.row("h200/hpgmg_switches", cells_per_dim=cells, num_boxes=1, switches="default")
             for cells in (128, 256)}
    return [", ".join(f"{NVIDIA_HPGMG_MS[cells] * 1e-3 / row['seconds']:.1f}" for cells, row in found.items())]


def weak_scaling(results):
    rate = {ranks: results.row(f"h200/hpgmg_weak_{ranks}", exchange="kernel")["unknowns_per_second"] / ranks
            for ranks in (1, 2, 4)}
    return [f"{rate[2] / rate[1]:.2f}, {rate[4] / rate[1]:.2f}"]


def hidden(results):
    return [", ".join(f"{results.row('h200/hpgmg_hidden_2', box_dim=cells, exchange='blocking')['hidden']:.2f}"
                      for cells in (64, 128))]


def later_build(results):
    """Times of a later build over the times in the tables, where it measured the same; and one slower row."""
    later = "h200/before_and_after_2"
    alike, exchanges, blocking = [], [], []

    def compare(ratios, name, wanted, **in_later):
        ratios.append(results.row(later, **in_later)["seconds"] / results.row(name, **wanted)["seconds"])

    for case in ("grid27:80", "grid27x3:68"):
        compare(alike, "h200/cg_gmres", {"case": case, "kernel": "automatic"}, case=case, kernel="persistent")
    for case in ("grid27x1:80", "stencil11:128", "stencil11:256", "grid27x3:68"):
        compare(alike, "h200/cg_ranks_2", {"case": case}, case=case, kernel="1d packed")
    for cells in (32, 64, 128, 256):
        compare(alike, "h200/hpgmg_switches", {"cells_per_dim": cells, "num_boxes": 1, "switches": "default"},
                case=f"fv4 {cells}^3", num_boxes=1)
        for mode, ratios in (("stream", alike), ("kernel", alike), ("blocking", blocking)):
            compare(ratios, "h200/hpgmg_ranks_2", {"box_dim": cells // 2, "exchange": mode},
                    case=f"fv4, boxes of {cells // 2}^3", exchange=mode)
    for size, name in ((8, "8 B"), (65536, "64 KiB")):
        for kernel in ("blocking", "stream", "kernel, packed", "kernel, packed, at once, replayed"):
            compare(exchanges, "h200/halo", {"bytes": size, "kernel": kernel}, case=f"{name} to 1 neighbour",
                    kernel=kernel)
    slower = results.row(later, case="grid27x3:22")
    return [f"within {math.ceil(100 * max(abs(ratio - 1) for ratio in alike))} %",
            *(f"{100 * min(ratios) - 100:.0f}–{100 * max(ratios) - 100:.0f} %" for ratios in (exchanges, blocking)),
            f"{number(1e6 * slower['seconds'])} us", f"{1e6 * statistics.median(slower['seconds_before']):.1f} us"]


def readme(results):
    half = streamed(results, "half of it: A = T + T^T")
    cube = amg(results, "129")
    vectors = eight_vectors(results, 3)
    return {"h200/spmv_grid": grid(results, "h200/spmv_grid"),
            "h200_host/spmv_grid": grid(results, "h200_host/spmv_grid"),
            "h200/spmv_multivector": [f"{vectors[0]} times", vectors[1]],
            "h200/spmv_suites": power_law(results), "h200/cg_gmres": one_device(results),
            "h200/cg": small_system(results), "h200/cg_ranks_2_peers": several_devices(results, 2, "stencil11:128"),
            "h200/cg_ranks_4_peers": several_devices(results, 4, "stencil11:46"),
            "2core/amg_peers": amg_on_a_core(results), "h200/amg": list(cube[:2]),
            "h200/streaming_limit": [half[0], f"{half[1]:.2f}"]}


def goals(results):
    beam, in_float = (amg(results, "321x33x33", kernel) for kernel in ("amg", "amg_single"))
    boxes = results.row("h200/hpgmg_boxes", num_boxes=8, switches="default")
    return {"h200/spmv_grid": three_by_three(results), "h200/cg_gmres": over_floor(results),
            "h200/amg": [beam[1], *in_float[1:]],
            "2core/amg_peers": beside_petsc(results),
            "h200_host/spmv_grid": single_entries(results, "h200_host/spmv_grid"),
            "2core/spmv_grid_xeon": single_entries(results, "2core/spmv_grid_xeon"),
            "h200/spmv_multivector": [", ".join(eight_vectors(results, size)[0] for size in (3, 5))],
            "h200/spmv_suites": slow_matrices(results), "h200/spmv_types": types(results),
            "h200/spmv_row_major": by_rows(results),
            "h200/streaming_limit": [f"{streamed(results, 'planned')[1]:.1f}"],
            "h200/cg_ranks_with_host": idle(results), "h200/before_and_after_2": later_build(results),
            "h100/cg": h100(results), "h200/hpgmg_switches": hpgmg(results),
            "h200/hpgmg_weak_2": weak_scaling(results), "h200/hpgmg_hidden_2": hidden(results),
            "h200/hpgmg_boxes": [f"{milliseconds(boxes)} ms"]}


def missing_figures(source, page, figures):
    text = (source / page).read_text().splitlines()
    for name, wanted in figures.items():
        lines = " ".join(line for line in text if f"{RESULTS}/{name}.json)" in line)
        for figure in wanted:
            print(f"{page}: {name}: {figure}")
            if not re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", lines):
                yield f"{page}: '{figure}' is not in a line that links {RESULTS}/{name}.json"


def missing_tables(source, text):
    found = {match["name"]: match["body"] for match in TABLE.finditer(text)}
    for name in TABLES:
        print(f"{PAGE}: table {name}")
        if found.pop(name, None) != text_of(name, source):
            yield f"{PAGE} does not have the table '{name}' of the committed results; run this with --write"
    for name in found:
        yield f"{PAGE}: results_tables.py has no table '{name}'"


def main(arguments):
    write = arguments[:1] == ["--write"]
    source = pathlib.Path(arguments[-1])
    text = (source / PAGE).read_text()
    if write:
        text = TABLE.sub(lambda match: match[1] + text_of(match["name"], source) + match[4], text)
        (source / PAGE).write_text(text)
    results = Results(source)
    wrong = [*missing_tables(source, text), *missing_figures(source, "README.md", readme(results)),
             *missing_figures(source, PAGE, goals(results))]
    print(*wrong, f"{len(wrong)} figures are missing", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
