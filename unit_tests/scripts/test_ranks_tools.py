#!/usr/bin/env python3
"""Runs the tools that draw timelines of perf_cg_ranks and of multigrid over ranks, on made-up ones.

    test_ranks_tools.py SOURCE_DIR SCRATCH_DIR
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
TOOLS = SOURCE / "perf_tests/tools"
HAS_MATPLOTLIB = subprocess.run([sys.executable, "-c", "import matplotlib"], capture_output=True).returncode == 0


def timeline(case, forms, ranks=2, iterations=3):
    """A file of perf_cg_ranks --trace. The iterations of form k take 100 (k + 1) us, and rank 1 begins 5 us later."""
    events = []
    for form_number, form in enumerate(forms):
        for rank in range(ranks):
            pid = form_number * ranks + rank
            events += [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": f"{case}, {form}, rank {rank}"}},
                       {"ph": "M", "name": "thread_name", "pid": pid, "tid": 0, "args": {"name": "instance"}}]
            for iteration in range(iterations):
                start = 100 * (form_number + 1) * iteration + 5 * rank
                for name, begin, long in (("ashlar::cg[direction]", 0, 10), ("ashlar::spmv[by_line]", 10, 50),
                                          ("ashlar::halo::end", 60, 20), ("something else", 80, 3)):
                    events.append({"ph": "X", "name": name, "cat": "kernel", "pid": pid, "tid": 0, "ts": start + begin,
                                   "dur": long})
    return {"traceEvents": events}


def gpu_timeline():
    """One rank on a GPU by three modes, an iteration of 100 us: with copies to the host; with kernels that wait and
    add; all iterations as a kernel of 80 us, which begins at 40."""
    first = [("ashlar::cg[direction]", 1, 0, 10), ("ashlar::cg[direction]", 1, 100, 10)]
    forms = {"1d, blocking": first + [("ashlar::halo::staged_send := ashlar::halo::packed", 2, 20, 5),
                                      ("ashlar::halo::end", 0, 30, 20), ("perf::x := (none)", 3, 60, 5)],
             "1d, kernel": first + [("ashlar::halo[put]", 1, 20, 5), ("ashlar::halo[wait]", 1, 30, 20),
                                    ("ashlar::distributed_space[sum]", 1, 60, 5)],
             "1d, kernel, one kernel": [("ashlar::cg[begin]", 1, 0, 10),
                                        ("ashlar::persistent_cg[products by slices, b=1]", 1, 40, 80)]}
    events = []
    for pid, (form, bars) in enumerate(forms.items()):
        events.append({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": f"c, {form}, rank 0"}})
        for tid, track in enumerate(("host thread 0", "Cuda 0 instance 1", "copies Cuda -> CudaHostPinned",
                                     "copies Cuda -> Cuda")):
            events.append({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": track}})
        events += [{"ph": "X", "name": name, "cat": "kernel", "pid": pid, "tid": tid, "ts": begin, "dur": long}
                   for name, tid, begin, long in bars]
    return {"traceEvents": events}


def multigrid_timeline(sweeps):
    """Two ranks on GPUs, `sweeps` on the finest level, of 30 us each, which end at 100, 200, ... and on rank 1 5 us
    later; between them messages, ghost cells, and a sweep of a coarser level."""
    events = []
    for rank in range(2):
        events.append({"ph": "M", "name": "process_name", "pid": rank, "args": {"name": f"rank {rank}: ashlar"}})
        for tid, track in enumerate(("Cuda 0 instance 1", "copies Cuda -> CudaHostPinned", "copies Cuda -> Cuda")):
            events.append({"ph": "M", "name": "thread_name", "pid": rank, "tid": tid, "args": {"name": track}})
        for sweep in range(sweeps):
            start = 100 * sweep + 5 * rank
            for name, tid, begin, long in (("ashlar::multigrid::pack", 0, 10, 10), ("a := b", 1, 20, 10),
                                           ("c := d", 2, 30, 5), ("ashlar::multigrid::exchange", 0, 40, 10),
                                           ("ashlar::multigrid::smooth[gsrb]", 0, 55, 10),
                                           ("ashlar::multigrid::smooth[gsrb]", 0, 70, 30)):
                events.append({"ph": "X", "name": name, "cat": "kernel", "pid": rank, "tid": tid, "ts": start + begin,
                               "dur": long})
    return {"traceEvents": events}


def legend(figure):
    """Which kinds of bars the figure has, some of all."""
    return [label for label in ("products", "vector updates", "halo packed, added", "sums sent, added", "host copies",
                                "iterations in one kernel", "waits for the halo") if f">{label}<" in figure]


class RanksTools(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().split(".")[-1]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def draw(self, content, *arguments, code=0):
        return self.run_tool("ranks_timeline", content, "trace.json", *arguments, code=code)

    def draw_multigrid(self, content, *arguments, code=0):
        return self.run_tool("hpgmg_timeline", content, "--trace", "stream", "trace.json", *arguments, code=code)

    def run_tool(self, tool, content, *arguments, code):
        (self.folder / "trace.json").write_text(json.dumps(content))
        result = subprocess.run([sys.executable, "-B", TOOLS / f"{tool}.py", *arguments, "-o", "figure.svg"],
                                capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return (self.folder / "figure.svg").read_text() if code == 0 else result.stderr

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_a_panel_for_each_form_says_how_long_an_iteration_takes(self):
        figure = self.draw(timeline("stencil11:8", ["1d whole", "1d packed", "2d packed"]), "--iteration", "1")
        # From where the first rank begins it to where the last begins the next.
        self.assertEqual(re.findall(r">(\S+ \S+): (\d+) us<", figure),
                         [("1d whole", "105"), ("1d packed", "205"), ("2d packed", "305")])
        self.assertEqual(figure.count(">rank 1<"), 3)
        self.assertIn("waits for the halo", figure)

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_forms_are_chosen_by_a_part_of_their_names(self):
        figure = self.draw(timeline("c", ["1d whole", "1d packed", "2d packed"]), "--iteration", "0", "--form", "whole",
                           "--form", "2d")
        self.assertEqual(re.findall(r">(\S+ \S+): \d+ us<", figure), ["1d whole", "2d packed"])
        self.assertIn("no such form (1d whole)", self.draw(timeline("c", ["1d whole"]), "--form", "3d", code=2))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_what_was_not_recorded_is_named(self):
        self.assertIn("no iteration 2 (there are 3", self.draw(timeline("c", ["1d whole"]), "--iteration", "2", code=2))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_modes_of_gpus_are_told_apart(self):
        figure = self.draw(gpu_timeline(), "--iteration", "0", "--form", "blocking")
        self.assertEqual(legend(figure), ["vector updates", "host copies", "waits for the halo"])
        self.assertIn("waits for each kernel and copy", figure)
        figure = self.draw(gpu_timeline(), "--iteration", "0", "--form", "kernel")
        self.assertEqual(legend(figure), ["vector updates", "halo packed, added", "sums sent, added",
                                          "iterations in one kernel", "waits for the halo"])
        self.assertNotIn("waits for each kernel and copy", figure)
        # No iteration begins where all are one kernel.
        self.assertEqual(re.findall(r">(1d.*?) us<", figure),
                         ["1d, kernel: 100", "1d, kernel, one kernel: all iterations, 80"])

    def test_one_case_is_drawn(self):
        both = {"traceEvents": timeline("a", ["1d"])["traceEvents"]}
        for event in timeline("b", ["1d"])["traceEvents"]:
            both["traceEvents"].append(event | {"pid": event["pid"] + 2})
        self.assertIn("several cases (a; b)", self.draw(both, code=2))
        self.assertIn("no case 'c' (a; b)", self.draw(both, "--case", "c", code=2))
        self.assertIn("pass a file of perf_cg_ranks --trace", self.draw({"results": []}, code=2))

    @unittest.skipUnless(HAS_MATPLOTLIB, "no matplotlib")
    def test_two_sweeps_of_multigrid_are_drawn_with_the_exchanges_before_them(self):
        figure = self.draw_multigrid(multigrid_timeline(4), "--sweep", "1", "--title", "8 boxes")
        # From where the first rank has ended the sweep before to where the last ends the second.
        self.assertEqual(re.findall(r">(\w+): (\d+) us<", figure), [("stream", "205")])
        for kind in ("sweeps", "messages packed, unpacked", "copies to and from the host"):
            self.assertIn(f">{kind}<", figure)
        self.assertIn("8 boxes; the recorder waits for each kernel and copy", figure)

    def test_sweeps_that_were_not_recorded_are_named(self):
        for sweep in ("0", "3"):
            self.assertIn("there are 4, counted from 0",
                          self.draw_multigrid(multigrid_timeline(4), "--sweep", sweep, code=2))
        self.assertIn("pass a file of ashlar hpgmg --trace", self.draw_multigrid({"results": []}, code=2))


if __name__ == "__main__":
    unittest.main()
