"""Fixes that span statements: naming an operand of an earlier statement, or removing that statement.

`p = softmax(dense(h))`, later `log(p)`: the fixed log needs `dense(h)`, which must not run twice. The fix gives it a
name where it is computed. If nothing else reads `p`, the fix removes the statement that defined it.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix.comments import lost_comments
from tfnanlint.fix.syntax import (
    DYNAMIC_NAMES,
    Position,
    assigned_name,
    declared_in,
    is_within,
    names_in,
    statement_of,
    variables,
    walk,
)
from tfnanlint.fix.text import text_of
from tfnanlint.fix.wrap import DIRECTIVE
from tfnanlint.flow import Node
from tfnanlint.source.positions import Span
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Function, Origin, Scope

_READING = DYNAMIC_NAMES | frozenset("dir query currentframe _getframe".split())
"""What reads the names of the function that calls it."""
_END: Position = (sys.maxsize, 0)


@lru_cache(maxsize=2)
def _places_in(file: SourceFile, body: cst.CSTNode) -> dict[str, list[Position]]:
    """Where the variables in a body stand, in order, by name: each repair in a function asks for some of them."""
    found: dict[str, list[Position]] = {}
    for node in variables(file, body):
        found.setdefault(node.value, []).append(file.layout.spans[node][:2])
    for places in found.values():
        places.sort()
    return found


@lru_cache(maxsize=2)
def _names_of_inner_functions(block: cst.CSTNode) -> frozenset[str]:
    inner = (n for n in walk(block) if isinstance(n, (cst.FunctionDef, cst.Lambda, cst.ClassDef)))
    return frozenset(name for scope in inner for name in names_in(scope))


class _Others:
    """Where a name stands in a function, other than in some expressions."""

    def __init__(self, file: SourceFile, body: cst.CSTNode, name: str, allowed: Iterable[cst.CSTNode]) -> None:
        self._places = _places_in(file, body).get(name, [])
        excused = {file.layout.spans[n][:2] for one in allowed for n in variables(file, one) if n.value == name}
        self._excused = [one for one in excused if self._before(one) < self._before((one[0], one[1] + 1))]

    def _before(self, end: Position) -> int:
        return bisect_left(self._places, end)

    def count(self, start: Position = (0, 0), end: Position = _END) -> int:
        """In how many places between two positions the name stands."""
        return self._before(end) - self._before(start) - sum(start <= one < end for one in self._excused)


def read_only_within(scope: Scope, name: str, allowed: list[Any], file: SourceFile, statement: Any) -> bool:
    """Whether what a statement assigns to a local name is read nowhere but inside the allowed expressions."""
    if not isinstance(scope.owner, Function) or scope.kind != "function":
        return False  # a module's names may be read by anyone
    if name in declared_in(scope.owner.node, cst.Global, cst.Nonlocal) or _reads_any_name(scope.owner.node):
        return False
    others = _Others(file, scope.owner.node.body, name, allowed)
    if len(scope.history.get(name, ())) == 1:
        return others.count() == 1  # the target itself
    behind = file.layout.spans[statement.body[0]][2:]
    if _is_whole(scope.owner, name, file, statement) and not others.count(behind):
        return True
    until = statement_of(file, allowed[0])
    parents, spans = file.layout.parents, file.layout.spans
    if (
        until is None
        or until is statement
        or parents.get(until) is not parents.get(statement)
        or not _binds(until, name)
    ):
        return False
    start, end = spans[statement.body[0]], spans[until.body[0]]
    return others.count(start[:2], end[2:]) <= 1 + isinstance(until.body[0], cst.Assign)


@lru_cache(maxsize=2)
def _reads_any_name(function: cst.CSTNode) -> bool:
    """Whether a function calls what may read all names in it."""
    called: Iterator[Any] = (node.func for node in walk(function) if isinstance(node, cst.Call))
    return any(getattr(one.attr if isinstance(one, cst.Attribute) else one, "value", "") in _READING for one in called)


def _is_whole(function: Function, name: str, file: SourceFile, statement: Any) -> bool:
    """Whether a statement of a function's own block gives a value to a name that no inner function reads."""
    block: cst.CSTNode = function.node.body
    if file.layout.parents.get(statement) is not block:
        return False
    return name not in _names_of_inner_functions(block)


