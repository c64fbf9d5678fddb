"""Boxes: values whose last axis holds two corners, because the program computes a width and a height from them."""

from __future__ import annotations

from collections.abc import Iterable

from tfnanlint.flow import Node, behind
from tfnanlint.trial.slices import index_of

COLUMNS = 4
"""How many columns the two corners have."""
EXTENTS = frozenset({0, 1})
"""The columns of the first corner; the second one is two places after it."""
KEEPING = frozenset("cast identity squeeze expand_dims".split())
"""Ops that keep the numbers and the order of components."""
BOUNDING = frozenset("maximum relu clip abs".split())
"""Ops that keep an extent from being negative."""
COMPONENTS = {COLUMNS: 1, 2: 2}
"""How many columns a component has, by the number of components."""


def is_box(uses: Iterable[Node], bounded: bool = False) -> bool:
    """Whether among the uses of a value are the differences between the columns of its two corners.

    A program that bounds such a difference knows of boxes without an extent, or of corners that are exchanged: with
    `bounded` these are boxes, too.
    """
    found: set[int] = set()
    for difference in uses:
        if difference.op != "subtract" or len(difference.operands) != 2:
            continue
        upper, lower = (_columns(behind(operand, KEEPING)) for operand in difference.operands)
        if upper and lower and upper[0] is lower[0] and [at - 2 for at in upper[1]] == list(lower[1]):
            if not bounded and any(user.op in BOUNDING for user in difference.users):
                return False
            found.update(lower[1])
    return found >= EXTENTS


def _columns(node: Node) -> tuple[Node, range] | None:
    """What a value is taken from, and at which of the first columns of its last axis."""
    if node.op != "getitem" or not node.operands:
        return None
    whole = node.operands[0]
    if whole.op in ("split", "unstack") and len(node.operands) == 2:
        parts = whole.attrs.get("num_or_size_splits", whole.attrs.get("indices_or_sections", 0))
        width = 1 if whole.op == "unstack" else COMPONENTS.get(parts, 0)
        place = node.operands[1].constant
        if not isinstance(place, int) or not width or not 0 <= place < COLUMNS // width:
            return None
        return whole, range(width * place, width * (place + 1))
    index = index_of(node, [operand.constant for operand in node.operands[1:]])
    last = index[-1] if isinstance(index, tuple) and index else None
    if isinstance(last, slice) and last.step in (None, 1):
        return whole, range(*last.indices(COLUMNS))
    return (whole, range(last, last + 1)) if isinstance(last, int) else None
