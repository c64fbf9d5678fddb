"""Evidence from the parts that a program takes of a value: columns of labels, a scale beside a mean, an array."""

from __future__ import annotations

from tfnanlint.flow import Node, behind, reached
from tfnanlint.trial.by_use import PARTING, RATIOS
from tfnanlint.trial.slices import last_part
from tfnanlint.trial.uses import HANDED_ON, uses_of

MANY = 10
"""The least number of columns that may be classes: a box, a point or a size has fewer."""


def is_given(node: Node) -> bool:
    """Whether a value is one of several results of an unknown function."""
    return node.op == "getitem" and bool(node.attrs.get("unpacked")) and node.operands[0].op == "unknown"


def has_columns(node: Node) -> bool:
    """Whether slices cut several columns out of a value, and others besides; one-hot labels have no such parts."""
    same = reached([node], lambda at: filter(_takes_element, at.users))
    parts = {str(part): part for at in same for user in at.users if (part := last_part(user)) is not None}
    return len(parts) > 1 and any(isinstance(one, slice) and 1 < (one.stop or 0) < MANY for one in parts.values())


def _takes_element(user: Node) -> bool:
    """Whether a node is a list of values that are alike, an element of it, one of several values, or some rows."""
    if user.op == "boolean_mask":
        return True
    listed = user.operands[0] if user.op == "getitem" and "slices" not in user.attrs else user
    return listed.op == "phi" or (listed.op == "stack" and len(listed.operands) == 1 and "axis" not in listed.attrs)


def is_scale(node: Node) -> bool:
    """Whether a part of a prediction is a scale: a likelihood divides by it, and adds its logarithm.

    The network that predicts it keeps it positive, as softplus does: its loss need not.
    """
    if node.op != "getitem" or not (is_cut_off(node) and _is_from_outside(node)):
        return False
    uses = [*uses_of(node)]
    uses += [(user, place) for used, _ in uses if used.op == "square" for user, place in uses_of(used)]
    divides = any(user.op in RATIOS and place == len(user.operands) - 1 for user, place in uses)
    return divides and any(user.op == "log" for user, _ in uses)


def cuts_axes(user: Node) -> bool:
    """Whether a subscript cuts several axes of a value, which a number or a list lacks: `anchors[..., :2]`."""
    return user.op == "getitem" and "," in str(user.attrs.get("slices", "")).rpartition("[")[2]


def is_cut_off(part: Node) -> bool:
    """Whether a value is one of several parts of another one."""
    return part.operands[0].op in PARTING or "slices" in part.attrs


def _is_from_outside(part: Node) -> bool:
    whole = behind(part, HANDED_ON | PARTING)
    return whole.op in ("input", "placeholder", "unknown") or (whole.op == "layer" and not whole.operands)
