#!/usr/bin/env python3
"""Every link of a page that stays within the repository leads to a file that is there, and to a heading of it.

check_links.py PAGE...      exit 1 and name each that does not
"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def headings(text):
    """As GitHub names them: in small letters, without punctuation, with hyphens for spaces."""
    for heading in re.findall(r"^#+ (.*)$", CODE.sub("", text), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def main(pages):
    found, broken = 0, 0
    for page in map(pathlib.Path, pages):
        for link in LINK.findall(CODE.sub("", page.read_text())):
            if re.match(r"[a-z]+:", link):
                continue
            found += 1
            name, _, heading = link.partition("#")
            target = page.parent / name if name else page
            if not target.exists() or (heading and heading not in headings(target.read_text())):
                broken += 1
                print(f"{page}: {link} leads nowhere")
    print(f"{found} links, {broken} broken")
    return 0 if found and not broken else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
