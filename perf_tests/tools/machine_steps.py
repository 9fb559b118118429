"""What is measured on this machine: which machine it is, and the steps at sizes fit for it."""
import collections
import os
import pathlib
import subprocess

from perf_steps import Step

# `ranks`: as many as there are GPUs; of a host two, or one for its only core. `memory`: of a GPU in bytes, None where
# nobody says.
Machine = collections.namedtuple("Machine", "is_gpu cores ranks memory")

OF_RANKS = ("perf_cg_ranks", "perf_halo", "perf_hpgmg_ranks")
GPU_BACKENDS = {"CUDA", "HIP", "SYCL"}


def said_by(*command):
    """Lines that a command prints; none where it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


def machine_of(built_with):
    cores = len(os.sched_getaffinity(0))
    if not GPU_BACKENDS & set(built_with["devices"]):
        return Machine(False, cores, min(2, cores), None)
    memory = [int(line) << 20 for line in said_by("nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits")
              if line.isdigit()]
    if not memory:
        # AMD's driver tells of each GPU here.
        memory = [int(path.read_text()) for path in pathlib.Path("/sys/class/drm").glob("card*/device/mem_info_vram_total")]
    visible = os.environ.get("CUDA_VISIBLE_DEVICES") or os.environ.get("HIP_VISIBLE_DEVICES")
    ranks = len(visible.split(",")) if visible else len(memory) or 1
    return Machine(True, cores, min(ranks, 8), min(memory, default=None))


def variables_of(machine, ranks):
    """The environment of a step: each rank a GPU, or its share of the cores. What the user has set stays."""
    wanted = {"OMP_PROC_BIND": "spread", "OMP_PLACES": "cores"} if not ranks else {"OMP_PROC_BIND": "false"}
    if ranks:
        wanted["OMP_NUM_THREADS"] = str(max(1, machine.cores // ranks))
        wanted["KOKKOS_MAP_DEVICE_ID_BY"] = "mpi_rank"
        if os.getuid() == 0:
            wanted |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {name: value for name, value in wanted.items() if name not in os.environ}


def of_one(machine, is_quick):
    """(name, program, arguments) on one GPU, or all cores of the host."""
    gpu, small = machine.is_gpu, is_quick
    # A matrix is far larger than the last cache, and far smaller than the memory.
    grid = (0.6e9 if small else 2.5e9) if gpu else (0.1e9 if small else 0.4e9)
    if machine.memory:
        grid = min(grid, machine.memory / 16)
    sizes = "1,2,3,4,5,6,8,16" if small else "1,2,3,4,5,6,7,8,9,11,12,16,17,24,32"
    samples = ["--samples", "7" if small else "15"]
    yield "spmv_grid", "perf_spmv", ["--suites", "grid", "--bytes", f"{grid:g}", "--block-sizes", sizes, *samples]
    if gpu:
        cases = "stencil11:22,stencil11:46,grid27:80,cantilever:33,grid27x3:68" + ("" if small else ",stencil11:128,stencil11:256")
    else:
        cases = "stencil11:22,grid27x3:20" if small else "stencil11:22,stencil11:46,grid27:32,grid27x3:20,cantilever:17"
    yield "cg", "perf_cg", ["--cases", cases, "--samples", "5"]
    cells = ("128" if small else "64,128,256") if gpu else ("32" if small else "64")
    yield "hpgmg", "perf_hpgmg", ["--cells", cells, "--boxes", "1,8,512", "--samples", "5"]
    case = ("3x64" if small else "3x128") if gpu else ("3x24" if small else "3x32")
    yield "streaming", "perf_streaming", ["--cases", case, "--subdivisions", "8,21" if small else "4,8,13,21,31",
                                          "--no-serial"]
    yield "streaming_less", "perf_streaming", ["--experiments", "less", "--cases", case]
    vectors = (0.15e9 if small else 0.7e9) if gpu else (0.03e9 if small else 0.1e9)
    yield "spmv_vectors", "perf_spmv", ["--suites", "multivector", "--bytes", f"{vectors:g}", "--block-sizes",
                                        "3,6" if small else "1,3,4,6,8", "--num-vectors", "1,8,32", *samples]
    yield "spmv_types", "perf_spmv", ["--suites", "grid", "--bytes", f"{grid:g}", "--libraries", "ashlar", "--block-sizes",
                                      "1,3,6" if small else "1,3,4,6,8,16", "--types", "float,mixed,bfloat16", *samples]
    if not small or gpu:
        yield "spmv_suites", "perf_spmv", ["--suites", "small,paper", "--block-sizes", "1,3,7", *samples]
    if not small:
        yield "spmv_irregular", "perf_spmv", ["--suites", "irregular", "--bytes", f"{grid:g}", *samples]
        yield "streaming_limit", "perf_streaming", ["--experiments", "limit", "--cases", "3x96" if gpu else case]


def of_ranks(machine, is_quick):
    """(name, program, arguments) on as many ranks as there are devices: a rank on each."""
    if machine.is_gpu:
        cases = "stencil11:46,grid27x3:68" + ("" if is_quick else ",grid27x1:80,stencil11:128,stencil11:256")
    else:
        cases = "stencil11:46" if is_quick else "stencil11:64,grid27x3:32"
    yield "cg_ranks", "perf_cg_ranks", ["--cases", cases, "--halos", "packed", "--samples", "3"]
    if machine.ranks > 1:
        lengths = "8,1024,65536,1048576" if is_quick else "8,128,1024,8192,65536,524288,4194304"
        yield "halo", "perf_halo", ["--bytes", lengths, "--neighbours", "1,2", "--samples", "5"]
    boxes = ("4,6" if is_quick else "4,5,6,7") if machine.is_gpu else "4"
    yield "hpgmg_ranks", "perf_hpgmg_ranks", ["--log2-boxes", boxes, "--samples", "3"]


def of_trilinos(is_quick):
    """(name, program, arguments) of products beside Tpetra's, on one core; where the build found Trilinos."""
    # What empties the caches before each product takes longer than that.
    sizes = ["--bytes", "2e7", "--block-sizes", "1,3,8", "--num-vectors", "1"] if is_quick else ["--bytes", "6e7"]
    yield "tpetra", "perf_tpetra", [*sizes, "--samples", "5" if is_quick else "7"]


