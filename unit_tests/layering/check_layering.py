#!/usr/bin/env python3
"""Checks that includes only go down the table of the design, from the include lines themselves.

    check_layering.py SOURCE_DIR

Prints each fault as file:line: what is wrong, and exits with 1 where there is one.
"""
import pathlib
import re
import sys

# module: what it may use; what those use comes with them. The table of docs/, in its order.
MAY_USE = {
    "base": [],
    "host": ["base"],
    # How much memory a space has is the host's where it is one with the device's.
    "device": ["host"],
    "bcsr": ["host"],
    "reference": ["bcsr"],
    "spmv": ["bcsr", "device"],
    "blas1": ["device"],
    # Matrices too large for memory come from block files; they are operators, whose vectors live in a space of blas1.
    "streaming": ["spmv", "blas1", "io"],
    # Memory that ranks share is a device's.
    "comm": ["device"],
    "halo": ["comm", "device", "bcsr"],
    # Its ranks' kernels may iterate CG as one.
    "distributed": ["halo", "streaming", "operators"],
    # The solvers know concepts only.
    "krylov": ["blas1"],
    # All of CG as one kernel; the kernels of ranks find each other by the halo's plan.
    "persistent_cg": ["spmv", "krylov", "halo"],
    # What solvers know as concepts, of matrices: operators and preconditioners. They offer CG's kernel.
    "operators": ["persistent_cg"],
    # A multigrid cycle as a list of steps, and its executors, for levels of any kind.
    "cycles": ["device"],
    # Algebraic multigrid: levels of block matrices.
    "amg": ["distributed", "cycles"],
    # The compiled entry for arrays: it chooses a solver and a preconditioner.
    "solve": ["amg"],
    "multigrid": ["halo", "blas1", "cycles"],
    "problems": ["bcsr"],
    "io": ["bcsr"],
    "trace": ["base"],
    # Matrices and operators of other libraries, as ours over ranks and in our solvers.
    "interop": ["amg"],
}

# Headers of a transport, and the one folder that may include them. Nothing else names what they declare, save that
# comm and halo choose among transports.
TRANSPORTS = {
    "mpi": {"header": re.compile(r"(.*/)?mpi(-ext|xx)?\.h(pp)?$"), "name": re.compile(r"\bMPI_\w+")},
    "nccl": {"header": re.compile(r"(.*/)?(nccl|rccl)(_device)?\.h$"), "name": re.compile(r"\bnccl[A-Z]\w+")},
}
MAY_NAME_TRANSPORTS = {"comm", "halo"}

# What users include for all at once: it belongs to no module, and no module includes it.
UMBRELLA = pathlib.PurePath("lib/ashlar/ashlar.hpp")

# Users of the library: they see its public headers alone.
OUTSIDE = ["apps", "examples", "perf_tests", "unit_tests"]

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*")|'(?:\\.|[^'\\\n])'""", re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
PRINT = re.compile(r"\bstd\s*::\s*(?:cout\b|puts\s*\()|(?<![\w.])printf\s*\(")
FENCE = re.compile(r"\bKokkos\s*::\s*fence\s*\(|\busing\s+Kokkos\s*::\s*fence\b")


def reachable(module):
    """The modules that `module` may include: itself and, transitively, what it may use."""
    found = {module}
    for used in MAY_USE[module]:
        found |= reachable(used)
    return found


