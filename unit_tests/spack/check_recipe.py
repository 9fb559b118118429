#!/usr/bin/env python3
"""Holds the recipe of Spack to what its auditor looks for, and to the options of our CMake files: each is set by the
recipe or left out on purpose. Spack is not needed; the recipe is parsed, not run.

    check_recipe.py SOURCE_DIR      prints each fault and exits with 1 where there is one
"""
import ast
import pathlib
import re
import sys

REPOSITORY = pathlib.Path("spack/spack_repo/ashlar")
RECIPE = REPOSITORY / "packages/ashlar/package.py"
ENVIRONMENTS = pathlib.Path("spack/environments")

# Options of CMake that the recipe does not set, and why.
LEFT_OUT = {
    "ASHLAR_SANITIZE": "for those who work on the library",
    "ASHLAR_BLOCK_SIZES": "who installs for many has all sizes",
    "ASHLAR_XXHASH_INCLUDE_DIR": "found where Spack's prefixes are looked through",
    "ASHLAR_MKL_INCLUDE_DIR": "of the performance tests, which are not built",
    "ASHLAR_AMGCL_INCLUDE_DIR": "the same",
    "ASHLAR_MPIEXEC_WORKS": "found out, not asked for",
    "ASHLAR_TEST_HEADERS": "for those who work on the library",
}

# Variants that base classes bring.
INHERITED = {"CMakePackage": {"build_type", "generator", "ipo"}, "CudaPackage": {"cuda", "cuda_arch"},
             "ROCmPackage": {"rocm", "amdgpu_target"}}

# What Spack's own style check allows.
LINE_LENGTH = 99

BOILERPLATE = re.compile(r"remove this boilerplate|FIXME: (?:Put|Add)|example\.com")
OPTION = re.compile(r"""\b(?:option|find_path|find_library)\(\s*(ASHLAR_\w+)\b(?!\$)
                        |\bset\(\s*(ASHLAR_\w+)\s[^()]*\bCACHE\s+(?!INTERNAL)""", re.X)
SIGNED = re.compile(r"[+~]([A-Za-z0-9_][\w-]*)|\b([A-Za-z0-9_][\w-]*)=")
RANGE = re.compile(r"@([\w.]+):([\w.]+)")


