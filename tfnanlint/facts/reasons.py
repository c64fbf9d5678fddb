"""The words that explain a range: a row's own, else those of an operand with what the op does to it.

An operand's reason holds for the operand: `1 - softmax(x)` is not "exactly 0 where another logit is much larger". Only
ops that leave its numbers as they are hand it on unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfnanlint.facts.kinds import SHAPES
from tfnanlint.flow import Node
from tfnanlint.ops import OPS
from tfnanlint.ranges import Range

REDUCED = {
    "reduce_sum": "the sum of",
    "reduce_mean": "the mean of",
    "reduce_max": "the maximum of",
    "reduce_min": "the minimum of",
    "segment_sum": "the sum of",
    "unsorted_segment_sum": "the sum of",
    "cumsum": "a running sum of",
}
"""Reductions whose operand's reason says more than their own, in words."""
SQUARES = {
    "reduce_sum": "a sum of squares, 0 when every term is",
    "reduce_mean": "a mean of squares, 0 when every term is",
}
"""What a reduction of squares is."""
COUNTS = {
    "reduce_sum": "a count of True values, 0 when none is",
    "segment_sum": "a count of True values, 0 when none is",
    "unsorted_segment_sum": "a count of True values, 0 when none is",
    "reduce_mean": "a share of True values, 0 when none is",
}
"""What a reduction of a comparison is."""
UNCHANGED = frozenset(
    "asserted cast check_numerics clip_negative constant convert_to_tensor diag_part linear loop nan_to_num pad "
    "saturate_cast stop_gradient tril triu".split()
)
"""Ops whose result holds numbers of their first operand, besides those that move elements."""
CONSTANTS = "constants"
"""The reason of a range that several constants span."""
LONGEST = 40
"""Longer words for an operand are left out of those for the result."""
CHOICES = {"where": 1, "phi": 0}
"""Ops whose result is one of their operands, and from which operand on."""
BINARY = {"add": "plus", "subtract": "minus", "multiply": "times", "divide": "divided by"}


def reason_of(node: Node, operands: Sequence[Range]) -> str:
    """Why the range of an op's result is what it is; "" if nothing tells."""
    row = OPS[node.op]
    first = operands[0].reason
    if first == "a square" and node.op in SQUARES:
        return SQUARES[node.op]
    if first.startswith("a comparison") and node.op in COUNTS:
        return COUNTS[node.op]
    if node.op in REDUCED and first:
        return f"{REDUCED[node.op]} {first}"
    if row.reason is not None:
        return row.reason
    if node.op in SHAPES:  # the values of what it is the shape of do not matter
        return ""
    told = [held.reason for held in operands if held.reason and not held.reason.startswith("the constant ")]
    told.sort(key=CONSTANTS.__eq__)  # they say least
    if not told:
        return ""
    if row.moves or node.op in UNCHANGED:
        return told[0]
    if node.op in CHOICES:
        return either(operands[CHOICES[node.op] :]) or "a selected value"
    return _composed(node.op, operands, told[0], alone=row.elementwise and len(row.operands) == 1)


def either(branches: Sequence[Range]) -> str:
    """The words for a value that is one of several; "" if nothing tells about any of them."""
    if len({held.reason for held in branches}) == 1:
        return branches[0].reason
    named = dict.fromkeys(_named(held) if held.reason else "another value" for held in branches)
    return " or ".join(sorted(named, key="another value".__eq__))


def _composed(op: str, operands: Sequence[Range], told: str, alone: bool) -> str:
    """The words for a result that is computed from operands, one of which has a reason."""
    if op == "neg":
        return f"minus {_short(told)}"
    if op in BINARY and len(operands) == 2:
        left, right = map(_named, operands)
        return f"{left} {BINARY[op]} {right}"
    return f"{op} of {_short(told)}" if alone else f"computed from {_short(told)}"


def _named(held: Range) -> str:
    """An operand in words: a number, what its reason says it is, or a value."""
    if held.reason.startswith("the constant "):
        return held.reason.removeprefix("the constant ")
    return _short(held.reason)


def _short(reason: str) -> str:
    """What a reason says that a value is, without the consequence."""
    words = reason.partition(",")[0]
    return words if 0 < len(words) <= LONGEST else "a value"
