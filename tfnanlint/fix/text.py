"""Code as text: the spans and the operator precedence of expressions, dotted names, indentation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from keyword import iskeyword

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.source.positions import Span
from tfnanlint.source.source_file import SourceFile

LONGEST_KEYWORD = 16
"""More characters than a keyword has."""
_FIRST_WORD, _LAST_WORD = re.compile(r"\w+"), re.compile(r"\w+\Z")

# How tightly an expression binds; an operand that binds less tightly than its place gets parentheses.
LOWEST, COMPARE, ADD, MULTIPLY, UNARY, POWER, ATOM = range(7)
OPERATORS: dict[type, tuple[str, int]] = {
    cst.Add: ("+", ADD),
    cst.Subtract: ("-", ADD),
    cst.Multiply: ("*", MULTIPLY),
    cst.Divide: ("/", MULTIPLY),
    cst.MatrixMultiply: ("@", MULTIPLY),
    cst.FloorDivide: ("//", MULTIPLY),
    cst.Modulo: ("%", MULTIPLY),
    cst.Power: ("**", POWER),
}
_ATOMS = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.Integer,
    cst.Float,
    cst.List,
    cst.Dict,
    cst.SimpleString,
)


def binding_of(node: cst.CSTNode) -> int:
    """How tightly an expression binds when written without its own parentheses."""
    if isinstance(node, _ATOMS):
        return ATOM
    if isinstance(node, cst.BinaryOperation) and type(node.operator) in OPERATORS:
        return OPERATORS[type(node.operator)][1]
    if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not):
        return UNARY
    return LOWEST


def dotted(node: cst.CSTNode) -> str:
    """A dotted name as text, empty for anything else."""
    if isinstance(node, cst.Attribute):
        return f"{dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def indent_of(line: str) -> str:
    """The white space at the start of a line."""
    return line[: len(line) - len(line.lstrip())]


def text_of(file: SourceFile, span: Span) -> str:
    """The text of a span in the file."""
    lines = file.lines
    line, column, end_line, end_column = span
    if line == end_line:
        return lines[line - 1][column - 1 : end_column - 1]
    return "".join([lines[line - 1][column - 1 :], *lines[line : end_line - 1], lines[end_line - 1][: end_column - 1]])


def with_edits(file: SourceFile, span: Span, edits: list[Edit]) -> str:
    """The text of a span after edits; where one lies outside it, what the edits put there."""
    line, column, end_line, end_column = span
    if any((e.line, e.column) < (line, column) or (e.end_line, e.end_column) > (end_line, end_column) for e in edits):
        return "; ".join(edit.text for edit in edits)
    parts: list[str] = []
    for edit in sorted(edits, key=lambda e: (e.line, e.column)):
        parts += [text_of(file, (line, column, edit.line, edit.column)), edit.text]
        line, column = edit.end_line, edit.end_column
    return "".join([*parts, text_of(file, (line, column, end_line, end_column))])


def apart(file: SourceFile, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The same edits, with a space where a word would run into a keyword that touches an operator or a parenthesis.

    `return(x)` becomes `return f(x)`, and not `returnf(x)`.
    """
    return tuple(
        _apart(file.lines, edit) if edit.path == file.path and edit.end_line <= len(file.lines) else edit
        for edit in edits
    )


def _apart(lines: list[str], edit: Edit) -> Edit:
    before = _LAST_WORD.search(lines[edit.line - 1][max(edit.column - 1 - LONGEST_KEYWORD, 0) : edit.column - 1])
    after = _FIRST_WORD.match(lines[edit.end_line - 1][edit.end_column - 1 :])
    text = edit.text or (after[0] if after is not None else "")
    left = " " if before is not None and iskeyword(before[0]) and _FIRST_WORD.match(text) else ""
    right = " " if after is not None and iskeyword(after[0]) and _LAST_WORD.search(edit.text[-1:]) else ""
    return replace(edit, text=f"{left}{edit.text}{right}") if left or right else edit


def whole(expression: cst.BaseExpression, text: str) -> tuple[str, int]:
    """The text of an expression with the parentheses that it cannot be without, and how tightly that binds."""
    if isinstance(expression, (cst.Tuple, cst.GeneratorExp, cst.NamedExpr, cst.Yield)):
        return f"({text})", ATOM
    binds = binding_of(expression)
    return text, binds if "\n" not in text or binds == ATOM else LOWEST
