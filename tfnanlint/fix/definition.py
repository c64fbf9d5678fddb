"""A bound put where a value is defined: all that the program uses it for breaks at the same point.

`d = 1 - r * r`, later `z / d` and `sqrt(d)`: a reader would bound `d` once, and not each of its uses.
"""

from __future__ import annotations

import libcst as cst

from tfnanlint.fix import hoist
from tfnanlint.fix.departure import SHAPE_ONLY, Departure, is_handed_out
from tfnanlint.flow import Flow, Node
from tfnanlint.match.captures import Match
from tfnanlint.ops import OPS
from tfnanlint.source.values import Function, Origin

_SCALING = {"multiply": (0, 1), "divide": (0,)}
"""Ops that hand a 0 on: the operands that they scale by the other one."""


def at_definition(match: Match, departure: Departure, flow: Flow) -> tuple[Origin, cst.BaseExpression] | None:
    """Where the program defines what a repair bounds, if it uses it more than once and never at 0."""
    bound = departure.new
    if bound.op != "maximum" or bound.operands[0] is not departure.old or bound.operands[1].op != "const":
        return None
    value, user = match.places[departure.path[-1]]
    while (scaled := _scaled(value)) is not None:
        value = scaled
    where: Origin = value.origin
    here: Origin = user.origin
    if where is None or where.file is not here.file or where.scope is not here.scope or where.loop != here.loop:
        return None
    users = [other for other in value.users if other.op not in SHAPE_ONLY]
    if len(users) < 2 or is_handed_out(value, flow) or not all(_breaks_at_zero(value, user) for user in users):
        return None
    statement = hoist.statement_of(where.file, where.expr)
    name = hoist.assigned_name(statement, where.expr) if statement is not None else None
    held = where.scope.history.get(name, ()) if name is not None else ()
    local = isinstance(where.scope.owner, Function) and where.scope.kind == "function"
    return (where, where.expr) if local and len(held) == 1 and isinstance(where.expr, cst.BaseExpression) else None


def _scaled(value: Node) -> Node | None:
    """What a value is a positive multiple of."""
    for place in _SCALING.get(value.op, ()):
        factor = value.operands[1 - place].constant
        if isinstance(factor, (int, float)) and factor > 0:
            return value.operands[place]
    return None


def _breaks_at_zero(value: Node, user: Node) -> bool:
    """Whether an op breaks where an operand is 0, or all do that take its multiple of it."""
    if _scaled(user) is value:
        return bool(user.users) and all(_breaks_at_zero(user, other) for other in user.users)
    row = OPS.get(user.op)
    if row is None or row.operands[-1:] == ("*xs",):
        return False
    taken = [operand for operand, given in zip(row.operands, user.operands, strict=False) if given is value]
    return all(any(b.operand == operand and 0.0 in b.region for b in row.breaks) for operand in taken)
