"""Criteria on a report, such as `penetration.max < 1e-3 and stopped == null`.

A small subset of Python's expressions, evaluated on the parsed tree: names with dots, numbers, words, comparisons,
arithmetic, and, or, not, and a few functions. Nothing else of the language can be reached.
"""

from __future__ import annotations

import ast
import math
import operator
from typing import Any, Mapping

_COMPARISONS = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
               ast.Pow: math.pow}
_FUNCTIONS = {"abs": abs, "min": min, "max": max, "sqrt": math.sqrt, "log10": math.log10}
_CONSTANTS = {"null": None, "true": True, "false": False, "nan": math.nan, "inf": math.inf}


class ExpressionError(ValueError):
    """An expression that cannot be read or evaluated."""


class Expression:
    """A parsed criterion; `evaluate` takes a report as nested mappings."""

    def __init__(self, text: str):
        self.text = text
        if len(text) > 10_000:
            raise ExpressionError("the expression is longer than 10,000 characters")
        try:
            self._tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ExpressionError(f"cannot read '{text[:80]}': {getattr(error, 'msg', error)}") from None
        self._check(self._tree)

    def evaluate(self, report: Mapping[str, Any]) -> Any:
        try:
            return self._value(self._tree, report)
        except (TypeError, ZeroDivisionError, ValueError, OverflowError) as error:
            raise ExpressionError(f"cannot evaluate '{self.text}': {error}") from None

    def _check(self, node: ast.AST) -> None:
        """Refuses what evaluation does not know, before any run."""
        if isinstance(node, ast.BoolOp):
            children = node.values
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
            children = [node.operand]
        elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            children = [node.left, node.right]
        elif isinstance(node, ast.Compare) and all(type(op) in _COMPARISONS for op in node.ops):
            children = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
            if node.keywords or not node.args:
                raise ExpressionError(f"{node.func.id} takes one value or more")
            children = node.args
        elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str, bool, type(None))):
            children = []
        elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            _path(node)
            children = []
        else:
            raise ExpressionError(
                f"'{ast.unparse(node)}' is not allowed: names of the report, numbers, comparisons, + - * / **, and, or, "
                f"not, {', '.join(_FUNCTIONS)}")
        for child in children:
            self._check(child)

    def _value(self, node: ast.AST, report: Mapping[str, Any]) -> Any:
        if isinstance(node, ast.BoolOp):
            stop = isinstance(node.op, ast.Or)
            result = not stop
            for child in node.values:
                result = bool(self._value(child, report))
                if result == stop:
                    break
            return result
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, report)
            return not value if isinstance(node.op, ast.Not) else -value
        if isinstance(node, ast.BinOp):
            return _ARITHMETIC[type(node.op)](self._value(node.left, report), self._value(node.right, report))
        if isinstance(node, ast.Compare):
            left = self._value(node.left, report)
            for op, child in zip(node.ops, node.comparators):
                right = self._value(child, report)
                if not _COMPARISONS[type(op)](left, right):
                    return False
                left = right
            return True
        if isinstance(node, ast.Call):
            return _FUNCTIONS[node.func.id](*(self._value(child, report) for child in node.args))
        if isinstance(node, ast.Constant):
            return node.value
        return look_up(report, _path(node))


def _path(node: ast.AST) -> list[Any]:
    """The keys of a.b[0].c or a["b"]."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [*_path(node.value), node.attr]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return [*_path(node.value), node.slice.value]
    raise ExpressionError(f"'{ast.unparse(node)}' is no name of the report")


_COMPONENTS = {3: "xyz", 4: "wxyz"}  # of vectors and quaternions


def _index(value: Any, key: Any) -> Any:
    """position.x is the first number of a vector."""
    if isinstance(value, list) and isinstance(key, str) and len(key) == 1:
        place = _COMPONENTS.get(len(value), "").find(key)
        if place >= 0:
            return place
    return key


def look_up(report: Mapping[str, Any], path: list[Any]) -> Any:
    """The value at a path of nested mappings and lists. Raises ExpressionError naming what there is instead."""
    if len(path) == 1 and path[0] in _CONSTANTS and path[0] not in report:
        return _CONSTANTS[path[0]]
    value: Any = report
    for k, key in enumerate(path):
        try:
            value = value[_index(value, key)]
        except (KeyError, IndexError, TypeError):
            there = f"; there is {', '.join(map(str, value))}" if isinstance(value, Mapping) else ""
            raise ExpressionError(f"the report has no '{'.'.join(map(str, path[: k + 1]))}'{there}") from None
    return value