def steps_of(machine, built_with, is_quick, commit):
    """All steps, in the order of what matters most. Programs that need MPI are there where the build has it."""
    # A step that hangs leaves time for the others.
    limit = 45 if is_quick else 120
    more = ["--commit", commit]
    of_any = [*of_one(machine, is_quick), *(of_trilinos(is_quick) if "perf_tpetra" in built_with["programs"] else [])]
    steps = [Step(name, 0, limit, f"perf_tests/{program}", *arguments, *more, variables=variables_of(machine, 0))
             for name, program, arguments in of_any]
    if built_with["mpiexec"] and "perf_cg_ranks" in built_with["programs"]:
        of_many = [Step(name, machine.ranks, limit, f"perf_tests/{program}", *arguments, *more,
                        variables=variables_of(machine, machine.ranks))
                   for name, program, arguments in of_ranks(machine, is_quick)]
        steps[4:4] = of_many
    # A program that nobody has thought of here is run as it is.
    known = {step.program for step in steps} | {f"perf_tests/{program}" for program in OF_RANKS}
    steps += [Step(name.removeprefix("perf_"), 0, limit, f"perf_tests/{name}", variables=variables_of(machine, 0))
              for name in built_with["programs"] if f"perf_tests/{name}" not in known]
    return steps


def launcher_flags(mpiexec):
    """More ranks than cores, on any of them; each kind of MPI says it in its own way."""
    said = " ".join(said_by(mpiexec, "--version")) if mpiexec else ""
    is_open_mpi = any(name in said for name in ("Open MPI", "OpenRTE", "PRRTE"))
    return ["--oversubscribe", "--bind-to", "none"] if is_open_mpi else []
