#!/usr/bin/env python3
"""Runs scripts/perf, and the tools below it, with stand-ins for the programs, for what builds them and what starts ranks.

    test_machine_tools.py SOURCE_DIR SCRATCH_DIR
"""
import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
PROGRAMS = ["perf_cg", "perf_cg_ranks", "perf_halo", "perf_hpgmg", "perf_hpgmg_ranks", "perf_spmv", "perf_streaming", "perf_tpetra"]

# A performance test that measures two cases, of which one has a peer, and takes SECONDS.
PROGRAM = """#!/usr/bin/env python3
import json, os, sys
seconds = float(os.environ.get("SECONDS_TAKEN", "1e-3"))
def row(case, library, kernel, seconds, **more):
    return dict(case=case, library=library, kernel=kernel, block_size=3, type="double", bytes=1e8, seconds=seconds,
                gb_s=1e8 / seconds / 1e9, limit_gb_s=200, fraction=1e8 / seconds / 1e9 / 200, verified=True, **more)
rows = [row("grid27", "ashlar", "auto", seconds), row("grid27", "cuSPARSE", "BSR <b>", 2 * seconds),
        row("other", "ashlar", "auto", 2 * seconds) | {WRONG}]
context = dict(device="A <device>", execution_space="Cuda", kokkos=50002, compiler="gcc 13", ashlar="0.1.0",
               read_gb_s=200.0, left_out=[dict(library="Theirs", failure="internal & error")])
with open(sys.argv[sys.argv.index("--json") + 1], "w") as file:
    json.dump(dict(context=context, results=rows), file)
sys.exit(CODE)
"""
LAUNCHER = """#!/bin/sh
while [ "$1" != -n ]; do shift; done
echo "$2 $(basename "$3")" >> ranks.txt
shift 2
exec "$@"
"""


def program(wrong="{}", code="0"):
    return PROGRAM.replace("{WRONG}", wrong).replace("CODE", code)


