"""Products that a loop goes on with: a probability times another one each turn, as forward recursions have it.

A single softmax or Gaussian is exactly 0 for single elements; the product of some hundred of them is 0 everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfnanlint.facts.bounded import bounded, no
from tfnanlint.facts.handed import COPIED
from tfnanlint.flow import Node
from tfnanlint.interval import UNIT, Interval
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

LINEAR = COPIED | {"reduce_sum", "reduce_mean", "reshape", "expand_dims", "squeeze"}
"""Ops of one operand that keep what tends to 0 on its way."""
PRODUCTS = frozenset({"multiply", "matmul", "matvec"})
DEPTH = 8


def decayed(facts: Known, after: Node) -> Range | None:
    """What a loop leaves that multiplies a value by a saturating probability each turn, and adds nothing."""
    back = after.operands[1]
    held = facts.range(back)
    if not held.saturated or held.outer.lo < 0.0:
        return None
    for loop in back_at(back):
        if _shrinks(facts, back, loop, DEPTH):
            return Range(held.outer, Interval.point(0.0), "a product of as many probabilities as the loop has turns")
    return None


def back_at(node: Node) -> list[Node]:
    """The loops that a value goes around."""
    return [user for user in node.users if user.op == "loop" and user.operands[1:] == (node,)]


@bounded(no)
def _shrinks(facts: Known, node: Node, loop: Node, steps: int) -> bool:
    """Whether a value is what a loop carries, times a probability and perhaps summed with weights."""
    if steps == 0:
        return False
    if node.op in LINEAR:
        return _shrinks(facts, node.operands[0], loop, steps - 1)
    if node.op not in PRODUCTS:
        return False
    for carried, factor in (node.operands[:2], node.operands[1::-1]):
        held = facts.range(factor)
        if held.outer.lo < 0.0:
            continue
        probability = node.op == "multiply" and held.saturated and held.outer.within(UNIT)
        if (probability and _carries(facts, carried, loop, steps - 1)) or _shrinks(facts, carried, loop, steps - 1):
            return True
    return False


@bounded(no)
def _carries(facts: Known, node: Node, loop: Node, steps: int) -> bool:
    """Whether a value is what a loop carries, times what is not negative."""
    if node is loop:
        return True
    if steps == 0 or not node.operands:
        return False
    if node.op in LINEAR:
        return _carries(facts, node.operands[0], loop, steps - 1)
    pairs = (node.operands[:2], node.operands[1::-1]) if node.op in PRODUCTS else ()
    return any(facts.range(o).outer.lo >= 0.0 and _carries(facts, c, loop, steps - 1) for c, o in pairs)
