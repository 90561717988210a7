#!/usr/bin/env python3
"""Size limits, as a test. usage: sizes.py [project-root]      Needs universal-ctags."""
import json
import pathlib
import subprocess
import sys

FILE_MAX, FUNCTION_MAX, COLUMNS_MAX = 400, 60, 100
FOLDERS = ["src", "sim", "fuzz", "bench"]
CTAGS = ["ctags", "--output-format=json", "--fields=+ne", "--kinds-C++=f",
         "--langmap=C++:+.h", "-f", "-", "-L", "-"]


def sources(root):
    for folder in FOLDERS:
        yield from (p for p in sorted((root / folder).rglob("*")) if p.suffix in (".h", ".cpp"))


def long_files_and_lines(path):
    lines = path.read_text().splitlines()
    if len(lines) > FILE_MAX:
        yield f"{path}: {len(lines)} lines (max {FILE_MAX})"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield f"{path}:{number}: {len(line)} columns (max {COLUMNS_MAX})"


def long_functions(paths):
    names = "\n".join(map(str, paths))
    tags = subprocess.run(CTAGS, input=names, capture_output=True, text=True, check=True).stdout
    for tag in map(json.loads, tags.splitlines()):
        lines = tag.get("end", tag["line"]) - tag["line"] + 1
        if lines > FUNCTION_MAX:
            yield f'{tag["path"]}:{tag["line"]}: {tag["name"]} has {lines} lines (max {FUNCTION_MAX})'


def main(root):
    paths = list(sources(root))
    errors = [error for path in paths for error in long_files_and_lines(path)]
    errors += long_functions(paths)
    print("\n".join(errors) or "sizes: clean")
    return bool(errors)


sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
