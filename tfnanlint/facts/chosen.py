"""Under which conditions a value is used: `where` chooses it under one, and what a mask drops is used by nobody."""

from __future__ import annotations

from tfnanlint.flow import Node, behind
from tfnanlint.ops import OPS

PICKING = frozenset({"boolean_mask", "gather_nd", "gather"})
"""Ops that keep some elements; the gathering ones do so by a mask where `where` tells at which places it holds."""
COMPARISONS = frozenset("equal not_equal less less_equal greater greater_equal logical_and logical_or".split())
POINTING = frozenset({"getitem", "reshape", "squeeze", "cast"})
"""Ops behind which the places of elements are still what they are."""


MOST_CHOICES = 50
"""The nearest choices are the ones that are told; programs that make more are not written by hand."""

Choice = tuple[Node, bool]


def choices(node: Node, known: dict[Node, tuple[Choice, ...]]) -> tuple[Choice, ...]:
    """The choices through which all use of a node's value goes, the nearest ones; `known` are those of others."""
    way: list[tuple[Node, Choice | None]] = []
    met: set[Node] = set()
    at: Node | None = node
    while at is not None and at not in known and at not in met:
        met.add(at)
        choice, onward = _used_by(at)
        way.append((at, choice))
        at = onward
    found = known.get(at, ()) if at is not None else ()
    for at, choice in reversed(way):
        found = found if choice is None else (choice, *found[: MOST_CHOICES - 1])
        known[at] = found
    return found


def _used_by(node: Node) -> tuple[Choice | None, Node | None]:
    """The choice that the only use of a value makes, if it makes one, and the value that it gives."""
    users = {user: None for user in node.users if user.op != "gradient"}
    if len(users) != 1:
        return None, None
    user = next(iter(users))
    row = OPS.get(user.op)
    if user.op == "where" and len(user.operands) == 3:
        if user.operands[0] is node or user.operands[1] is user.operands[2]:
            return None, None
        return (user.operands[0], user.operands[1] is node), user
    if user.op == "unknown" and (chosen := _by_argument(user, node)) is not None:
        return chosen, user
    if len(user.operands) > 1 and user.operands[0] is node and (mask := mask_of(user)) is not None:
        return (mask, True), user
    return None, user if row is not None and row.elementwise else None


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
