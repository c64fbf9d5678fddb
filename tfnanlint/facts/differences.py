"""Relations of differences: the same bounded function at two points.

One function an op, as in `relations`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tfnanlint.facts.bounded import bounded, no
from tfnanlint.facts.handed import COPIED
from tfnanlint.flow import Node, behind
from tfnanlint.interval import Interval
from tfnanlint.ops import OPS
from tfnanlint.ranges import Range

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

DEPTH = 6
"""How far two values are compared."""


def alike(facts: Known, node: Node) -> Range | None:
    """The difference of the same bounded function at two points: 0 where both saturate, of either sign elsewhere."""
    first, second = (behind(operand, COPIED) for operand in node.operands)
    if first.value == second.value or not _same_function(first, second):
        return None
    span = facts.range(first).outer.hull(facts.range(second).outer)
    width = span.hi - span.lo
    return Range(
        Interval(-width, width), Interval.point(0.0), "a difference of two like values, 0 where they are equal"
    )


@bounded(no)
def _same_function(one: Node, other: Node, steps: int = DEPTH) -> bool:
    """Whether two values are made alike, down to a function that saturates."""
    if one.op != other.op or len(one.operands) != len(other.operands) or steps == 0:
        return False
    row = OPS.get(one.op)
    if row is None or not row.elementwise or one.attrs != other.attrs:
        return False
    if row.saturates:
        return steps < DEPTH  # of the function itself more is known
    pairs = zip(one.operands, other.operands, strict=True)
    differing = [(x, y) for x, y in pairs if x.value != y.value]
    return len(differing) == 1 and _same_function(*differing[0], steps - 1)


DIFFERENCES: dict[str, Callable[[Known, Node], Range | None]] = {"subtract": alike}
