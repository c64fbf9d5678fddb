"""Under which conditions a value is used: `where` chooses it under one, and what a mask drops is used by nobody."""

from __future__ import annotations

from tfnanlint.flow import Node, behind
from tfnanlint.ops import OPS

PICKING = frozenset({"boolean_mask", "gather_nd", "gather"})
"""Ops that keep some elements; the gathering ones do so by a mask where `where` tells at which places it holds."""
COMPARISONS = frozenset("equal not_equal less less_equal greater greater_equal logical_and logical_or".split())
POINTING = frozenset({"getitem", "reshape", "squeeze", "cast"})
"""Ops behind which the places of elements are still what they are."""


def choices(node: Node) -> tuple[tuple[Node, bool], ...]:
    """The choices through which all use of a node's value goes."""
    found: list[tuple[Node, bool]] = []
    while True:
        users = {user: None for user in node.users if user.op != "gradient"}
        if len(users) != 1:
            break
        user = next(iter(users))
        row = OPS.get(user.op)
        if user.op == "where" and len(user.operands) == 3:
            if user.operands[0] is node or user.operands[1] is user.operands[2]:
                break
            found.append((user.operands[0], user.operands[1] is node))
        elif user.op == "unknown" and (chosen := _by_argument(user, node)) is not None:
            found.append(chosen)
        elif len(user.operands) > 1 and user.operands[0] is node and (mask := mask_of(user)) is not None:
            found.append((mask, True))
        elif row is None or not row.elementwise:
            break
        node = user
    return tuple(found)


def _by_argument(user: Node, node: Node) -> tuple[Node, bool] | None:
    """The choice that an unknown function of a comparison and two values is taken to make between them."""
    for place, condition in enumerate(user.operands[:2]):  # of a method, the first is its object
        values = user.operands[place + 1 :]
        if condition.op in COMPARISONS and len(values) == 2 and node in values:
            return condition, values[0] is node
    return None


def mask_of(node: Node) -> Node | None:
    """The mask that says which elements of its first operand a node keeps: it drops the others."""
    if node.op not in PICKING or len(node.operands) < 2:
        return None
    index = node.operands[1]
    if node.op == "boolean_mask":
        return index
    index = behind(index, POINTING)
    return index.operands[0] if index.op == "where" and len(index.operands) == 1 else None
