"""The words that explain a range: a row's own, else those of an operand with what the op does to it.

An operand's reason holds for the operand: `1 - softmax(x)` is not "exactly 0 where another logit is much larger". Only
ops that leave its numbers as they are hand it on unchanged. What stands behind a comma says when the value is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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
    "asserted cast check_numerics clip_negative constant convert_to_tensor diag_part ensure_shape linear loop "
    "nan_to_num pad saturate_cast stop_gradient tril triu".split()
)
"""Ops whose result holds numbers of their first operand, besides those that move elements."""
CONSTANTS = "constants"
"""The reason of a range that several constants span."""
CONSTANTS_WITH_ZERO = "constants, one of them 0"
UNNAMED = "a value"
"""The words for a value whose own description would be too long."""
LONGEST = 40
"""Longer words for an operand are left out of those for the result."""
CHOICES = {"where": 1, "phi": 0}
"""Ops whose result is one of their operands, and from which operand on."""
BINARY = {"add": "plus", "subtract": "minus", "multiply": "times", "divide": "divided by"}
JOINING = frozenset({"or", "of", *(word for words in BINARY.values() for word in words.split())})
"""Words in names of values that are more than a noun."""
NUMBER = r"[-+.e\d]+"


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
    if node.op == "maximum" and max(held.outer.lo for held in operands) == 0:
        return f"{row.reason}, 0 when no operand is larger"
    if row.reason is not None:
        return row.reason
    if node.op in SHAPES:  # the values of what it is the shape of do not matter
        return ""
    told = [held.reason for held in operands if held.reason and not held.reason.startswith("the constant ")]
    told.sort(key=(CONSTANTS, CONSTANTS_WITH_ZERO).__contains__)  # they say least
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
    return _with_zero(" or ".join(sorted(named, key="another value".__eq__)), _shared(map(_zero_when, branches)))


def _composed(op: str, operands: Sequence[Range], told: str, alone: bool) -> str:
    """The words for a result that is computed from operands, one of which has a reason."""
    if op == "neg":
        return _with_zero(f"minus {_short(told)}", _zero_when(operands[0]))
    if op in BINARY and len(operands) == 2:
        left, right = map(_named, operands)
        return _with_zero(f"{left} {BINARY[op]} {right}", _binary_zero_when(op, *operands))
    if alone:
        return f"{op} of {_short(told)}"
    return f"a value computed from {_short(told)}" if _short(told) != UNNAMED else ""


def _with_zero(words: str, when: str) -> str:
    return f"{words}, 0 {when}" if when and words else words


def _zero_when(held: Range) -> str:
    """When a value is 0; "" if it never is, or nothing tells."""
    if held.outer.unknown or 0.0 not in held.outer:
        return ""
    consequence = held.reason.partition(", ")[2].removeprefix("exactly ")
    if consequence.startswith("0 ") and "it" not in consequence.split():
        return consequence.removeprefix("0 ")
    return f"when {noun} is 0" if (noun := _the(held)) else ""


def _binary_zero_when(op: str, left: Range, right: Range) -> str:
    """When a result of two operands is 0, if one operand or both of them tell."""
    if op == "subtract":
        for number, held in ((left.outer, right), (right.outer, left)):
            if number.lo == number.hi and number.lo in (held.outer.lo, held.outer.hi) and (noun := _the(held)):
                return f"when {noun} is {number.lo:g}"
    if op == "multiply":
        zeros = [held for held in (left, right) if not held.outer.unknown and 0.0 in held.outer]
        if len(zeros) == 2:
            return "when either is" if all(held.reason for held in zeros) else ""
        return _zero_when(zeros[0]) if zeros else ""
    return ""


def _shared(conditions: Iterable[str]) -> str:
    """One clause of clauses that name the same value: `when the sigmoid is 0 or 1`; "" for others."""
    parts = [condition.rpartition(" is ")[::2] for condition in conditions]
    if not all(re.fullmatch(NUMBER, number) for _, number in parts) or len({name for name, _ in parts}) != 1:
        return ""
    return f"{parts[0][0]} is {' or '.join(dict.fromkeys(number for _, number in parts))}"


def _the(held: Range) -> str:
    """A value that has been named, named again: `the sigmoid`; "" where it is more than a noun."""
    article, _, noun = _short(held.reason).partition(" ")
    return f"the {noun}" if article in ("a", "an") and noun != "value" and JOINING.isdisjoint(noun.split()) else ""


def _named(held: Range) -> str:
    """An operand in words: a number, what its reason says it is, or a value."""
    if held.reason.startswith("the constant "):
        return held.reason.removeprefix("the constant ")
    return _short(held.reason)


def _short(reason: str) -> str:
    """What a reason says that a value is, without the consequence."""
    words = reason.partition(",")[0]
    return words if 0 < len(words) <= LONGEST else UNNAMED
