"""What is known of a row as a whole: one of its elements keeps it away from zero, or two of them do together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.facts.handed import COPIED
from tfnanlint.flow import DYNAMIC, Node, behind
from tfnanlint.interval import INF, Interval

if TYPE_CHECKING:
    from tfnanlint.facts.view import FactsView

JOINED = {"concat": None, "stack": 0, "set_diag": -1}
"""Ops that join the elements of rows, with their default axis."""
MOST_PARTS = 100
"""The most parts of a row that are looked at."""
HALF_ROOT = 0.7071
"""The larger of |cos t| and |sin t| is at least the root of 1/2."""


def magnitude(facts: FactsView, row: Node, axis: Any) -> Interval | None:
    """Bounds of the Euclidean norm of rows along `axis`, or None where nothing is known of them as a whole."""
    if behind(row, COPIED).op == "eye" and "num_columns" not in behind(row, COPIED).attrs:
        return Interval(1.0, INF)
    joined = _joined(row, axis)
    if joined is None:
        return None
    if _is_angle(joined):
        return Interval(0.999, 1.001)
    return _apart(facts, joined)


def largest(facts: FactsView, row: Node, axis: Any) -> Interval | None:
    """Bounds of the largest magnitude in rows along `axis`."""
    joined = _joined(row, axis)
    if joined is None:
        return None
    if _is_angle(joined):
        return Interval(HALF_ROOT, 1.0)
    return _apart(facts, joined)


def _apart(facts: FactsView, joined: Node) -> Interval | None:
    """How far from 0 a part keeps a row, or None."""
    least = max((_distance(facts.range(part).outer) for part in joined.operands[:MOST_PARTS]), default=0.0)
    return Interval(least, INF) if least > 0 else None


def is_angle(x: Node, y: Node) -> bool:
    """Whether two values are the cosine and the sine of one angle."""
    return {x.op, y.op} == {"cos", "sin"} and x.operands[0].value == y.operands[0].value


def _is_angle(joined: Node) -> bool:
    return joined.op == "stack" and len(joined.operands) == 2 and is_angle(*joined.operands)


def _joined(row: Node, axis: Any) -> Node | None:
    """The node that joins the elements of rows along `axis`."""
    if row.op not in JOINED or axis is DYNAMIC:
        return None
    own = row.attrs.get("axis", JOINED[row.op])
    return row if axis is None or axis in (own, (own,)) else None


def _distance(held: Interval) -> float:
    """The least distance of a number of the interval from 0."""
    return max(held.lo, -held.hi, 0.0)
