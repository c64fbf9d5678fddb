"""Which values count something: the numbers of a shape, and what integer division divides or divides by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfnanlint.flow import Node, reached
from tfnanlint.ops import OPS
from tfnanlint.trial.memo import once_per_facts
from tfnanlint.trial.uses import kind_taken, uses_of

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

WHOLE_PARTS = frozenset({"floordiv", "floormod"})
"""Integer division: the divisor is a number of parts."""
NUMBERS = frozenset("depth num_segments maxlen num_classes repeats".split())
"""Static parameters that say how many of something there are."""


@once_per_facts
def extents(facts: Facts) -> frozenset[Node]:
    """The values that are numbers of a shape, and what these are counted on from."""
    computed = [one for held in facts.flow.computed.values() for one in held.items()]
    shapes: list[Sequence[Node]] = [parts for name, parts in computed if len(parts) > 1 or name in NUMBERS]
    stacks = [node for node in facts.flow.nodes if node.op == "stack"]
    shapes += [node.operands for node in stacks if any(map(_takes_shape, uses_of(node)))]
    shapes += [_numbers_given(node) for node in facts.flow.nodes]
    return frozenset(reached((part for parts in shapes for part in parts), _counted_on))


def _numbers_given(node: Node) -> Sequence[Node]:
    """The operands of an op that say how many of something there are, such as `depth`."""
    row = OPS.get(node.op)
    if row is None or NUMBERS.isdisjoint(row.operands):
        return ()
    return [operand for name, operand in zip(row.operands, node.operands, strict=False) if name in NUMBERS]


def _counted_on(number: Node) -> Sequence[Node]:
    """What a number of elements is computed from by a constant, as in `depth=n + 1`."""
    offset = number.op in ("add", "subtract", "multiply") and any(one.op == "const" for one in number.operands)
    return number.operands if offset else ()


def _takes_shape(use: tuple[Node, int]) -> bool:
    """Whether an op takes the shape of its result at a position."""
    return kind_taken(*use) in ("shape", "wide")


def is_divided(node: Node) -> bool:
    """Whether integer division divides a value, or a product of it."""
    dividends = [node, *(user for user in node.users if user.op == "multiply")]
    return any(
        user.operands[0] is one and user.op != "floormod" and is_of_whole_parts(user)
        for one in dividends
        for user in one.users
    )


def is_of_whole_parts(node: Node) -> bool:
    """Whether an op is an integer division, also one that rounds a quotient down."""
    return node.op in WHOLE_PARTS or (node.op == "divide" and any(user.op == "floor" for user in node.users))
