"""The tables of docs/results.md, each made of committed result files. A table is a list of rows, the head first."""
import json

RESULTS = "perf_tests/results"
# Milliseconds of an F-cycle of HPGMG's CUDA version in 8 boxes on an H200, measured once; no result file has them.
NVIDIA_HPGMG_MS = {32: 2.8, 64: 5.5, 128: 7.5, 256: 19.0}
# Time of a CUDA prototype of ours over Ashlar's, measured once; no result file has it.
CG_PROTOTYPE = {("H200", "stencil11:22"): 0.88, ("H200", "stencil11:46"): 1.01, ("H200", "grid27:80"): 1.23,
                ("H200", "grid27x3:68"): 1.03, ("H100", "grid27x3:68"): 0.98, ("H100", "stencil11:256"): 0.91}
# The same systems have other names in other programs.
SYSTEMS = {"stencil11:22": "11-point 22^3", "stencil11:46": "11-point 46^3", "grid27:80": "27-point 80^3",
           "grid27x1:80": "27-point 80^3", "stencil11:128": "11-point 128^3", "stencil11:256": "11-point 256^3",
           "grid27x3:68": "3x3 blocks 68^3"}


class Results:
    def __init__(self, source):
        self.source = source

    def rows(self, name, **wanted):
        """The rows of a result file that have these values, and a time."""
        every = json.loads((self.source / RESULTS / f"{name}.json").read_text())["results"]
        return [row for row in every
                if row.get("seconds") and all(row.get(key) == value for key, value in wanted.items())]

    def row(self, name, **wanted):
        found, = self.rows(name, **wanted)
        return found

    def ours_and_best_peer(self, name, **wanted):
        """The fastest row of Ashlar and that of all others."""
        found = sorted(self.rows(name, **wanted), key=lambda row: row["seconds"])
        ours = next(row for row in found if row["library"] == "ashlar")
        return ours, next(row for row in found if row["library"] != "ashlar")


def number(value):
    """Three digits, without an exponent."""
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def span(values):
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low}–{high}"


def times(peer, ours):
    return f"{peer / ours:.2f}"


def microseconds(row):
    return number(1e6 * row["seconds"])


def milliseconds(row):
    return number(1e3 * row["seconds"])


def of_sizes(first, last):
    return str(first) if first == last else f"{first}–{last}"


def products(results):
    """Block size, share of the read bandwidth, that of the best peer, and the ratio of times."""
    return products_in(results, "h200/spmv_grid", ((1, 1), (2, 2), (3, 3), (4, 8), (9, 16), (17, 32)))


def products_in(results, name, groups):
    table = [["block size", "Ashlar, share", "best peer, share", "peer / ours"]]
    for first, last in groups:
        pairs = [results.ours_and_best_peer(name, block_size=size) for size in range(first, last + 1)]
        # A peer that stores the matrix as CSR moves more bytes: BCSR's are counted for both, so that times compare.
        table.append([of_sizes(first, last), span([ours["fraction"] for ours, _ in pairs]),
                      span([ours["bytes"] / peer["seconds"] * 1e-9 / ours["limit_gb_s"] for ours, peer in pairs]),
                      span([peer["seconds"] / ours["seconds"] for ours, peer in pairs])])
    return table


def vectors(results):
    table = [["block size", "time for 8 vectors / for 1", "cuSPARSE / Ashlar, 8 vectors", "32 vectors"]]
    for size in (1, 3, 6, 8, 32):
        of = {k: results.ours_and_best_peer("h200/spmv_multivector", block_size=size, num_vectors=k)
              for k in (1, 8, 32)}
        table.append([str(size), times(of[8][0]["seconds"], of[1][0]["seconds"])] +
                     [times(of[k][1]["seconds"], of[k][0]["seconds"]) for k in (8, 32)])
    return table


OTHER_MATRICES = (("audikw_1 (twin)", 3, "size of audikw_1"), ("GT01R", 5, "GT01R"),
                  ("small, 100 block rows", 3, "100 block rows"), ("power law", 1, "power law"))


def matrices(results):
    table = [["matrix", "block size", "Ashlar, us", "share", "best peer, us", "peer / ours"]]
    for case, size, name in OTHER_MATRICES:
        ours, peer = results.ours_and_best_peer("h200/spmv_suites", case=case, block_size=size)
        table.append([name, str(size), microseconds(ours), f"{ours['fraction']:.2f}", microseconds(peer),
                      times(peer["seconds"], ours["seconds"])])
    return table


