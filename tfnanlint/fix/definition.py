"""Fixes at a definition: one bound for a value if all its uses fail at the same point or accept the bound.

For `d = 1 - r * r` with the uses `z / d` and `sqrt(d)`, a reader would bound `d` once rather than each use. For `n =
norm(x)` of which one use fails at 0, the definition is kept above 0, unless a use distinguishes that from 0.
"""

from __future__ import annotations

import libcst as cst

from tfnanlint.fix.departure import SHAPE_ONLY, Departure, allows_for_a_bound, is_handed_out, is_set_once
from tfnanlint.flow import Flow, Node
from tfnanlint.match.captures import Match
from tfnanlint.ops import OPS
from tfnanlint.source.values import Origin

_SCALING = {"multiply": (0, 1), "divide": (0,)}
"""Ops that scale an operand, so that it stays 0, with the positions of the operands that the other one scales."""


def at_definition(match: Match, departure: Departure, flow: Flow) -> Node | None:
    """What a repair bounds where the program defines it, if it uses that more than once and never at 0, or if it is a
    length of which it bounds the square."""
    bound = departure.new
    length = bound.op == "sqrt" and bound.operands[0].op == "maximum"
    if not length and (
        bound.op != "maximum" or bound.operands[0] is not departure.old or bound.operands[1].op != "const"
    ):
        return None
    value, user = match.places[departure.path[-1]]
    while not length and (scaled := _scaled(value)) is not None:
        value = scaled
    where: Origin = value.origin
    here: Origin = user.origin
    if where is None or where.file is not here.file or where.scope is not here.scope or where.loop != here.loop:
        return None
    if length:
        allowed = allows_for_a_bound(value, flow)
    else:
        users = [other for other in value.users if other.op not in SHAPE_ONLY]
        breaking = all(_breaks_at_zero(value, user) for user in users)
        allowed = len(users) > 1 and breaking and not is_handed_out(value, flow)
    if not allowed or not isinstance(where.expr, cst.BaseExpression) or not is_set_once(where):
        return None
    return value


def _scaled(value: Node) -> Node | None:
    """The value of which this one is a positive multiple, if any."""
    for place in _SCALING.get(value.op, ()):
        factor = value.operands[1 - place].constant
        if isinstance(factor, (int, float)) and factor > 0:
            return value.operands[place]
    return None


def _breaks_at_zero(value: Node, user: Node) -> bool:
    """Whether an op fails where an operand is 0; for a multiple of the operand, whether all its users fail at 0."""
    if _scaled(user) is value:
        return bool(user.users) and all(_breaks_at_zero(user, other) for other in user.users)
    row = OPS.get(user.op)
    if row is None or row.operands[-1:] == ("*xs",):
        return False
    taken = [operand for operand, given in zip(row.operands, user.operands, strict=False) if given is value]
    return all(any(b.operand == operand and 0.0 in b.region for b in row.breaks) for operand in taken)
