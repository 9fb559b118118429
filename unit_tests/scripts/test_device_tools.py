#!/usr/bin/env python3
"""Runs the tool that measures several devices, with stand-ins for the programs and for what starts ranks.

    test_device_tools.py SOURCE_DIR SCRATCH_DIR
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
TOOL = SOURCE / "perf_tests/tools/measure_devices.py"

# Starts one rank, and writes down of how many it would be: LAUNCHER -n RANKS PROGRAM ARGUMENTS
LAUNCHER = """#!/bin/sh
echo "$2 $(basename "$3")" >> ranks.txt
shift 2
exec "$@"
"""
PASSES = "#!/bin/sh\nexit 0\n"
# Runs what follows its own four arguments, and finds races: --tool TOOL --error-exitcode CODE PROGRAM ARGUMENTS
CHECKER = """#!/bin/sh
tool=$2 code=$4
shift 4
"$@" && [ "$tool" != racecheck ] || exit "$code"
"""
FAILS = "#!/bin/sh\necho 'what was wrong'\nexit 1\n"
# Writes the file that comes after --json, with what comes after --commit.
WRITES = """#!/bin/sh
while [ $# -gt 0 ] && [ "$1" != --commit ]; do shift; done
commit=$2
while [ $# -gt 0 ] && [ "$1" != --json ]; do shift; done
echo '{"results": [], "commit": "'$commit'"}' > "$2"
"""


class DeviceTools(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.out = self.folder / "out"
        self.program("launcher", LAUNCHER)
        self.program("build/unit_tests/test_mpi_halo", PASSES)
        self.program("build/unit_tests/test_mpi_distributed", FAILS)
        self.program("build/perf_tests/perf_cg_ranks", WRITES)

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def measure(self, *arguments, code, path=None):
        """`path`: where programs are found first."""
        environment = os.environ | ({"PATH": f"{path}:{os.environ['PATH']}"} if path else {})
        done = subprocess.run([sys.executable, TOOL, self.folder / "build", "--out", self.out, "--launcher",
                               self.folder / "launcher", *arguments], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr if code == 2 else json.loads((self.out / "steps.json").read_text())

    def test_goes_on_where_a_step_fails(self):
        steps = self.measure("--ranks", "2,4", "--only", "test_mpi,cg", "--commit", "abc", code=1)
        self.assertEqual(steps["test_mpi_halo_2"]["status"], "passed")
        self.assertEqual(steps["test_mpi_distributed_4"]["status"], "failed")
        self.assertEqual((self.out / "test_mpi_distributed_4.log").read_text(), "what was wrong\n")
        self.assertEqual(steps["test_mpi_nccl_2"]["status"], "absent")
        self.assertEqual(steps["cg_4_forms"]["status"], "passed")
        self.assertEqual(json.loads((self.out / "cg_4_forms.json").read_text())["commit"], "abc")
        started = (self.out / "ranks.txt").read_text().split("\n")
        self.assertIn("1 perf_cg_ranks", started)
        self.assertIn("4 test_mpi_halo", started)

    def test_runs_tests_under_a_checker_that_is_there(self):
        self.program("build/unit_tests/test_persistent_cg", PASSES)
        checker = self.program("bin/compute-sanitizer", CHECKER)
        steps = self.measure("--only", "memcheck,racecheck", code=1, path=checker.parent)
        self.assertEqual({name: step["status"] for name, step in steps.items()},
                         {"memcheck_test_persistent_cg": "passed", "racecheck_test_persistent_cg": "failed",
                          "memcheck_test_mpi_halo": "passed"})

    def test_passes_where_all_do(self):
        self.measure("--only", "test_mpi_halo,cg", code=0)

    def test_begins_nothing_when_the_time_is_over(self):
        steps = self.measure("--minutes", "0", "--only", "cg", code=1)
        self.assertEqual({step["status"] for step in steps.values()}, {"no time left"})
        self.assertFalse((self.out / "ranks.txt").exists())

    def test_refuses_what_it_cannot_do(self):
        self.assertIn("not numbers", self.measure("--ranks", "two", code=2))
        self.assertIn("at least 2", self.measure("--ranks", "1", code=2))
        shutil.rmtree(self.folder / "build")
        self.assertIn("no such folder", self.measure(code=2))


if __name__ == "__main__":
    unittest.main()
