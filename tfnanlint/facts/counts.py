"""Masks that hold for one element at least, so that the count of what they select is never 0.

The largest elements equal the maximum, every label equals itself, and what an op has chosen is among what it was given.
"""

from __future__ import annotations

from tfnanlint.facts.handed import UNCHANGED, strip
from tfnanlint.facts.recursion_limit import bounded
from tfnanlint.flow import Node, behind

RESHAPED = UNCHANGED | {"expand_dims", "reshape"}
PLACES = frozenset({"top_k", "argmax", "argmin", "argsort", "random_categorical"})
"""Ops that give places of their operand."""
EXTREMES = frozenset({"reduce_max", "reduce_min"})


def marks_one(mask: Node, total: Node) -> bool:
    """Whether a mask, summed to a total, holds for some element of every row that is summed."""
    while mask.op in UNCHANGED | {"cast"} or (mask.op == "where" and [o.constant for o in mask.operands[1:]] == [1, 0]):
        mask = mask.operands[0]
    if mask.op not in ("equal", "greater_equal", "less_equal") or len(mask.operands) != 2:
        return False
    if mask.op == "equal" and _paired(*mask.operands):
        return True
    for x, other in (mask.operands, mask.operands[::-1]):
        x, other = strip(x), reshaped(other)
        if other.op in EXTREMES and strip(other.operands[0]).value == x.value:
            return "axis" not in total.attrs or total.attrs["axis"] == other.attrs.get("axis")
        if mask.op == "equal" and "axis" in total.attrs and (_transposed(x, other) or _chosen_from(x, other)):
            return True
    return False


def chooses_one(mask: Node, total: Node) -> bool:
    """Whether a one-hot encoding, summed to a total, encodes places that an op found in what it was given."""
    mask = behind(mask, RESHAPED | {"cast"})
    if mask.op != "one_hot" or {"on_value", "off_value"} & set(mask.attrs):
        return False
    places = behind(mask.operands[0], RESHAPED | {"cast"})
    if places.op == "getitem" and len(places.operands) == 2 and places.operands[1].constant == 1:
        places = places.operands[0]
    along = "axis" not in total.attrs or total.attrs["axis"] == mask.attrs.get("axis", -1)
    return along and places.op in PLACES


@bounded(lambda node: node)
def reshaped(node: Node) -> Node:
    """The value behind ops that only reshape it; behind a join, if all its branches are the same value."""
    node = behind(node, RESHAPED)
    if node.op == "phi":
        found = {reshaped(operand) for operand in node.operands}
        return found.pop() if len(found) == 1 else node
    return node


def _transposed(x: Node, other: Node) -> bool:
    """Whether a column is compared with itself as a row, as labels are to find those that are equal."""
    return other.op == "transpose" and not other.attrs and strip(other.operands[0]).value == x.value


def _paired(x: Node, other: Node) -> bool:
    """Whether a value is compared with itself along another axis: all pairs, of which each with itself is equal."""
    return strip(x).value != strip(other).value and reshaped(x).value == reshaped(other).value


def _chosen_from(x: Node, other: Node) -> bool:
    """Whether what an op gives is compared with what it was given, as the gradients of maxima and ranks do.

    `inputs` and `outputs` are the attributes of the operation that a function under `tf.RegisterGradient` is given.
    """
    given, gave = (reshaped(node) for node in (x, other))
    parts = [node.operands[0] for node in (given, gave) if node.op == "getitem"]
    names = [part.attrs.get("name") for part in parts if part.op == "attribute"]
    return names == ["inputs", "outputs"] and parts[0].operands[0] is parts[1].operands[0]