def processors(results):
    table = []
    for name, machine in (("h200_host/spmv_grid", "16 cores, Xeon"), ("2core/spmv_grid_xeon", "2 cores, Xeon")):
        head, *rows = products_in(results, name, ((1, 1), (2, 8), (9, 32)))
        table += [[machine] + row for row in rows]
    return [["processor"] + head] + table


def cg(results):
    table = [["card", "system", "Ashlar, us", "over minimum traffic", "cuSPARSE, cuBLAS, us", "peer / ours",
              "our prototype / ours"]]
    for card, name, case in (("H200", "h200/cg", "stencil11:22"), ("H200", "h200/cg", "stencil11:46"),
                             ("H200", "h200/cg_gmres", "grid27:80"), ("H200", "h200/cg_gmres", "grid27x3:68"),
                             ("H100", "h100/cg", "grid27x3:68"), ("H100", "h100/cg", "stencil11:256")):
        ours = results.row(name, case=case, kernel="automatic", preconditioner="none")
        peer = min((row for row in results.rows(name, case=case) if row["library"] != "ashlar" and
                    "GMRES" not in row["kernel"]), key=lambda row: row["us"])
        table.append([card, SYSTEMS[case], number(ours["us"]), times(ours["us"], ours["floor_us"]), number(peer["us"]),
                      times(peer["us"], ours["us"]), f"{CG_PROTOTYPE[card, case]:.2f}"])
    return table


def other_solvers(results):
    table = [["solver", "system", "Ashlar, us", "over minimum traffic", "cuSPARSE, cuBLAS, us", "peer / ours"]]
    for solver, name in (("gmres", "GMRES(30)"), ("bicgstab", "BiCGStab")):
        for case in ("grid27:80", "grid27x3:68"):
            ours = results.row("h200/cg_gmres", case=case, kernel=solver)
            peers = [row["us"] for row in results.rows("h200/cg_gmres", case=case)
                     if row["kernel"].startswith("GMRES") and solver == "gmres"]
            table.append([name, SYSTEMS[case], number(ours["us"]), times(ours["us"], ours["floor_us"])] +
                         ([number(min(peers)), times(min(peers), ours["us"])] if peers else ["", ""]))
    return table


def cg_ranks(results):
    table = [["system", "1, 2, 4 GPUs: us", "efficiency on 2, 4", "cuSPARSE, NCCL / ours on 2, 4",
              "our CUDA program / ours on 2, 4"]]
    for case in ("stencil11:46", "grid27x1:80", "stencil11:128", "grid27x3:68", "stencil11:256"):
        of = {ranks: results.row(f"h200/cg_ranks_{ranks}", case=case) for ranks in (1, 2, 4)}
        us = {ranks: row["us"] for ranks, row in of.items()}
        ratios = [[min(row["us"] for row in results.rows(f"h200/cg_ranks_{ranks}_peers", case=case, library=library)) /
                   us[ranks] for ranks in (2, 4)] for library in ("nccl", "in_kernel")]
        table.append([SYSTEMS[case], ", ".join(map(number, us.values())),
                      ", ".join(f"{of[ranks]['efficiency']:.2f}" for ranks in (2, 4))] +
                     [", ".join(f"{ratio:.2f}" for ratio in of_library) for of_library in ratios])
    return table


def amg(results):
    table = [["machine", "nodes", "block-Jacobi, s", "AMG, s", "block-Jacobi / AMG"]]
    for machine, name, cases in (("H200", "h200/amg", ("65", "129", "321x33x33")),
                                 ("1 core, EPYC", "2core/amg_peers", ("33", "48", "81x21x21"))):
        for case in cases:
            of = {kernel: results.row(name, case=case, library="ashlar", kernel=kernel)
                  for kernel in ("block_jacobi", "amg")}
            nodes = case if "x" in case else f"{case}^3"
            cells = [f"{row['seconds']:.3f} ({row['iterations']})" for row in of.values()]
            table.append([machine, nodes, *cells, times(of["block_jacobi"]["seconds"], of["amg"]["seconds"])])
    return table


