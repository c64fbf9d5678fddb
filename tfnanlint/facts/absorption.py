"""Where an infinity ends: an infinite value does no harm if all that takes it makes something finite of it.

The log of a probability that is exactly 0 is -inf, which is the right thing to hand to a sampler or to a maximum.
This is about values only; a gradient passes all of these the other way, and is lost.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.interval import Interval
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.facts.facts import Facts

GATHERING = frozenset({"stack", "concat", "reshape", "transpose", "expand_dims", "squeeze"})
"""Ops that hand on each element as it is."""
STEPS = 6
"""How far an infinity is followed."""
BOUNDS = frozenset({"maximum", "minimum", "clip"})
SUMS = frozenset({"add", "subtract"})


def absorbed(facts: Facts, node: Node, value: float, steps: int = STEPS) -> bool:
    """Whether every user of a node makes something finite of its being infinite."""
    if not node.users or steps == 0 or node in facts.flow.kept:
        return False
    return all(_taken(facts, user, node, value, steps) for user in dict.fromkeys(node.users))


def _taken(facts: Facts, user: Node, node: Node, value: float, steps: int) -> bool:
    if _swallows(user, value):
        return True
    if user.op in GATHERING:
        return absorbed(facts, user, value, steps - 1)
    row = OPS.get(user.op)
    if row is None or row.transfer is None or row.operands[-1:] == ("*xs",) or len(user.operands) > len(row.operands):
        return False
    if "*" in row.blocked and not row.same_dtype:
        return True  # a choice, a comparison, a draw
    if user.op in SUMS and len(user.operands) == 2 and user.operands[0] is not user.operands[1]:
        # an infinity less or more anything finite stays what it is
        return absorbed(facts, user, -value if user.op == "subtract" and user.operands[1] is node else value, steps - 1)
    others = [facts.range(o).outer for o in user.operands if o is not node]
    if others and user.op not in BOUNDS | SUMS and any(0.0 in other for other in others):
        return False  # 0 times infinity
    given = [Interval.point(value) if o is node else facts.range(o).outer for o in user.operands]
    given += [Interval()] * (len(row.operands) - len(given))
    result = row.transfer(*given, attrs=user.attrs)
    if result.lo != result.hi:
        return False  # nothing certain: a sine of infinity is no number
    return math.isfinite(result.lo) or absorbed(facts, user, result.lo, steps - 1)


def _swallows(user: Node, value: float) -> bool:
    """Whether an op makes of an infinity whatever its other operand is: the smaller one, the other term."""
    if user.op in ("reduce_logsumexp", "logaddexp", "maximum"):
        return value < 0
    return user.op == "minimum" and value > 0


def _unmoved(node: Node) -> Node:
    """The value behind an axis that was added, or a shape that was changed."""
    while node.op in GATHERING | {"getitem", "identity", "convert_to_tensor"} and node.operands:
        node = node.operands[0]
    return node


def zeroed(node: Node, operand: Node, steps: int = STEPS) -> bool:
    """Whether what a node gives where `operand` is 0 is multiplied away by that very 0."""
    users = list(dict.fromkeys(node.users))
    if steps == 0 or not users:
        return False
    for user in users:
        row = OPS.get(user.op)
        if user.op == "multiply_no_nan" and user.operands[0] is node:
            if _unmoved(user.operands[1]).value != _unmoved(operand).value:
                return False
        elif row is None or not zeroed(user, operand, steps - 1):
            return False
    return True


def infinity_of(facts: Facts, node: Node) -> float | None:
    """The one infinity that a node is at a point where it breaks, if it is one; NaN below a domain's end is none."""
    row = OPS.get(node.op)
    if node.op == "divide":
        over, under = facts.range(node.operands[0]).outer, facts.range(node.operands[1]).outer
        return math.inf if over.lo > 0 and under.lo >= 0 else None
    if row is None or row.transfer is None or len(row.operands) != 1:
        return None
    for broken in row.breaks:
        point = broken.hi if math.isfinite(broken.hi) else broken.lo
        seen = facts.range(node.operands[0]).seen
        if broken.lo < broken.hi == point and seen is not None and seen.lo < point:
            return None
        result = row.transfer(Interval.point(point), attrs=node.attrs)
        if result.lo == result.hi and math.isinf(result.lo):
            return result.lo
    return None