def blanked(text, kinds):
    """The text without its comments (and strings), every line where it was."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if m.lastgroup in kinds else m[0], text)


def module_of(path, source_dir):
    """lib/ashlar/<module>/..., lib/src/<module>/... or lib/src/<module>_*.cpp; None where it is none of these."""
    parts = path.relative_to(source_dir / "lib").parts
    if parts[0] == "ashlar" and len(parts) > 2:
        name = parts[1]
    elif parts[0] == "src":
        name = parts[1] if len(parts) > 2 else parts[1].split("_")[0]
    else:
        return None
    return name if name in MAY_USE else None


def transport_folder(path):
    """Whether `path` lies in the folder of a transport, and which: comm/mpi/..., comm/nccl/..."""
    for name in TRANSPORTS:
        if ("comm", name) in zip(path.parts, path.parts[1:]):
            return name
    return None


def faults_of(path, source_dir):
    """Yields (line, fault) for one file of the library."""
    text = path.read_text(encoding="utf-8")
    code = blanked(text, {"comment"})
    bare = blanked(text, {"comment", "string"})

    def line(match):
        return code.count("\n", 0, match.start()) + 1

    module = module_of(path, source_dir)
    if module is None:
        yield 1, "belongs to no module (lib/ashlar/<module>/, lib/src/<module>/ or lib/src/<module>_*.cpp)"
        return
    for match in INCLUDE.finditer(code):
        quote, target = match.groups()
        where = line(match)
        for name, transport in TRANSPORTS.items():
            if transport["header"].match(target) and transport_folder(path) != name:
                yield where, f"{module} includes {target}; only comm/{name}/ may"
        parts = target.split("/")
        if parts[0] != "ashlar":
            if quote == '"' and (".." in parts or (source_dir / "lib" / "ashlar") in path.parents):
                yield where, f'includes "{target}"; headers of the library are included as <ashlar/...>'
            continue
        if len(parts) < 3 or parts[1] not in MAY_USE:
            yield where, f"includes {target}, which is in no module"
            continue
        other = parts[1]
        if other not in reachable(module):
            yield where, f"{module} includes {target}, but may use only {', '.join(sorted(reachable(module)))}"
        if "impl" in parts and other != module:
            yield where, f"{module} includes {target}, which is {other}'s own"
    for match in FENCE.finditer(bare):
        yield line(match), "a global Kokkos::fence(); fence the instance"
    for match in PRINT.finditer(bare):
        yield line(match), "prints; a library says nothing unasked"
    if module not in MAY_NAME_TRANSPORTS:
        for name, transport in TRANSPORTS.items():
            for match in transport["name"].finditer(bare):
                yield line(match), f"{module} names {match[0]}; {name} is comm's and halo's business"


def outside_faults(path, folder):
    """Yields (line, fault) for one file that uses the library. A test may include what is the library's own where nothing
    else shows a fault, and says so beside the include line."""
    text = path.read_text(encoding="utf-8")
    lines, code = text.split("\n"), blanked(text, {"comment"})
    for match in INCLUDE.finditer(code):
        is_needed = folder == "unit_tests" and "// nothing else shows" in lines[code.count("\n", 0, match.start())]
        if match[2].startswith("ashlar/") and "impl" in match[2].split("/") and not is_needed:
            yield code.count("\n", 0, match.start()) + 1, f"includes {match[2]}, which is the library's own"


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in {".hpp", ".h", ".cpp", ".in", ".cu"} and p.is_file())


def check(source_dir):
    """All faults as (path, line, fault), and how many files were read."""
    faults, read = [], 0
    for folder in ["lib/ashlar", "lib/src"]:
        for path in sources(source_dir / folder):
            read += 1
            is_umbrella = path.relative_to(source_dir) == UMBRELLA
            found = outside_faults(path, folder) if is_umbrella else faults_of(path, source_dir)
            faults += [(path, *fault) for fault in found]
    for folder in OUTSIDE:
        for path in sources(source_dir / folder):
            read += 1
            faults += [(path, *fault) for fault in outside_faults(path, folder)]
    return faults, read


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source_dir = pathlib.Path(sys.argv[1]).resolve()
    faults, read = check(source_dir)
    for path, line, fault in faults:
        print(f"{path.relative_to(source_dir)}:{line}: {fault}")
    if read == 0:
        sys.exit(f"no sources in {source_dir} (nothing was checked); give the root of the source tree")
    print(f"{read} files read, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