AMG_CASES = {"33": "33^3", "48": "48^3", "81x21x21": "81x21x21", "33:0.45": "33^3, Poisson's ratio 0.45",
             "33:0.3:1000": "33^3, stiff layer"}
WITH_MODES = ("gamg, modes", "nodes, rotations", "aggregation, modes")


def amg_peers(results):
    """Sums of set-up and solve, with iterations."""
    table = [["nodes", "Ashlar, s", "amgcl, s", "PETSc GAMG, s", "hypre, s", "best with modes / ours",
              "the same, solve only", "hypre / ours"]]
    for case, name in AMG_CASES.items():
        of_case = results.rows("2core/amg_peers", case=case)

        def best(rows, key="seconds"):
            return min(rows, key=lambda row: row[key])

        ours = best(row for row in of_case if row["library"] == "ashlar" and row["kernel"] == "amg")
        peers = [best(row for row in of_case if row["library"] == library and row["kernel"] != "block_jacobi")
                 for library in ("amgcl", "petsc", "hypre")]
        modes = [row for row in of_case if row["kernel"] in WITH_MODES]
        table.append([name] + [f"{row['seconds']:.2f} ({row['iterations']})" for row in (ours, *peers)] +
                     [times(best(modes, key)[key], ours[key]) for key in ("seconds", "seconds_solve")] +
                     [times(peers[2]["seconds"], ours["seconds"])])
    return table


STREAMED = (("no share of the host", "all that does not fit is sent"), ("planned", "the host multiplies a share"),
            ("half of it: A = T + T^T", "half of the symmetric matrix is sent"))


def streaming(results):
    table = [["method", "1 vector, ms", "8 vectors, ms"]]
    for kernel, name in STREAMED:
        table.append([name] + [milliseconds(results.row("h200/streaming_limit", kernel=kernel, num_vectors=k))
                               for k in (1, 8)])
    return table


def disk(results):
    table = [["source", "GB", "read alone, GB/s", "streamed product, GB/s", "share"]]
    for is_cached, readers in ((False, 8), (True, 16)):
        row = results.row("h200/streaming_file", hide=True, cached=is_cached, num_readers=readers)
        table.append(["page cache" if is_cached else "disk", f"{row['bytes'] * 1e-9:.2f}", number(row["limit_gb_s"]),
                      number(row["gb_s"]), f"{row['fraction']:.2f}"])
    return table


def exchanges(results):
    table = [["message", "blocking", "stream", "kernel", "kernel, graph", "NCCL"]]
    kernels = (("ashlar", "blocking"), ("ashlar", "stream"), ("ashlar", "kernel, packed"),
               ("ashlar", "kernel, packed, at once, replayed"), ("nccl", "send and receive"))
    for size, name in ((8, "8 B"), (65536, "64 KiB"), (8388608, "8 MiB")):
        table.append([name] + [microseconds(results.row("h200/halo", bytes=size, neighbours=1, library=library,
                                                        kernel=kernel)) for library, kernel in kernels])
    return table


def hpgmg(results):
    table = [["cells", "Ashlar, ms", "HPGMG (NVIDIA), ms", "peer / ours"]]
    for cells, peer in NVIDIA_HPGMG_MS.items():
        ours = results.row("h200/hpgmg_switches", cells_per_dim=cells, num_boxes=1, switches="default")
        table.append([f"{cells}^3", milliseconds(ours), number(peer), times(peer, 1e3 * ours["seconds"])])
    return table


def hpgmg_ranks(results):
    table = [["cells", "2 GPUs: blocking, stream, kernel, ms", "4 GPUs: blocking, stream, kernel, ms"]]
    for cells in (32, 128, 256):
        table.append([f"{cells}^3"] + [
            ", ".join(milliseconds(results.row(f"h200/hpgmg_ranks_{ranks}", cells_per_dim=cells, exchange=mode))
                      for mode in ("blocking", "stream", "kernel")) for ranks in (2, 4)])
    return table


TABLES = {make.__name__: make for make in (products, vectors, matrices, processors, cg, other_solvers, cg_ranks, amg,
                                           amg_peers, streaming, disk, exchanges, hpgmg, hpgmg_ranks)}


def text_of(name, source):
    """The table as Markdown."""
    head, *rows = TABLES[name](Results(source))
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
