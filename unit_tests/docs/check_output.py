#!/usr/bin/env python3
"""What a program prints must be in a page, as a code block of its own.

check_output.py PAGE PROGRAM      run PROGRAM; exit 1 if it fails or PAGE has no block of what it prints
"""
import pathlib
import subprocess
import sys


def main(page, program):
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    print(run.stdout, run.stderr, sep="")
    if run.returncode != 0:
        print(f"{program} ends with {run.returncode}")
        return 1
    if f"```\n{run.stdout}```\n" not in pathlib.Path(page).read_text():
        print(f"{page} has no block of these lines")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