def dispensable(matched: Iterable[Node], origin: Origin) -> dict[cst.SimpleStatementLine, str]:
    """The statements of a function that assign a matched value to a name that only the matched code reads."""
    found: dict[cst.SimpleStatementLine, str] = {}
    left = sorted((node for node in matched if node.origin.file is origin.file), key=lambda node: -node.index)
    allowed = [origin.expr]
    for node in left:
        expr = node.origin.expr
        statement = statement_of(origin.file, expr)
        if statement is None or statement in found or is_within(origin.file.layout, expr, origin.expr):
            continue
        name = assigned_name(statement, expr)
        if name is not None and read_only_within(origin.scope, name, allowed, origin.file, statement):
            found[statement] = name
            allowed.append(expr)
    return found


def _binds(statement: cst.SimpleStatementLine, name: str) -> bool:
    """Whether a statement does nothing but give a name a new value."""
    body = statement.body[0]
    if isinstance(body, cst.Assign):
        return len(body.targets) == 1 and getattr(body.targets[0].target, "value", None) == name
    return isinstance(body, cst.AugAssign) and getattr(body.target, "value", None) == name


def remove_statement(file: SourceFile, statement: cst.SimpleStatementLine) -> Edit | None:
    """The edit that removes a statement with its lines, or None where a comment or the block's life depends on it.

    Comments between its lines stay, on lines of their own.
    """
    block = file.layout.parents.get(statement)
    if len(getattr(block, "body", ())) < 2 or statement.trailing_whitespace.comment is not None:
        return None
    line, column, end_line, end_column = file.layout.spans[statement.body[0]]
    indent = file.lines[line - 1][: column - 1]
    inside = lost_comments(text_of(file, (line, column, end_line, end_column)), "")
    if any(map(DIRECTIVE.match, inside)):
        return None
    kept = "".join(f"{indent}{comment}{file.newline}" for comment in inside)
    above = file.lines[line - 2].strip() if line > 1 else ""
    opens = not kept and (not above or above.endswith(":"))
    while opens and end_line < len(file.lines) and not file.lines[end_line].strip():
        end_line += 1  # no two empty lines, and none that opens a block
    if end_line >= len(file.lines):
        return None
    return Edit(file.path, line, 1, end_line + 1, 1, kept)


def name_operand(
    file: SourceFile, where: Origin, operand: cst.BaseExpression, text: str, name: str, replace_statement: bool
) -> list[Edit] | None:
    """The edits that assign `operand`, inside the expression at `where`, to a new name.

    With `replace_statement` the whole statement becomes the assignment, because nothing else reads its target.
    """
    statement = statement_of(file, where.expr)
    if statement is None:
        return None
    line, column, end_line, end_column = file.layout.spans[statement.body[0]]
    if replace_statement:
        return [Edit(file.path, line, column, end_line, end_column, f"{name} = {_one_piece(operand, text)}")]
    indent = file.lines[line - 1][: column - 1]
    span = file.layout.spans[operand]
    first = Edit(file.path, line, column, line, column, f"{name} = {_one_piece(operand, text)}{file.newline}{indent}")
    return [first, Edit(file.path, *_with_line_breaks(file, span), name)]


def _with_line_breaks(file: SourceFile, span: Span) -> Span:
    """The span of an only argument, with the line breaks between it and its parentheses: a name fits on one line."""
    line, column, end_line, end_column = span
    if line > 1 and not file.lines[line - 1][: column - 1].strip() and file.lines[line - 2].rstrip().endswith("("):
        after = file.lines[end_line - 1][end_column - 1 :]
        if after.startswith(")"):
            return line - 1, len(file.lines[line - 2].rstrip()) + 1, end_line, end_column
        if not after.strip() and end_line < len(file.lines) and (rest := file.lines[end_line]).lstrip().startswith(")"):
            return line - 1, len(file.lines[line - 2].rstrip()) + 1, end_line + 1, len(rest) - len(rest.lstrip()) + 1
    return span


def _one_piece(operand: cst.BaseExpression, text: str) -> str:
    """The text of an operand as a statement's right side: broken lines, and a `:=`, need brackets of their own."""
    bracketed = isinstance(operand, (cst.Call, cst.Subscript, cst.List, cst.Dict))
    named = isinstance(operand, cst.NamedExpr)
    return f"({text})" if named or ("\n" in text and not bracketed) else text
