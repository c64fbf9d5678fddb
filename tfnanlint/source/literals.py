"""Literals: the values of numbers and texts as they are written."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from tfnanlint.flow import DYNAMIC
from tfnanlint.source import grammar
from tfnanlint.source.grammar import kind_of

MOST_BITS = 1023
"""The most bits of an integer that is computed with; each such integer is a finite float."""


def number(node: Any) -> float | int | None:
    """The value of a number literal, with its sign; None for anything else."""
    if isinstance(node, grammar.UnaryOperation) and kind_of(node.operator) == "Minus":
        inner = number(node.expression)
        return -inner if inner is not None else None
    value: float | int | None = None
    if kind_of(node) in ("Integer", "Float"):
        value = LITERALS[kind_of(node)](node.value)
    return value


def _integer(text: str) -> float:
    """An integer; one that is larger than every float is infinite, as it is for whatever computes with it."""
    value = int(text, 0) if text.strip("0_") or text == "0" else 0
    return value if value.bit_length() <= MOST_BITS else math.inf


def is_huge(kind: str, a: float, b: float) -> bool:
    """Whether a power, or another operation, of two integers has more bits than are computed with."""
    if not isinstance(a, int) or not isinstance(b, int):
        return False
    if kind == "Power":
        return a.bit_length() * max(b, 0) > MOST_BITS
    return a.bit_length() + b.bit_length() > MOST_BITS


def _string(text: str) -> Any:
    """The value of a text or bytes; only those with a backslash are compiled, which is much slower."""
    if text[0] in "'\"" and "\\" not in text:
        return text[3:-3] if text[:3] in ('"""', "'''") else text[1:-1]
    return ast.literal_eval(text)


LITERALS: dict[str, Callable[[str], Any]] = {"Integer": _integer, "Float": float, "SimpleString": _string}

SINGLETONS = {"None": None, "True": True, "False": False}


def literal(node: Any) -> Any:
    """The value of a literal: a number, a text, None, a truth or a tuple of such; `DYNAMIC` for anything else."""
    if isinstance(node, grammar.Name):
        return SINGLETONS.get(node.value, DYNAMIC)
    if isinstance(node, grammar.SimpleString):
        return LITERALS["SimpleString"](node.value)
    if isinstance(node, (grammar.Tuple, grammar.List)):
        parts = tuple(literal(element.value) for element in node.elements)
        return DYNAMIC if any(part is DYNAMIC for part in parts) else parts
    held = number(node)
    return DYNAMIC if held is None else held
