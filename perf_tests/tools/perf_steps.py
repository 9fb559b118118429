"""What the tools that measure a machine share: a step is a program that is run on some ranks within a time, with a log."""
import os
import pathlib
import signal
import subprocess
import time


class Step:
    """`program` is relative to the build folder; `ranks` 0: run as it is, with nothing to start ranks. `variables` are of
    its environment. Of a step that is to be `killed`, one rank is, after some seconds: it must end, and not well. A
    program may run `under` another: a command that it and its arguments follow."""

    def __init__(self, name, ranks, limit, program, *arguments, variables=None, killed=False, under=()):
        self.name, self.ranks, self.limit, self.program, self.arguments = name, ranks, limit, program, arguments
        self.variables, self.killed, self.under = variables or {}, killed, under


def command_of(step, build, launcher):
    command = [*step.under, str(build / step.program), *step.arguments]
    if step.program.startswith("perf_tests/"):
        command += ["--json", f"{step.name}.json"]
    return [*launcher, "-n", str(step.ranks), *command] if step.ranks else command


def kill_one_rank(process, program):
    """Kills one of the processes that the launcher has started, when it has had some seconds to work."""
    time.sleep(5)
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and pathlib.Path(os.readlink(entry / "exe")).name == program:
                os.kill(int(entry.name), signal.SIGKILL)
                return process.poll() is None
        except (OSError, ProcessLookupError):
            continue
    return False


def run(step, build, out, launcher):
    """How the step ended: passed, failed, timed out, or absent where its program was not built. Its log and result file
    are in `out`, by its name."""
    if not (build / step.program).exists():
        return "absent"
    with open(out / f"{step.name}.log", "w") as log:
        try:
            process = subprocess.Popen(command_of(step, build, launcher), cwd=out, stdout=log, stderr=subprocess.STDOUT,
                                       env=os.environ | step.variables, start_new_session=True)
        except OSError as error:
            log.write(f"{error}\n")
            return "failed"
        killed = step.killed and kill_one_rank(process, pathlib.Path(step.program).name)
        try:
            code = process.wait(timeout=60 if step.killed else step.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "timed out"
    if step.killed:
        return "passed" if killed and code != 0 else "failed"
    return "passed" if code == 0 else "failed"
