"""Names in anonymous namespaces that two sources of one folder define: a folder is compiled as one translation unit."""

import collections
import re

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
ANONYMOUS = re.compile(r"\bnamespace\s*\{")
KERNEL = "HWY_TARGET_INCLUDE"  # compiled on its own, once per instruction set


def declarations(text):
    """(line, heading) of what an anonymous namespace defines: each text before a body or a semicolon, outside bodies."""
    text = COMMENT_OR_TEXT.sub(lambda m: "\n" * m.group().count("\n"), text)
    for namespace in ANONYMOUS.finditer(text):
        depth, heading, began = 1, "", namespace.end()
        for at in range(namespace.end(), len(text)):
            letter = text[at]
            if letter == "{":
                depth += 1
            elif letter == "}":
                depth -= 1
                if depth == 0:
                    break
            is_value = "=" in re.sub(r"\(.*\)", "", heading, flags=re.DOTALL)  # then braces are part of the value
            if depth == 1 and (letter == ";" or letter == "}" and not is_value) or depth == 2 and letter == "{" and not is_value:
                if heading.strip():
                    yield text.count("\n", 0, began) + 1, " ".join(heading.split())
                heading = ""
            elif depth == 1:
                if not heading.strip():
                    began = at
                heading += letter


def parameter_types(arguments):
    """The types of a list of parameters: "const Vec3& x, double h = 0" gives "const Vec3&,double"."""
    depth, parts = 0, [""]
    for letter in arguments:
        depth += {"<": 1, "(": 1, "[": 1, ">": -1, ")": -1, "]": -1}.get(letter, 0)
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return ",".join(re.sub(r"[\s]*\b\w+$", "", part.split("=")[0].strip()) for part in parts)


def key_of(heading):
    """What must be unique: a name, for functions with the types of their parameters; None for what may be repeated."""
    if re.match(r"(?:using|TEST|RC_|INSTANTIATE|namespace)\b|[A-Z_]+\(", heading) or re.search(r"\w+::~?\w+ ?\([^=]*$", heading):
        alias = re.match(r"using (\w+) ?= ?(.+)", heading)
        return (alias.group(1), alias.group(2)) if alias else None
    heading = re.sub(r"^template ?<[^>]*> ?", "", re.sub(r"\[\[\w+\]\] ?", "", heading))
    kind = re.match(r"(?:struct|class|enum(?: class)?|union) (\w+)", heading)
    if kind:
        return kind.group(1), ""
    value = re.match(r"[^(]*?(\w+)(?:\[[^\]]*\])* ?(?:=(?!=).*)?$", heading) if "(" not in heading.split("=")[0] else None
    if value:
        return value.group(1), ""
    function = re.match(r"[^(]*?(\w+) ?\((.*)", heading)
    return (function.group(1), parameter_types(function.group(2))) if function else None


def repeated(sources):
    """(path, line, message) for the sources of one folder, given as (path, text)."""
    known = collections.defaultdict(dict)
    for path, text in sources:
        if KERNEL in text:
            continue
        for line, heading in declarations(text):
            key = key_of(heading)
            if key is None:
                continue
            name, what = key
            is_alias = heading.startswith("using")
            for other, (where, other_is_alias) in known[name].items():
                same = other != what if is_alias and other_is_alias else other == what or "" in (other, what)
                if where != path and same:
                    yield path, line, f"'{name}' is also in the anonymous namespace of {where.name}: one folder, one unit"
                    break
            known[name].setdefault(what, (path, is_alias))