def text_of(node):
    """The text of a string, of an f-string with * for what it puts in; None of anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "*" for part in node.values)
    return None


def calls(node, name):
    return [each for each in ast.walk(node) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
            and each.func.id == name]


def keyword(call, name):
    return next((each.value for each in call.keywords if each.arg == name), None)


def version_number(text):
    return [int(part) for part in re.findall(r"\d+", text)]


def variants_of(recipe):
    """{name: call}, of the class alone."""
    return {text_of(call.args[0]): call for call in calls(recipe, "variant")}


def inherited(recipe):
    """Names of variants that the base classes bring; a class may say one of them anew."""
    return set().union(*(INHERITED.get(base.id, set()) for base in recipe.bases))


def faults_of_variants(recipe):
    seen = set()
    for call in calls(recipe, "variant"):
        name, default, values = text_of(call.args[0]), keyword(call, "default"), keyword(call, "values")
        if name in seen:
            yield f"variant {name} is there twice"
        seen.add(name)
        if not text_of(keyword(call, "description")):
            yield f"variant {name} has no description"
        allowed = [text_of(each) for each in values.elts] if isinstance(values, (ast.Tuple, ast.List)) else [True, False]
        if not isinstance(default, ast.Constant) or default.value not in allowed:
            yield f"variant {name} has no default that is among its values"
        if name not in inherited(recipe) and not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
            yield f"variant {name}: small letters, numbers and hyphens"


def faults_of_versions(recipe):
    has_git = any(isinstance(each, ast.Assign) and each.targets[0].id == "git" for each in recipe.body)
    for call in calls(recipe, "version"):
        name, checksum = text_of(call.args[0]), text_of(keyword(call, "sha256"))
        if checksum is not None and not re.fullmatch(r"[0-9a-f]{64}", checksum):
            yield f"version {name}: its sha256 is none"
        elif checksum is None and not (has_git and (keyword(call, "branch") or keyword(call, "commit"))):
            yield f"version {name} has no checksum, and no branch or commit of a repository"
    if not calls(recipe, "version"):
        yield "there is no version"


def faults_of_directives(recipe):
    known = set(variants_of(recipe)) | inherited(recipe)
    # The block "with when(...)" has its condition where the others have a spec.
    for directive in ("depends_on", "conflicts", "patch", "requires", "variant", "when"):
        for call in calls(recipe, directive):
            spec, when = text_of(call.args[0]), text_of(keyword(call, "when")) or ""
            # A condition is on this package; so is what it conflicts with.
            is_ours = directive in ("conflicts", "requires", "when") and not spec.startswith("%")
            ours = [when] + ([spec] if is_ours else [])
            for each in ours:
                if re.match(r"[\w-]+(?![\w=-])", each) and not re.match(r"ashlar\b", each):
                    yield f"{directive}({spec!r}): a condition names another package: {each}"
            if re.search(r"\+\+|~~|--|==|%%", spec + " " + when):
                yield f"{directive}({spec!r}): it is handed on to all that this package depends on"
            for each in SIGNED.findall(" ".join(ours)):
                if (each[0] or each[1]) not in known:
                    yield f"{directive}({spec!r}): there is no variant {each[0] or each[1]}"
            if "^" in spec + when:
                yield f"{directive}({spec!r}): ^ reaches below what this package depends on"
            for first, last in RANGE.findall(spec + " " + when):
                if version_number(first) > version_number(last):
                    yield f"{directive}({spec!r}): no version is in {first}:{last}"
            if directive == "conflicts" and not text_of(keyword(call, "msg")):
                yield f"conflicts({spec!r}, when={when!r}) does not say why"


def faults_of_kokkos(recipe):
    """Spack takes a Kokkos that is there already unless it is told not to: what this package is without, that is."""
    asked = {(text_of(call.args[0]), text_of(keyword(call, "when"))) for call in calls(recipe, "depends_on")}
    for name in ("cuda", "rocm", "openmp"):
        if not any(re.match(rf"kokkos[^ ]*~{name}\b", spec) and when == f"~{name}" for spec, when in asked):
            yield f"depends_on: without {name}, a Kokkos may have it"


def faults_of_methods(recipe):
    tests = [each for each in recipe.body if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")]
    for method in tests:
        if not ast.get_docstring(method):
            yield f"{method.name} has no docstring"
        elif len(method.body) < 2:
            yield f"{method.name} does nothing"
    if not tests:
        yield "there is no stand-alone test"


def cmake_options(source):
    """Options of all CMake files of the source tree, of those that users may set."""
    files = [source / "CMakeLists.txt", *(source / "cmake").glob("*.cmake")]
    for folder in ("lib", "apps", "examples", "perf_tests", "unit_tests"):
        files += (source / folder).rglob("CMakeLists.txt")
    found = set()
    for path in files:
        found |= {first or second for first, second in OPTION.findall(path.read_text(encoding="utf-8"))}
    return found


def faults_of_options(recipe, options):
    method = next((each for each in recipe.body if isinstance(each, ast.FunctionDef) and each.name == "cmake_args"), None)
    if method is None:
        yield "there is no cmake_args"
        return
    is_set, variants = set(), set(variants_of(recipe))
    for call in ast.walk(method):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.startswith("define"):
            is_set.add(text_of(call.args[0]))
            if call.func.attr == "define_from_variant" and text_of(call.args[1]) not in variants:
                yield f"cmake_args: there is no variant {text_of(call.args[1])}"
    for option in sorted(options - is_set - LEFT_OUT.keys()):
        yield f"{option} is neither set in cmake_args nor left out on purpose"
    for option in sorted(name for name in is_set if name.startswith("ASHLAR_") and name not in options):
        yield f"{option} is set, and no CMake file knows it"
    for option in sorted(LEFT_OUT.keys() & is_set):
        yield f"{option} is set, and left out"
    for option in sorted(LEFT_OUT.keys() - options):
        yield f"{option} is left out, and no CMake file knows it"


def faults_of_recipe(text, options):
    classes = [each for each in ast.parse(text).body if isinstance(each, ast.ClassDef)]
    if [each.name for each in classes] != ["Ashlar"]:
        yield "the recipe is the class Ashlar"
        return
    recipe, = classes
    if not ast.get_docstring(recipe):
        yield "the class has no docstring"
    if "http://" in text:
        yield "an address without https"
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LINE_LENGTH:
            yield f"line {number} is longer than {LINE_LENGTH}"
        if BOILERPLATE.search(line):
            yield f"line {number} is of the template of a recipe"
    for each in recipe.body:
        if isinstance(each, ast.Assign) and each.targets[0].id == "name":
            yield "name is for Spack itself to set"
    if not calls(recipe, "license"):
        yield "there is no license"
    for part in (faults_of_variants, faults_of_versions, faults_of_directives, faults_of_kokkos, faults_of_methods):
        yield from part(recipe)
    yield from faults_of_options(recipe, options)


def faults_of_layout(source):
    """Where files lie, as the API of packages has it, and the environments."""
    repository = (source / REPOSITORY / "repo.yaml").read_text()
    if not re.search(r"^  namespace: ashlar$", repository, re.M) or not re.search(r"^  api: v2\.\d$", repository, re.M):
        yield "repo.yaml names the namespace ashlar and an API v2"
    recipe, = (each for each in ast.parse((source / RECIPE).read_text()).body if isinstance(each, ast.ClassDef))
    known = set(variants_of(recipe)) | inherited(recipe)
    for name in ("host", "cuda", "rocm"):
        folder = source / ENVIRONMENTS / name
        text = (folder / "spack.yaml").read_text()
        spec = re.search(r"^  - ashlar@main(.*)$", text, re.M)
        repository = re.search(r"^    ashlar: (\S+)$", text, re.M)
        checkout = re.search(r"^      path: (\S+)$", text, re.M)
        if not spec or not repository or not checkout:
            yield f"{name}: it has specs, repos and develop"
            continue
        for each in SIGNED.findall(spec[1]):
            if (each[0] or each[1]) not in known:
                yield f"{name}: there is no variant {each[0] or each[1]}"
        if (folder / repository[1]).resolve() != (source / REPOSITORY).resolve():
            yield f"{name}: {repository[1]} is not where the recipe is"
        if (folder / checkout[1]).resolve() != source.resolve():
            yield f"{name}: {checkout[1]} is not the source tree"


def main(source):
    options = cmake_options(source)
    faults = [*faults_of_recipe((source / RECIPE).read_text(encoding="utf-8"), options), *faults_of_layout(source)]
    for fault in faults:
        print(fault)
    print(f"{len(options)} options of CMake, {len(faults)} faults")
    return 1 if faults or not options else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
