#!/usr/bin/env python3
"""A page has what a program prints, or the first lines of it, as a code block of its own.

check_output.py PROGRAM PAGE      run PROGRAM; exit 1 if it fails or PAGE has no block of what it prints
"""
import pathlib
import re
import subprocess
import sys

# A block without a language; those of programs name theirs.
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def shows(page, output):
    blocks = (body for language, body in BLOCK.findall(pathlib.Path(page).read_text()) if not language)
    return any(body and output.startswith(body) for body in blocks)


def main(program, page):
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    print(run.stdout, run.stderr, sep="")
    if run.returncode != 0:
        print(f"{program} ends with {run.returncode}")
        return 1
    if not shows(page, run.stdout):
        print(f"{page} has no block of these lines")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
