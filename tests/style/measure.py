"""Measures the structure of the sources: the table in docs/architecture.md.

Usage: measure.py [COMMIT...]   prints one column per commit; without one, the working tree.
"""

import pathlib
import re
import subprocess
import sys

import check

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STRUCT = re.compile(r"^\s*(?:struct|class) (?:alignas\([^)]*\) )?(\w+)[^;{]*\{\s*$")
MEMBER = re.compile(r"^\s+(?!return|using|friend|static|explicit|virtual|template|case|if|for|public|private|\[\[|//|\})[\w:<>,\s*&]+?\b[\w, ={}.\-*\[\]]+;")
CONSTANT = re.compile(r"constexpr (?:double|float|int|std::size_t|std::int64_t|std::uint32_t|unsigned) k[A-Z].*=")
NOT_TUNED = re.compile(r"Infinity|numeric_limits|numbers::pi")


def read_sources(commit):
    """Path and text of every source in src and include."""
    if commit is None:
        for folder in ("src", "include"):
            for path in sorted((ROOT / folder).rglob("*")):
                if path.suffix in (".hpp", ".cpp"):
                    yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        return
    names = subprocess.run(["git", "ls-tree", "-r", "--name-only", commit, "src", "include"], cwd=ROOT, capture_output=True,
                           text=True, check=True).stdout.split()
    for name in names:
        if name.endswith((".hpp", ".cpp")):
            yield name, subprocess.run(["git", "show", f"{commit}:{name}"], cwd=ROOT, capture_output=True, text=True,
                                       check=True).stdout


def list_function_lengths(text):
    lines = text.split("\n")
    start = {}
    for number, line in enumerate(lines, start=1):
        closed = check.FUNCTION_END.match(line)
        if closed:
            first = start.pop(len(closed.group(1)), None)
            if first:
                yield number - first + 1
            continue
        indent = len(line) - len(line.lstrip(" "))
        if indent in (0, 2) and line.endswith("{") and ")" in line and not check.NOT_A_FUNCTION.search(line):
            start[indent] = number


def count_members(text):
    """(members, name) of every struct, its own members alone."""
    lines = text.split("\n")
    for k, line in enumerate(lines):
        opened = STRUCT.match(line)
        if not opened:
            continue
        depth, members = 0, 0
        for inner in lines[k:]:
            if depth == 1 and "(" not in inner.split("=")[0].split("//")[0] and MEMBER.match(inner):
                members += inner.split("//")[0].split("{")[0].split("=")[0].count(",") if "<" not in inner else 0
                members += 1
            depth += inner.count("{") - inner.count("}")
            if depth == 0:
                break
        yield members, opened.group(1)


def quantiles(values):
    values = sorted(values)
    return f"{values[len(values) // 2]} / {values[len(values) * 9 // 10]} / {values[-1]}"


def measure(commit):
    sources = dict(read_sources(commit))
    src = {name: text for name, text in sources.items() if name.startswith("src/")}
    folders = {}
    for name in src:
        folder = name.rsplit("/", 1)[0]
        folders[folder] = folders.get(folder, 0) + 1
    headers = [text for name, text in sources.items() if name.endswith(".hpp")]
    largest = max((one for text in sources.values() for one in count_members(text)))
    constants = sum(1 for text in src.values() for line in text.split("\n") if CONSTANT.search(line) and not NOT_TUNED.search(line))
    busiest = max(folders.items(), key=lambda item: item[1])
    return {
        "files in the largest folder": f"{busiest[1]} ({busiest[0]})",
        "files per folder, p50 / p90 / max": quantiles(folders.values()),
        "file length, p50 / p90 / max": quantiles([text.count("\n") for text in src.values()]),
        "function length, p50 / p90 / max": quantiles([n for text in src.values() for n in list_function_lengths(text)]),
        "members of the largest struct": f"{largest[0]} ({largest[1]})",
        "named constants in `src/`": str(constants),
        "lines in `src/`": str(sum(text.count("\n") for text in src.values())),
        "includes per header, mean": f"{sum(len(re.findall(r'^#include', t, re.M)) for t in headers) / len(headers):.1f}",
    }


def main():
    commits = sys.argv[1:] or [None]
    columns = [measure(commit) for commit in commits]
    print("| | " + " | ".join(commit or "now" for commit in commits) + " |")
    print("|---" * (len(commits) + 1) + "|")
    for key in columns[0]:
        print(f"| {key} | " + " | ".join(column[key] for column in columns) + " |")


if __name__ == "__main__":
    main()
