"""The fix of a statement that throws its result away: the result is assigned to the name that it was computed from."""

from __future__ import annotations

import libcst as cst

from tfnanlint.finding import Edit, Fix
from tfnanlint.fix.dialect import NoFix
from tfnanlint.fix.text import text_of
from tfnanlint.flow import Node
from tfnanlint.match.captures import Match
from tfnanlint.ops import OPS


def assigned_back(match: Match) -> Fix:
    """The fix of a `discarded` node; raises `NoFix` if the result cannot take the place of a plain name."""
    (value,) = match.root.operands
    origin = match.root.origin
    name = _name_of(value)
    if name is None:
        raise NoFix("assign the result to a name, or delete the statement")
    if name not in origin.scope.names:
        raise NoFix(f"`{name}` belongs to an outer scope; assign the result to a local name")
    span = origin.file.layout.spans[origin.expr]
    line, column, *_ = span
    before = origin.file.lines[line - 1][: column - 1].rstrip()
    if before and before[-1] not in ";:":
        raise NoFix("the statement stands in parentheses; assign the result by hand")
    edit = Edit(origin.file.path, line, column, line, column, f"{name} = ")
    assert match.pattern.fix_kind is not None
    return Fix(match.pattern.fix_kind, f"{name} = {text_of(origin.file, span)}", (edit,))


def _name_of(value: Node) -> str | None:
    """The plain name whose value the result is to replace, element by element."""
    row = OPS[value.op]
    if not row.elementwise or not (row.same_dtype or value.op == "cast"):
        return None
    given = [value.origin.expression_of(operand) for operand in value.operands]
    if value.op == "where":
        given = given[1:]
    names = {expression.value for expression in given if isinstance(expression, cst.Name)}
    names -= {"None", "True", "False"}
    return names.pop() if len(names) == 1 else None
