#!/usr/bin/env python3
"""Each code block of a page between `<!-- FILE: begin ... -->` and `<!-- FILE: end -->` must be that file.

check_snippets.py SOURCE_DIR PAGE...      compare; exit 1 and name the first difference
check_snippets.py --write SOURCE_DIR PAGE...   put the files' text into the pages
"""
import pathlib
import re
import sys

SNIPPET = re.compile(r"(<!-- (?P<file>\S+): begin[^\n]*-->\n)(?P<body>.*?)(<!-- (?P=file): end -->)", re.DOTALL)


def block_of(path):
    language = {".cpp": "cpp", ".txt": "cmake"}.get(path.suffix, "")
    return f"```{language}\n{path.read_text()}```\n"


def main(arguments):
    write = arguments[:1] == ["--write"]
    source, *pages = arguments[1:] if write else arguments
    found, wrong = 0, 0
    for page in map(pathlib.Path, pages):
        text = page.read_text()
        for match in SNIPPET.finditer(text):
            found += 1
            if match["body"] != block_of(pathlib.Path(source, match["file"])):
                wrong += 1
                if not write:
                    print(f"{page}: the snippet of {match['file']} is not that file; run this with --write")
        if write:
            page.write_text(SNIPPET.sub(lambda m: m[1] + block_of(pathlib.Path(source, m["file"])) + m[4], text))
    print(f"{found} snippets, {wrong} differ")
    return 0 if found and (write or not wrong) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
