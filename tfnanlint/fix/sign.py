"""Where to put a repair's minus sign: into the sum, product or negation around the repaired value.

`a + log(1 - p)` becomes `a - softplus(x)`, not `a + -softplus(x)` or `a + (-softplus(x))`. Moving the sign of a product
does not change rounding.
"""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix.text import text_of
from tfnanlint.source.source_file import SourceFile

_FACTORS = (cst.Multiply, cst.Divide)
_TERMS = (cst.Add, cst.Subtract, cst.AddAssign, cst.SubtractAssign)
_BETWEEN = re.compile(r"([\s)]*)([+-])(=?[\s(]*)")


def negated(file: SourceFile, expr: Any) -> Edit | None:
    """The edit by which the code around an expression takes over its minus; None where the minus has to stay."""
    parents = file.layout.parents
    top = expr
    while isinstance(above := parents.get(top), cst.BinaryOperation) and isinstance(above.operator, _FACTORS):
        top = above
    above = parents.get(top)
    if isinstance(above, cst.BinaryOperation) and above.right is top and isinstance(above.operator, _TERMS):
        return _other_operator(file, above.left, top)
    if isinstance(above, cst.AugAssign) and above.value is top and isinstance(above.operator, _TERMS):
        return _other_operator(file, above.target, top)
    if isinstance(above, cst.UnaryOperation):
        return _without_minus(file, above)
    if top is expr:
        return None
    first = top.left  # a span begins behind the parentheses of the expression itself
    while isinstance(first, cst.BinaryOperation) and isinstance(first.operator, _FACTORS) and not first.lpar:
        if first is expr:
            break
        first = first.left
    if first is expr:
        return None
    if isinstance(first, cst.UnaryOperation) and not first.lpar:
        return _without_minus(file, first)
    line, column = file.layout.spans[top][:2]
    start = file.lines[line - 1][column - 1]
    return Edit(file.path, line, column, line, column + 1, f"-{start}")


def _other_operator(file: SourceFile, left: Any, right: Any) -> Edit | None:
    """The edit that makes a plus between two operands a minus, and a minus a plus."""
    spans = file.layout.spans
    found = _BETWEEN.fullmatch(text_of(file, (*spans[left][2:], *spans[right][:2])))
    if found is None:
        return None
    line, column = spans[left][2:]
    passed = found[1].splitlines(keepends=True) or [""]
    line, column = (
        (line, column + len(passed[0])) if len(passed) == 1 else (line + len(passed) - 1, len(passed[-1]) + 1)
    )
    return Edit(file.path, line, column, line, column + 1, "-" if found[2] == "+" else "+")


def _without_minus(file: SourceFile, unary: cst.UnaryOperation) -> Edit | None:
    """The edit that takes the minus of an expression away."""
    line, column = file.layout.spans[unary][:2]
    start = file.lines[line - 1][column - 1]
    return Edit(file.path, line, column, line, column + 1, "") if start == "-" else None
