"""Literals as they were written: a graph holds them rounded to the dtype, which may remove an epsilon.

`1.0 + 1e-10` is 1 in a float32 graph and `1e-8` is 0 in a float16 graph, and the graph does not show that they were
meant to be larger. The user's line does. Only 0, 1 and -1 are looked up, because rounding to other numbers loses
nothing relevant.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from tfnanlint.graph.positions import lines_of, statement_at, statements
from tfnanlint.graph.stack import Frame
from tfnanlint.interval import FLOAT_TYPES

ABSORBING = frozenset((0.0, 1.0, -1.0))

_FOLDS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def written(value: Any, dtype: str, site: Frame | None) -> Any:
    """A constant of the graph as written in the user's line; unchanged if that is not certain."""
    kind = FLOAT_TYPES.get(dtype)
    if site is None or kind is None or not isinstance(value, float) or value not in ABSORBING:
        return value
    if not _may_be_more(site[0], site[1]):
        return value
    found = {number for number in _numbers(site[0], site[1]) if kind.round(number) == value}
    return found.pop() if len(found) == 1 else value


NEARBY = 40
"""No statement that computes goes on for more lines than this before or behind a line of it."""
_CLOSE = re.compile(r"\d[eE][-+]?\d|\.00|\.99|\*\*\s*\(?-|\d{5}")
"""What the text of a number has in it that is close to 0, 1 or -1, or of what such a number is computed."""
_NAMED = re.compile(r"^(\w+)[^\n=]*=[^\n]*?(?:" + _CLOSE.pattern + ")", re.MULTILINE)
_BOUND = re.compile(r"^[ \t]*(\w+)\b[^\n=]*=[^\n]*\d", re.MULTILINE)


@lru_cache(maxsize=4096)
def _may_be_more(path: str, line: int) -> bool:
    """Whether such a number may stand near a line, or under a name that does: text is soon read."""
    around = "".join(lines_of(path)[max(line - NEARBY, 0) : line + NEARBY])
    return bool(_CLOSE.search(around)) or any(name in around for name in _close_names(path))


@lru_cache(maxsize=64)
def _close_names(path: str) -> frozenset[str]:
    """The names that a module gives to such numbers."""
    return frozenset(_NAMED.findall("".join(lines_of(path))))


@lru_cache(maxsize=4096)
def _numbers(path: str, line: int) -> frozenset[float]:
    """The numbers that stand in the statement at a line, by themselves or as constants of its module."""
    statement = statement_at(path, line)
    if statement is None:
        return frozenset()
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    bound = _module_constants(path) if not names.isdisjoint(_perhaps_bound(path)) else {}
    return frozenset(_constants(statement, bound))


@lru_cache(maxsize=64)
def _perhaps_bound(path: str) -> frozenset[str]:
    """The names that a module may bind to a number: text is soon read."""
    return frozenset(_BOUND.findall("".join(lines_of(path))))


@lru_cache(maxsize=64)
def _module_constants(path: str) -> dict[str, float]:
    """The names that a module binds once, to a number."""
    found: dict[str, float | None] = {}
    for node in statements(path):
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            continue
        value = _value(node.value, {}) if node.value is not None and not isinstance(node, ast.AugAssign) else None
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name):
                found[target.id] = None if target.id in found else value
    return {name: value for name, value in found.items() if value is not None}


def _constants(node: ast.AST, names: dict[str, float]) -> Iterator[float]:
    """The largest constant subexpressions of a statement, nested statements left out."""
    value = _value(node, names)
    if value is not None:
        yield value
        return
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            yield from _constants(child, names)


def _value(node: ast.AST, names: dict[str, float]) -> float | None:
    """The value of an expression of numbers."""
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, (int, float)) or isinstance(node.value, bool):
            return None
        try:
            return float(node.value)
        except OverflowError:
            return None
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, names)
        return None if inner is None else -inner
    if isinstance(node, ast.BinOp) and type(node.op) in _FOLDS:
        left, right = _value(node.left, names), _value(node.right, names)
        if left is None or right is None:
            return None
        try:
            return float(_FOLDS[type(node.op)](left, right))
        except (ArithmeticError, ValueError, TypeError):
            return None
    return None
