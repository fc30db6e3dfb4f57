"""Checks what no compiler checks: module order, length of files, include guards, citations,
words that do not belong.

Usage: check.py ROOT. Prints one line per finding and exits with 1 when there is any.
"""

import pathlib
import re
import sys

MODULES = "math geometry collision graph world constraint solver impact motion time_control scene record api".split()
# Plain data without behaviour, read by modules to the left of its own: header -> modules that may include it.
PLAIN_DATA = {
    "constraint/row.hpp": {"solver", "impact"},
}
MAX_LINES = 450
FOLDERS = ["include", "src", "apps", "tests", "bench", "python"]
SUFFIXES = {".hpp", ".cpp", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
FORBIDDEN = [
    (re.compile(r"/(?:work|home|root|tmp)/\w"), "path of a machine"),
    (re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b"), "unfinished work"),
    (re.compile(r"^\s*#\s*if\s+0\b"), "dead code"),
]


CITATION = re.compile(r"\[([A-Z][A-Za-z]+\d{2}[a-z]?)(?:,[^\]]*)?\]")
BIB_KEY = re.compile(r"^@\w+\{(\w+),", re.MULTILINE)


def module_of(path, root):
    parts = path.relative_to(root).parts
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def check_include(module, header):
    """Why `module` must not include `header`, or None."""
    target = header.split("/")[0]
    if target not in MODULES or target == module:
        return None
    if module not in MODULES:
        return f"module '{module}' has no place in the order {' '.join(MODULES)}"
    if MODULES.index(target) < MODULES.index(module) or module in PLAIN_DATA.get(header, ()):
        return None
    return f'{module} includes "{header}", but {target} is to its right'


def check_file(path, root, known_works=None):
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    module = module_of(path, root)
    if len(lines) > MAX_LINES:
        yield len(lines), f"{len(lines)} lines; more than {MAX_LINES} is two concepts in one file"
    if path.suffix == ".hpp" and "#pragma once" not in lines:
        yield 1, "header without #pragma once"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end of the file"
    for number, line in enumerate(lines, start=1):
        include = INCLUDE.match(line)
        if include and module:
            reason = check_include(module, include.group(1))
            if reason:
                yield number, reason
        for key in CITATION.findall(line) if known_works is not None else []:
            if key not in known_works:
                yield number, f"[{key}] is not in docs/references.bib"
        for pattern, what in FORBIDDEN:
            if pattern.search(line):
                yield number, f"{what}: {line.strip()}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    paths = [p for folder in FOLDERS for p in sorted((root / folder).rglob("*")) if p.suffix in SUFFIXES and p.is_file()]
    if not paths:
        print(f"{root}: no source files found")
        return 1
    known_works = set(BIB_KEY.findall((root / "docs/references.bib").read_text(encoding="utf-8")))
    findings = 0
    for path in paths:
        for number, message in check_file(path, root, known_works):
            print(f"{path.relative_to(root)}:{number}: {message}")
            findings += 1
    print(f"{len(paths)} files, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
