"""How a program uses its values: by which ops, at which operand, also behind what passes them on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from tfnanlint.flow import COMPARISONS, TRUTHS, Node, reached
from tfnanlint.ops import OPS
from tfnanlint.source.libraries import LIBRARY

HANDED_ON = frozenset(
    "reshape squeeze expand_dims transpose identity cast getitem convert_to_tensor constant flatten ensure_shape "
    "stop_gradient clip add subtract neg gather tile repeat broadcast_to slice split unstack phi loop check_numerics "
    "maximum minimum dropout shuffle stack".split()
)
"""Ops that pass their first operand on: uses of their result are evidence for its role."""
PICKING = frozenset({"gather", "gather_nd", "getitem"})
"""Ops that pick elements of their first operand, by the indices behind it."""
CONNECTIVES = TRUTHS - COMPARISONS
"""Ops that make one condition of others."""
KEYED = frozenset("input placeholder unknown attribute getitem".split())
"""Values of which each key names an input of its own."""
CONVERSIONS = frozenset({"int", "float"})
"""Functions of Python that give the same number in another type."""
BYTES = {"divide": (255, 127.5), "multiply": (1 / 255, 1 / 127.5)}
"""Ops that bring bytes to numbers of about 1, and by which numbers."""
Uses = Sequence[tuple[Node, int]]
"""Users of a value with the position of the operand."""
MOST_USES = 200
"""The most uses of a value that decide its role."""
MOST_WALKED = 40
"""The most values that a walk along uses visits."""


def uses_of(node: Node) -> Uses:
    """The uses of a value with the position of the operand, also of results that pass it on: the first ones."""
    return list(islice(_all_uses(node), MOST_USES))


def _all_uses(node: Node) -> Iterator[tuple[Node, int]]:
    met, stack = {node}, [node]
    while stack and len(met) < MOST_WALKED:
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


def is_of_bytes(node: Node) -> bool:
    """Whether a value has the numbers of bytes, from 0 to 255: the program divides it by 255 or by its half."""
    scaled = (user for user, place in uses_of(node) if user.op == "multiply" or (user.op == "divide" and place == 0))
    return any(by.op == "const" and by.constant in BYTES[user.op] for user in scaled for by in user.operands)


def _scales(user: Node, node: Node) -> bool:
    """Whether an op multiplies a value by a constant, or divides it by one."""
    if user.op == "divide":
        return user.operands[0] is node and user.operands[1].op == "const"
    return user.op == "multiply" and all(operand is node or operand.op == "const" for operand in user.operands)


def tests_in(nodes: Iterable[Node]) -> set[Node]:
    """The comparisons by which an `if` or a `while` of Python decides whether some nodes are computed."""
    conditions = {condition for node in nodes for condition, _ in node.under}
    parts = reached(conditions, lambda node: node.operands if node.op in CONNECTIVES else ())
    compared = (part for part in parts if part.op in COMPARISONS and getattr(part.origin, "spelling", None) == "")
    return {part for part in compared if all(user.op in CONNECTIVES for user in part.users)}


def is_element(node: Node) -> bool:
    """Whether a value is an element of a list or dictionary that is passed in: then it is an input of its own."""
    if node.op != "getitem":
        return False
    return bool(node.attrs.get("unpacked") or (key_of(node) and node.operands[0].op in KEYED))


def key_of(node: Node) -> str:
    """The key of a dictionary that a value is read with, if it is text."""
    key = node.operands[1].constant if len(node.operands) == 2 else None
    return key if isinstance(key, str) else ""


def kind_taken(user: Node, place: int) -> str:
    """What an op takes at a position where that is not real numbers of any shape, as its row says it; else ""."""
    row = OPS.get(user.op)
    return row.takes.get(row.operands[place], "") if row is not None and place < len(row.operands) else ""


def takes_image(user: Node, place: int) -> bool:
    """Whether an op of `tf.image` takes an image at this position; a convolution takes anything of that shape."""
    names = [name for spelling in OPS[user.op].spellings for name in spelling.names] if user.op in OPS else []
    return bool(names) and kind_taken(user, place) == "image" and all(name.startswith("tf.image.") for name in names)


def is_index(user: Node, place: int) -> bool:
    """Whether an op takes indices at this position; a single subscript is not evidence."""
    return user.op != "getitem" and kind_taken(user, place) in ("index", "ordered", "pointers")


def is_ordered(user: Node, place: int) -> bool:
    """Whether an op takes indices at this position that must not fall, as the numbers of segments."""
    return kind_taken(user, place) == "ordered"


def is_cast_to_bool(node: Node) -> bool:
    """Whether the program takes a value for truth values, so that its elements are 0 and 1."""
    return any(user.op == "cast" and user.attrs.get("dtype") == "bool" for user, _ in uses_of(node))


def is_of_pairs(node: Node) -> bool:
    """Whether indices name pairs, or one side of them, as of the edges of a graph: others index the same table."""
    for user, place in uses_of(node):
        if place == 1 and is_index(user, place):
            others = [one for one in user.operands[0].users if one.op == user.op and one is not user]
            if any(one.operands[1].value != user.operands[1].value for one in others):
                return True
    return False


def is_made_of_drawn(node: Node) -> bool:
    """Whether a function of NumPy computes a value from nothing but numbers that the program draws."""
    if node.op != "unknown" or not _is_result_of_numpy(node):
        return False
    made_of = reached([node], lambda at: at.operands if at.op in OPS or _is_result_of_numpy(at) else ())
    ends = [one for one in made_of if not one.operands or not (one.op in OPS or _is_result_of_numpy(one))]
    draws = any(one.op in OPS and OPS[one.op].random for one in made_of)
    return draws and all(one.op == "const" or (one.op in OPS and OPS[one.op].random) for one in ends)


def _is_result_of_numpy(node: Node) -> bool:
    """Whether a value that is no op is what a function of NumPy gives, or a method of such a value."""
    own = node.attrs.get(LIBRARY) == "numpy"
    return node.op == "unknown" and (own or (bool(node.operands) and node.operands[0].attrs.get(LIBRARY) == "numpy"))