class Page(html.parser.HTMLParser):
    """Text, and whether each tag is closed by its own."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.links = [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "rect":
            assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data + "\n"


class MachineTools(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.build, self.out = self.folder / "build", self.folder / "out"
        self.write("build/CMakeCache.txt", "")
        self.write("bin/cmake", "#!/bin/sh\nexit 0\n")
        # No GPU's own tool is asked: two ranks of it.
        self.write("bin/nvidia-smi", "#!/bin/sh\necho 80000\necho 80000\n")
        launcher = self.write("bin/mpiexec", LAUNCHER)
        self.write("build/perf_tests/built_with.json", json.dumps(
            {"kokkos": "5.0.2", "devices": ["CUDA"], "build_type": "Release", "programs": PROGRAMS, "skipped": {}, "peers": ["CUSPARSE"],
             "nccl": False, "mpiexec": str(launcher)}))
        for name in PROGRAMS:
            self.write(f"build/perf_tests/{name}", program())

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def perf(self, *arguments, code=0, script=SOURCE / "scripts/perf", **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA_", "HIP_"))}
        done = subprocess.run([script, *map(str, arguments)], capture_output=True, text=True,
                              env=environment | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                                                 "ASHLAR_INSIDE": "native"} | variables)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def measure(self, *arguments, code=0, out=None, **variables):
        out = out or self.out
        said = self.perf("--quick", "--build", self.build, "--out", out, *arguments, code=code, **variables)
        return said, json.loads((out / "performance.json").read_text()), Page((out / "report.html").read_text())

    def test_measures_with_every_program_on_every_device(self):
        said, bundle, page = self.measure()
        self.assertEqual({step["program"] for step in bundle["steps"]}, {f"perf_tests/{name}" for name in PROGRAMS})
        self.assertEqual({step["status"] for step in bundle["steps"]}, {"passed"})
        self.assertIn("2 perf_halo", (self.out / "ranks.txt").read_text())
        self.assertEqual({row["program"] for row in bundle["results"]},
                         {name.removeprefix("perf_") for name in PROGRAMS})
        self.assertIn("0 left out" if not bundle["left_out"] else "left out", page.text)
        self.assertIn(str(self.out / "report.html"), said)

    def test_the_page_needs_nothing_else_and_is_whole(self):
        page = self.measure()[2]
        self.assertEqual(page.open, [])
        self.assertEqual(page.links, [])
        self.assertIn("A <device>", page.text)
        self.assertIn("internal & error", page.text)

    def test_the_page_has_peers_and_committed_results_beside(self):
        page = self.measure("--only", "spmv_grid")[2]
        self.assertIn("1 ms, cuSPARSE BSR <b>".replace("1 ms", "2 ms"), page.text)
        self.assertIn("\n2.00\n", page.text)  # the peer's time over ours
        committed = json.loads((SOURCE / "perf_tests/results/h200/spmv_grid.json").read_text())
        row, = (row for row in committed["results"] if row["library"] == "ashlar" and row["block_size"] == 3)
        self.assertIn("NVIDIA H200", page.text)
        self.assertIn(f"{row['gb_s']:.0f} GB/s ({row['fraction']:.2f})", page.text)
        self.assertNotIn("EPYC", page.text)  # no GPU

    def test_goes_on_where_a_step_fails(self):
        self.write("build/perf_tests/perf_cg", "#!/bin/sh\necho 'what was <wrong>'\nexit 3\n")
        said, bundle, page = self.measure(code=1)
        ended = {step["name"]: step["status"] for step in bundle["steps"]}
        self.assertEqual(ended.pop("cg"), "failed")
        self.assertEqual(set(ended.values()), {"passed"})
        self.assertIn("not: cg\n", said)
        self.assertIn("what was <wrong>", page.text)

    def test_keeps_what_is_right_beside_what_is_wrong(self):
        self.write("build/perf_tests/perf_cg", program("{'verified': False}", "1"))
        bundle = self.measure("--only", "cg", code=1)[1]
        self.assertEqual({row["case"] for row in bundle["results"] if row["program"] == "cg"}, {"grid27"})
        self.assertTrue(any("is wrong" in each for each in bundle["left_out"]))

    def test_names_what_has_no_time_and_goes_on(self):
        lost = ", ".join(f"'{key}': None" for key in ("seconds", "gb_s", "fraction"))
        self.write("build/perf_tests/perf_cg_ranks", program("{" + lost + ", 'why_no_time': 'lost in <noise>'}"))
        _, bundle, page = self.measure("--only", "cg_ranks")
        self.assertEqual({row["case"] for row in bundle["results"] if row["program"] == "cg_ranks"}, {"grid27"})
        self.assertTrue(any(each.endswith("ashlar auto, other: lost in <noise>") for each in bundle["left_out"]))
        self.assertIn("lost in <noise>", page.text)

    def test_a_step_that_hangs_leaves_time_for_others(self):
        self.write("build/perf_tests/perf_cg", "#!/bin/sh\nsleep 100\n")
        bundle = self.measure("--only", "cg,spmv_grid", "--minutes", "0.05", code=1)[1]
        ended = {step["name"]: step["status"] for step in bundle["steps"]}
        self.assertEqual(ended["cg"], "timed out")
        self.assertEqual(ended["spmv_grid"], "passed")
        self.assertEqual(ended["cg_ranks"], "no time left")

    def test_a_program_that_does_not_compile_is_named_and_not_measured(self):
        self.write("bin/cmake", '#!/bin/sh\nfor name; do :; done\necho "$name" >> built.txt\n'
                                '[ "$name" != perf_tests ] && [ "$name" != perf_cg ]\n')
        said, bundle, _ = self.measure(code=1)
        self.assertIn("perf_cg\n", said)
        ended = {step["name"]: step["status"] for step in bundle["steps"]}
        self.assertEqual(ended.pop("cg"), "absent")
        self.assertEqual(set(ended.values()), {"passed"})
        (SOURCE / "built.txt").unlink()

    def test_makes_a_build_without_tests_where_there_is_none(self):
        tree = self.folder / "tree"
        shutil.copytree(SOURCE / "scripts", tree / "scripts")
        for name in ("tools", "results"):
            (tree / "perf_tests").mkdir(exist_ok=True)
            (tree / "perf_tests" / name).symlink_to(SOURCE / "perf_tests" / name)
        self.write("bin/cmake", '#!/bin/sh\n[ "$1" != --preset ] || { echo "$@" > configured; mkdir -p "$(dirname "$4")"; '
                                f'cp -r {self.build} "$4"; }}\n')
        self.perf("--quick", "--only", "cg", script=tree / "scripts/perf", ASHLAR_PRESET="cuda-hopper")
        self.assertIn("--preset cuda-hopper", (tree / "configured").read_text())
        self.assertIn("ASHLAR_ENABLE_TESTS=OFF", (tree / "configured").read_text())
        self.assertTrue((tree / "build/perf/report.html").exists())
        self.assertTrue((tree / "build/cuda-hopper-perf").is_dir())

    def test_a_program_that_is_new_is_run_as_it_is(self):
        built_with = self.build / "perf_tests/built_with.json"
        told = json.loads(built_with.read_text())
        built_with.write_text(json.dumps(told | {"programs": PROGRAMS + ["perf_new"]}))
        self.write("build/perf_tests/perf_new", program())
        _, bundle, page = self.measure("--only", "new")
        self.assertEqual({row["program"] for row in bundle["results"]}, {"new"})
        self.assertIn("perf_new", page.text)
        self.assertIn("2.00", page.text)

    def test_a_program_that_is_skipped_is_named_with_why_and_no_failure(self):
        built_with = self.build / "perf_tests/built_with.json"
        told = json.loads(built_with.read_text())
        without = [name for name in PROGRAMS if name != "perf_tpetra"]
        built_with.write_text(json.dumps(told | {"programs": without, "skipped": {"perf_tpetra": "there is no <Trilinos>"}}))
        said, bundle, page = self.measure()
        self.assertIn("skipped: there is no <Trilinos>\n", said)
        self.assertNotIn("perf_tests/perf_tpetra", {step["program"] for step in bundle["steps"]})
        self.assertIn("tpetra: there is no <Trilinos>", page.text)
        self.assertNotIn("Products with Tpetra's matrices", page.text)
        self.assertNotIn("Trilinos", self.measure("--only", "cg")[0])
        self.assertIn("there is no <Trilinos>", self.perf("--build", self.build, "--out", self.out, "--only", "tpetra", code=2))

    def test_products_with_tpetra_have_sizes_and_a_table_of_their_own(self):
        sizes = {}
        for quick in (["--quick"], []):
            self.perf(*quick, "--build", self.build, "--out", self.out, "--only", "tpetra")
            step, = json.loads((self.out / "performance.json").read_text())["steps"]
            self.assertEqual(step["ranks"], 0)
            sizes[bool(quick)] = float(step["arguments"][step["arguments"].index("--bytes") + 1])
        self.assertLess(sizes[True], sizes[False])
        page = Page((self.out / "report.html").read_text())
        self.assertIn("Products with Tpetra's matrices", page.text)
        self.assertIn("2 ms, cuSPARSE BSR <b>", page.text)
        self.assertIn("\n2.00\n", page.text)  # the peer's time over ours

    def test_without_mpi_there_are_no_steps_of_ranks(self):
        built_with = self.build / "perf_tests/built_with.json"
        told = json.loads(built_with.read_text()) | {"mpiexec": "", "programs": ["perf_cg"]}
        built_with.write_text(json.dumps(told))
        bundle = self.measure()[1]
        self.assertFalse(any("ranks" in step["name"] for step in bundle["steps"]))

    def compare(self, first, second, code):
        for name, seconds in (("a", first), ("b", second)):
            self.measure("--only", "spmv_grid", out=self.folder / name, SECONDS_TAKEN=str(seconds))
        return self.perf("--compare", self.folder / "a/performance.json", self.folder / "b/performance.json", code=code)

    def test_compare_says_what_became_slower(self):
        said = self.compare(1e-3, 1.2e-3, code=1)
        self.assertIn("slower: spmv: grid27, b = 3", said)
        self.assertIn("1.20 times", said)
        self.assertIn("2 compared: 2 slower, 0 faster, 0 level", said)
        self.assertNotIn("cuSPARSE", said)

    def test_compare_takes_noise_for_noise(self):
        self.assertIn("2 level", self.compare(1e-3, 1.03e-3, code=0))

    def test_compare_goes_by_the_spread_of_the_passes(self):
        self.compare(1e-3, 1.2e-3, code=1)
        path = self.folder / "a/performance.json"
        bundle = json.loads(path.read_text())
        for row in bundle["results"]:
            row["passes"] = [0.8 * row["seconds"], row["seconds"], 1.1 * row["seconds"]]
        path.write_text(json.dumps(bundle))
        self.perf("--compare", path, self.folder / "b/performance.json", code=0)

    def test_compare_says_what_became_faster(self):
        self.assertIn("2 faster", self.compare(1.2e-3, 1e-3, code=0))

    def test_compare_refuses_what_has_nothing_in_common(self):
        self.measure("--only", "spmv_grid", out=self.folder / "a")
        self.measure("--only", "hpgmg", out=self.folder / "b")
        bundle = self.folder / "b/performance.json"
        self.assertIn("nothing to compare", self.perf("--compare", self.folder / "a/performance.json", bundle, code=2))
        bundle.write_text("{}")
        self.assertIn("is no bundle", self.perf("--compare", self.folder / "a/performance.json", bundle, code=2))
        self.assertIn("two bundles", self.perf("--compare", bundle, code=2))

    def test_refuses_what_it_cannot_do(self):
        self.assertIn("unknown argument", self.perf("--fast", code=2))
        self.assertIn("no build folder", self.perf("--build", self.folder / "none", code=2))
        self.assertIn("above 0", self.perf("--build", self.build, "--out", self.out, "--minutes", "0", code=2))
        (self.build / "perf_tests/built_with.json").unlink()
        self.assertIn("ASHLAR_ENABLE_PERF_TESTS", self.perf("--build", self.build, "--out", self.out, code=2))


if __name__ == "__main__":
    unittest.main()
