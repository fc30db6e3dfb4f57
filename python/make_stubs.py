"""Writes the type stubs of the extension module from the signatures that pybind11 puts into docstrings.

Usage: make_stubs.py FOLDER_OF_THE_MODULE OUTPUT
"""

import ast
import enum
import importlib.util
import inspect
import pathlib
import re
import sys

HEAD = '''# Made by python/make_stubs.py when the module is built.
import collections.abc
import enum
import typing
from typing import Any, Callable, Dict, List, Optional, Tuple, overload

import numpy
import numpy.typing

'''


def clean(signature):
    """A signature of pybind11 as one of Python, or one that takes anything where C++ shines through."""
    signature = re.sub(r"achilles\._core\.", "", signature)
    signature = re.sub(r"numpy\.ndarray\[[^\]]*\]", "numpy.ndarray", signature)
    signature = re.sub(r"(self: )\w+", "self", signature)
    signature = re.sub(r"= <[^>]*>", "= ...", signature)
    signature = re.sub(r"\b(handle|object)\b", "Any", signature)
    signature = re.sub(r"\bfunction\b", "Callable[..., Any]", signature)
    signature = re.sub(r"= (inf|nan)\b", "= ...", signature)
    try:
        ast.parse(f"def f{signature}: ...")
    except SyntaxError:
        return "(self, *args: Any, **kwargs: Any) -> Any"
    return signature


def split_document(name, document):
    """[(signature, text)] of all overloads."""
    lines = (document or "").split("\n")
    if len(lines) > 2 and lines[1] == "Overloaded function.":
        parts = re.split(r"\n\d+\. " + re.escape(name) + r"(?=\()", document)[1:]
        return [(part.split("\n", 1)[0], part.split("\n", 1)[1].strip() if "\n" in part else "") for part in parts]
    match = re.match(r"\w*(\(.*\) -> .*)", lines[0])
    if not match:
        return [("(self, *args: Any, **kwargs: Any) -> Any", (document or "").strip())]
    return [(match.group(1), "\n".join(lines[1:]).strip())]


def write_text(text, indent):
    if not text:
        return []
    body = inspect.cleandoc(text).replace("\\", "\\\\").replace('"""', "'''")
    lines = body.split("\n")
    lines[0] = '"""' + lines[0]
    lines[-1] += '"""'
    return [(indent + line).rstrip() for line in lines]


def write_function(name, function, indent, is_static=False):
    overloads = split_document(name, function.__doc__)
    for signature, text in overloads:
        if len(overloads) > 1:
            yield indent + "@overload"
        if is_static:
            yield indent + "@staticmethod"
        signature = clean(signature)
        if not indent:
            signature = signature.replace("(self, *args", "(*args")
        yield f"{indent}def {name}{signature}:"
        yield from write_text(text, indent + "    ")
        yield indent + "    ..."


def write_property(name, value):
    match = re.match(r"\(.*\) -> (.*)", (value.fget.__doc__ or "").split("\n")[0]) if value.fget else None
    result = clean(f"() -> {match.group(1)}").split("-> ")[1] if match else "Any"
    text = re.sub(r"^\(.*\) -> .*\n*", "", value.__doc__ or "").strip()
    yield "    @property"
    yield f"    def {name}(self) -> {result}:"
    yield from write_text(text, "        ")
    yield "        ..."
    if value.fset:
        yield f"    @{name}.setter"
        yield f"    def {name}(self, value: Any) -> None: ..."


def write_class(name, value):
    if issubclass(value, enum.IntEnum):
        yield f"class {name}(enum.IntEnum):"
        yield from write_text(value.__doc__ or "", "    ")
        yield from (f"    {member.name} = {member.value}" for member in value)
        return
    bases = [base.__name__ for base in value.__bases__ if base.__name__ not in ("pybind11_object", "object")]
    yield f"class {name}{'(' + ', '.join(bases) + ')' if bases else ''}:"
    text = value.__doc__ or ""
    yield from write_text(text, "    ") or ["    ..."]
    for member, item in sorted(vars(value).items()):
        if member.startswith("_pybind11_"):
            continue
        if isinstance(item, property) and not member.startswith("__"):
            yield from write_property(member, item)
        elif type(item).__name__ == "instancemethod" and (not member.startswith("__") or member in ("__init__", "__len__")):
            yield from write_function(member, getattr(value, member), "    ")
        elif isinstance(item, staticmethod):
            yield from write_function(member, getattr(value, member), "    ", True)
        elif isinstance(item, value):
            yield f"    {member}: {name}"
    if issubclass(value, BaseException):
        for attribute, kind in (("diagnostics", "List[Diagnostic]"), ("file", "str"), ("line", "int"), ("column", "int"),
                                ("field", "str")):
            if name == "SceneError":
                yield f"    {attribute}: {kind}"


def main():
    folder, output = map(pathlib.Path, sys.argv[1:])
    path = next(folder.glob("_core*.so"))
    spec = importlib.util.spec_from_file_location("achilles._core", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lines = []
    for name, value in sorted(vars(module).items()):
        if name.startswith("__"):
            continue
        lines += write_class(name, value) if inspect.isclass(value) else write_function(name, value, "")
        lines.append("")
    text = HEAD + "\n".join(lines)
    ast.parse(text)
    output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
