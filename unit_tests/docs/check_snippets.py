#!/usr/bin/env python3
"""Each code block of a page between `<!-- FILE: begin ... -->` and `<!-- FILE: end -->` must be that file; between
`<!-- FILE from 'TEXT' to 'TEXT': begin ... -->` and `<!-- FILE: end -->`, the file's lines from the first that holds the
one text to the next that holds the other.

check_snippets.py SOURCE_DIR PAGE...      compare; exit 1 and name the first difference
check_snippets.py --write SOURCE_DIR PAGE...   put the files' text into the pages
"""
import pathlib
import re
import sys
import textwrap

SNIPPET = re.compile(r"(<!-- (?P<file>\S+?)(?: from '(?P<first>[^']+)' to '(?P<last>[^']+)')?: begin[^\n]*-->\n)"
                     r"(?P<body>.*?)(<!-- (?P=file): end -->)", re.DOTALL)
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".txt": "cmake", ".sh": "sh"}


def lines_between(text, first, last):
    lines = text.splitlines(keepends=True)
    begin = next((i for i, line in enumerate(lines) if first in line), len(lines))
    end = next((i for i, line in enumerate(lines) if i >= begin and last in line), None)
    return textwrap.dedent("".join(lines[begin:end + 1])) if end is not None else ""


def block_of(source, match):
    path = pathlib.Path(source, match["file"])
    text = path.read_text()
    if match["first"]:
        text = lines_between(text, match["first"], match["last"])
    return f"```{LANGUAGES.get(path.suffix, '')}\n{text}```\n"


def main(arguments):
    write = arguments[:1] == ["--write"]
    source, *pages = arguments[1:] if write else arguments
    found, wrong = 0, 0
    for page in map(pathlib.Path, pages):
        text = page.read_text()
        for match in SNIPPET.finditer(text):
            found += 1
            if match["body"] != block_of(source, match):
                wrong += 1
                if not write:
                    print(f"{page}: the snippet of {match['file']} is not that file; run this with --write")
        if write:
            page.write_text(SNIPPET.sub(lambda m: m[1] + block_of(source, m) + m[6], text))
    print(f"{found} snippets, {wrong} differ")
    return 0 if found and (write or not wrong) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
