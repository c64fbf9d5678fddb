"""How a program uses its values: by which ops, at which operand, also behind what passes them on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from tfnanlint.flow import Node
from tfnanlint.ops import OPS

HANDED_ON = frozenset(
    "reshape squeeze expand_dims transpose identity cast getitem convert_to_tensor constant flatten ensure_shape "
    "stop_gradient clip add subtract neg gather tile broadcast_to slice split unstack phi loop check_numerics maximum "
    "minimum".split()
)
"""Ops that pass their first operand on: uses of their result are evidence for its role."""
PICKING = frozenset({"gather", "gather_nd", "getitem"})
"""Ops that pick elements of their first operand, by the indices behind it."""
KEYED = frozenset("input placeholder unknown attribute getitem".split())
"""Values of which each key names an input of its own."""
CONVERSIONS = frozenset({"int", "float"})
"""Functions of Python that give the same number in another type."""
Uses = Sequence[tuple[Node, int]]
"""Users of a value with the position of the operand."""
MOST_USES = 200
"""The most uses of a value that its role is told from."""


def uses_of(node: Node) -> Uses:
    """The uses of a value with the position of the operand, also of results that pass it on: the first ones."""
    return list(islice(_all_uses(node), MOST_USES))


def _all_uses(node: Node) -> Iterator[tuple[Node, int]]:
    met, stack = {node}, [node]
    while stack and len(met) < 40:
        at = stack.pop()
        for user in dict.fromkeys(at.users):
            for place, operand in enumerate(user.operands[:MOST_USES]):
                if operand is at:
                    yield user, place
            whole = user.op == "unknown" and user.attrs.get("called") in CONVERSIONS
            handed_on = (
                (whole or user.op in HANDED_ON)
                and (user.operands[0] is at or user.op == "phi")
                and not is_element(user)
            )
            chosen = user.op == "where" and user.operands[0] is not at
            if (handed_on or chosen or _scales(user, at)) and user not in met:
                met.add(user)
                stack.append(user)


def _scales(user: Node, node: Node) -> bool:
    """Whether an op multiplies a value by a constant, or divides it by one."""
    if user.op == "divide":
        return user.operands[0] is node and user.operands[1].op == "const"
    return user.op == "multiply" and all(operand is node or operand.op == "const" for operand in user.operands)


def is_element(node: Node) -> bool:
    """Whether a value is an element of a list or dictionary that is passed in: then it is an input of its own."""
    if node.op != "getitem":
        return False
    return bool(node.attrs.get("unpacked") or (key_of(node) and node.operands[0].op in KEYED))


def key_of(node: Node) -> str:
    """The key of a dictionary that a value is read with, if it is text."""
    key = node.operands[1].constant if len(node.operands) == 2 else None
    return key if isinstance(key, str) else ""


def is_index(user: Node, place: int) -> bool:
    """Whether an op takes indices at this position; a single subscript is not evidence."""
    row = OPS.get(user.op)
    if row is None or user.op == "getitem" or place >= len(row.operands):
        return False
    return row.takes.get(row.operands[place]) in ("index", "ordered", "pointers")


def is_ordered(user: Node, place: int) -> bool:
    """Whether an op takes indices at this position that must not fall, as the numbers of segments."""
    row = OPS.get(user.op)
    return row is not None and place < len(row.operands) and row.takes.get(row.operands[place]) == "ordered"
