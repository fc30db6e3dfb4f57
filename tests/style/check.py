"""Checks what no compiler checks: module order, types of one name, knowledge of methods, length of files and
functions, size of folders, include guards, public headers that lead to internal ones, citations, words of the glossary.

Usage: check.py ROOT. Prints one line per finding and exits with 1 when there is any.
"""

import pathlib
import re
import sys

import internal_names

MODULES = ("platform math parallel geometry collision graph world constraint solver impact motion stepping methods scene record "
           "api live").split()
# Plain data without behaviour, read by modules to the left of its own: header -> modules that may include it.
PLAIN_DATA = {
    "constraint/row.hpp": {"solver", "impact"},
}
# Public headers and the leftmost module that may include them.
PUBLIC_HEADERS = {
    "math": "math", "profile": "parallel", "shape": "geometry", "error": "geometry", "events": "geometry",
    "handle": "geometry", "scene": "world", "joint": "world", "world": "world", "report": "world",
    "import": "world", "query": "world", "script": "world", "contact_graph": "world", "placement": "api", "json": "api",
    "sensor": "world", "sleep": "world", "contact_callback": "world",
    "run": "api", "simulation": "api", "recorder": "api", "live_view": "live",
}
MAX_LINES = 450
MAX_FUNCTION_LINES = 80
MAX_FILES = 45  # in a folder of src
FOLDERS = ["include", "src", "apps", "tests", "bench", "python"]
SUFFIXES = {".hpp", ".cpp", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<achilles/(\w+)\.hpp>)')
NAMESPACE = re.compile(r"^(?:inline )?namespace([\w: ]*)\{")
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union)(?: alignas\([^)]*\))? (\w+)(?: final)?\s*(?:$|\{|:(?!:))")
FUNCTION_END = re.compile(r"^( {0,2})\}$")
NOT_A_FUNCTION = re.compile(r"^\s*(?:if|for|while|switch|else|do|try|catch|return|namespace|struct|class|enum|union|\})\b|\]\s*\(")
# Where a method gives its name: `.name = "..."` of its spec, and the functions and constants that lead there.
METHOD_NAME = re.compile(r'(?:\.name = |describe_by_\w+\(|k\w+Name = )"([a-z][a-z-]+)"')
# Experiments of the papers choose their methods; the scene format has a default.
METHOD_NAMES_ALLOWED = ("src/methods/", "apps/achilles/reproduce", "include/achilles/scene.hpp", "tests/", "bench/", "python/")
FORBIDDEN = [
    (re.compile(r"/(?:work|home|root|tmp)/\w"), "path of a machine"),
    (re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b"), "unfinished work"),
    (re.compile(r"^\s*#\s*if\s+0\b"), "dead code"),
]


# What only one operating system or processor has; src/platform alone knows it. Kernels of Highway choose at run time.
SYSTEM = re.compile(r'^\s*#\s*include\s*<(?:sys/|arpa/|netinet/|linux/|mach|windows|(?:unistd|fcntl|spawn|pthread|sched|poll|dlfcn|'
                    r'signal|termios|immintrin|x86intrin|arm_neon)\.h)|"/proc/')

# Words that describe code as if it were people: write report, query, receive, state, the name of the component, correct,
# project out. Also as parts of identifiers, such as say_hello.
GLOSSARY = re.compile(r"(?<![A-Za-z])(?:told|tell(?:s|ing)?|ask(?:s|ed|ing)?|sa(?:y|ys|id|ying)|who(?:m|ever)?|somebody|someone|anyone|"
                      r"nobody|mend(?:s|ed|ing)?|shave[sd]?)(?![A-Za-z])", re.I)
GLOSSARY_PATHS = ("src/", "include/", "apps/", "docs/", "README.md", "CONTRIBUTING.md")
GLOSSARY_EXEMPT = ("docs/RESULTS.md",)  # quotes the papers
# Identifiers that stand for a standard term elsewhere: identifier -> what to write.
FORBIDDEN_NAMES = {
    "see_families": "check_momentum_of_free_islands", "kWrong": "kAboveSlop", "helper_trust": "worker back-off",
}

CITATION = re.compile(r"\[([A-Z][A-Za-z]+\d{2}[a-z]?)(?:,[^\]]*)?\]")
BIB_KEY = re.compile(r"^@\w+\{(\w+),", re.MULTILINE)


def module_of(path, root):
    parts = path.relative_to(root).parts
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def check_include(module, header, public=None):
    """Why `module` must not include `header`, or the header `public` of the library, or None."""
    if public is not None:
        target = PUBLIC_HEADERS.get(public)
        if target is None:
            return f"<achilles/{public}.hpp> has no place in the order; add it to PUBLIC_HEADERS"
        if module in MODULES and MODULES.index(target) > MODULES.index(module):
            return f"{module} includes <achilles/{public}.hpp>, but {target} is to its right"
        return None
    target = header.split("/")[0]
    if target not in MODULES or target == module:
        return None
    if module not in MODULES:
        return f"module '{module}' has no place in the order {' '.join(MODULES)}"
    if MODULES.index(target) < MODULES.index(module) or module in PLAIN_DATA.get(header, ()):
        return None
    return f'{module} includes "{header}", but {target} is to its right'


def list_types(text):
    """(line number, qualified name) of the types that a file defines in named namespaces."""
    scopes = []
    for number, line in enumerate(text.split("\n"), start=1):
        opened = NAMESPACE.match(line)
        if opened:
            scopes.append(opened.group(1).strip())
        elif line.startswith("}  // namespace") and scopes:
            scopes.pop()
        else:
            defined = TYPE.match(line)
            if defined and scopes and all(scopes):
                yield number, "::".join(scopes + [defined.group(1)])


def check_types(texts):
    """Types of the same name, which the linker takes for one: (path, line number, message)."""
    places = {}
    for path, text in texts.items():
        for number, name in list_types(text):
            first = places.setdefault(name, (path, number))
            if first[0] != path:
                yield path, number, f"{name} is also defined in {first[0]}:{first[1]}"


def list_methods(texts):
    """The names of the methods, as the specs in src/methods give them."""
    specs = [text for path, text in texts.items() if path.startswith("src/methods/")]
    return {name for text in specs for name in METHOD_NAME.findall(text)}


def check_method_names(path, text, methods):
    """Code that knows a method by its name: (line number, message)."""
    if path.startswith(METHOD_NAMES_ALLOWED):
        return
    for number, line in enumerate(text.split("\n"), start=1):
        for word in re.findall(r'"([a-z-]+)"', line.split("//")[0]):
            if word in methods:
                yield number, f'the method "{word}" is known by name outside src/methods'


def check_functions(text):
    """Functions longer than a screen: (line number, message)."""
    lines = text.split("\n")
    start = {}  # indentation: line number of the function that is open there
    for number, line in enumerate(lines, start=1):
        closed = FUNCTION_END.match(line)
        if closed:
            first = start.pop(len(closed.group(1)), None)
            if first and number - first >= MAX_FUNCTION_LINES:
                yield first, f"a function of {number - first + 1} lines; more than {MAX_FUNCTION_LINES} is two functions"
            continue
        indent = len(line) - len(line.lstrip(" "))
        if indent in (0, 2) and line.endswith("{") and ")" in line and not NOT_A_FUNCTION.search(line):
            start[indent] = number
    return


def check_folders(paths):
    """Folders of src with too many files: (path, message)."""
    counts = {}
    for path in paths:
        if path.startswith("src/"):
            folder = path.rsplit("/", 1)[0]
            counts[folder] = counts.get(folder, 0) + 1
    for folder, count in counts.items():
        if count > MAX_FILES:
            yield folder, f"{count} files; more than {MAX_FILES} are two folders"


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
            reason = check_include(module, include.group(1), include.group(2))
            if reason:
                yield number, reason
        if module != "platform" and path.relative_to(root).parts[0] in ("src", "apps", "include") and SYSTEM.search(line):
            yield number, f"belongs into src/platform: {line.strip()}"
        for key in CITATION.findall(line) if known_works is not None else []:
            if key not in known_works:
                yield number, f"[{key}] is not in docs/references.bib"
        for pattern, what in FORBIDDEN:
            if pattern.search(line):
                yield number, f"{what}: {line.strip()}"


def check_words(path, text):
    """Words for which there is a standard term: (line number, message)."""
    if path.startswith(GLOSSARY_PATHS) and path not in GLOSSARY_EXEMPT:
        for number, line in enumerate(text.split("\n"), start=1):
            for word in GLOSSARY.findall(line):
                yield number, f'"{word}": name the component, and what it reports, queries, receives or corrects'
    for number, line in enumerate(text.split("\n"), start=1):
        for word, standard in FORBIDDEN_NAMES.items():
            if re.search(rf"\b{word}\b", line):
                yield number, f"'{word}': the standard term is {standard}"


def check_named_code(text, sources, paths):
    """Names of code in a page that no source has: (line number, message). `sources` are the words of the sources."""
    is_code = False
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("```"):
            is_code = not is_code
        for name in [] if is_code else re.findall(r"`([^`]+)`", line):
            named = re.match(r"(?:\w+::)*(\w+)(?:\(.*\))?$", name)
            if named and re.search(r"_|[a-z][A-Z]", named.group(1)) and named.group(1) not in sources:
                yield number, f"`{name}` is in no source"
            is_path = re.match(r"(?:src|tests|include|cmake|docs|scenes|[a-z_]+)/[\w./]+$", name)
            if is_path and "." in name and not any(p == name or p.endswith("/" + name) for p in paths):
                yield number, f"there is no file {name}"


def check_public_header(path, text):
    """What a program includes leads to nothing internal: (line number, message)."""
    if not path.startswith("include/"):
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if re.match(r'^\s*#\s*include\s*"', line):
            yield number, "a public header includes an internal one"


def check_united_names(paths, root):
    """Names that two sources of a folder define internally; a folder is compiled as one translation unit."""
    sources = [p for p in paths if p.suffix == ".cpp" and p.relative_to(root).parts[0] in ("src", "apps")]
    for folder in sorted({p.parent for p in sources}):
        yield from internal_names.repeated([(p, p.read_text(encoding="utf-8")) for p in sources if p.parent == folder])


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    paths = [p for folder in FOLDERS for p in sorted((root / folder).rglob("*")) if p.suffix in SUFFIXES and p.is_file()]
    if not paths:
        print(f"{root}: no source files found")
        return 1
    known_works = set(BIB_KEY.findall((root / "docs/references.bib").read_text(encoding="utf-8")))
    findings = 0

    def report(where, message):
        nonlocal findings
        print(f"{where}: {message}")
        findings += 1

    texts = {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in paths}
    methods = list_methods(texts)
    for path in paths:
        name = str(path.relative_to(root))
        for number, message in check_file(path, root, known_works):
            report(f"{name}:{number}", message)
        for number, message in check_method_names(name, texts[name], methods):
            report(f"{name}:{number}", message)
        for number, message in [*check_words(name, texts[name]), *check_public_header(name, texts[name])]:
            report(f"{name}:{number}", message)
        if not name.startswith("tests/"):
            for number, message in check_functions(texts[name]):
                report(f"{name}:{number}", message)
    pages = [p for p in sorted(root.rglob("*.md")) if str(p.relative_to(root)).startswith(GLOSSARY_PATHS)]
    for page in pages:
        name = str(page.relative_to(root))
        for number, message in check_words(name, page.read_text(encoding="utf-8")):
            report(f"{name}:{number}", message)
    page = root / "docs/architecture.md"
    files = {str(p.relative_to(root)) for p in root.glob("*/**/*") if p.suffix in SUFFIXES | {".py", ".cmake", ".md"}}
    examples = [p.read_text(encoding="utf-8") for p in sorted(root.glob("docs/examples/*/*.cpp"))]
    words = set(re.findall(r"\w+", "\n".join([*texts.values(), *examples])))
    for number, message in check_named_code(page.read_text(encoding="utf-8"), words, files):
        report(f"docs/architecture.md:{number}", message)
    library = {name: text for name, text in texts.items() if name.startswith(("src/", "include/"))}
    for name, number, message in check_types(library):
        report(f"{name}:{number}", message)
    for folder, message in check_folders(texts):
        report(folder, message)
    for path, number, message in check_united_names(paths, root):
        report(f"{path.relative_to(root)}:{number}", message)
    print(f"{len(paths)} files, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
