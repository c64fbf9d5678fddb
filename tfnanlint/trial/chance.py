"""What is likely of a failure, and what is chance: single numbers that happen to be special, inputs that happen to be
equal, and the numbers that a trial makes up for what nobody knows.

A row of zeros is ordinary, also for the op that reduces it, and so are zeros behind a ReLU; that an element of what a
parameter `x` holds is exactly 0, where the program divides by that element, is not.
"""

from __future__ import annotations

from collections.abc import Iterable

from tfnanlint.facts.kinds import HANDED_ON, is_indicator
from tfnanlint.flow import Node, behind
from tfnanlint.ops import OPS
from tfnanlint.trial import roles
from tfnanlint.trial.inputs import Inputs
from tfnanlint.trial.parts import reached
from tfnanlint.trial.situations import CALM, Situation

VAGUE = frozenset({roles.FEATURES, roles.REWARD, roles.POSITIVE})
"""Roles of which single elements may be any number."""
TRAINED = frozenset({roles.WEIGHT, roles.DRAWN_WEIGHT})
"""Roles whose elements move past any number in training, and stay at none."""
LOGARITHMS = frozenset({"log", "log2"})
POINTWISE = frozenset(
    "add subtract multiply divide neg square abs sqrt rsqrt log log1p exp expm1 pow reciprocal cast identity getitem"
    " sin cos expand_dims squeeze reshape transpose convert_to_tensor".split()
)
"""Ops that make one number of one number, and no special one of ordinary ones."""


def is_by_chance(node: Node, situation: Situation, inputs: Inputs) -> bool:
    """Whether a failure takes single numbers of an input to be special, and nothing says that they ever are."""
    if situation.rare:
        return not any(one.op in OPS and OPS[one.op].random for one in _elements([node, *node.operands]))
    row = OPS.get(node.op)
    if not situation.exact or situation.name == CALM.name or row is None or not row.elementwise:
        return False
    elements = _elements(_breaking(node))
    if any(map(_is_of_neighbours, elements)):
        return False
    ends = [one for one in elements if one.op not in POINTWISE and one.op != "const"]
    return bool(ends) and all(one in inputs.roles and _is_any_number(one, inputs) for one in ends)


def is_made_up(node: Node, inputs: Inputs) -> bool:
    """Whether a value is made of inputs alone whose numbers a trial makes up, as the program does not tell them.

    That it fails on an ordinary batch says only that other numbers were meant.
    """
    leaves = [one for one in reached([node], lambda at: at.operands) if one in inputs.roles]
    return bool(leaves) and all(inputs.roles[one].name == roles.SETTING or not inputs.is_told(one) for one in leaves)


def is_coincidence(node: Node, situation: Situation, inputs: Inputs) -> bool:
    """Whether a value fails because two inputs are equal, whose difference the program takes to be other than 0."""
    if situation.paired != "data":
        return False
    return not inputs.pairs.keys().isdisjoint(reached([node], lambda at: at.operands))


def is_mask_in_logs(node: Node, inputs: Inputs) -> bool:
    """Whether a value is the logarithm of a mask: where it is 0, an infinity is what its author adds to scores."""
    if node.op not in LOGARITHMS:
        return False
    held = behind(node.operands[0], HANDED_ON)
    return is_indicator(held) or (held in inputs.roles and inputs.role(held).name == roles.MASK)


def _breaking(node: Node) -> list[Node]:
    """The operands whose numbers decide whether an op fails: of a division, its divisor."""
    row = OPS[node.op]
    named = {at.operand for at in row.breaks}
    return [one for name, one in zip(row.operands, node.operands, strict=False) if not named or name in named]


def _elements(start: Iterable[Node]) -> set[Node]:
    """What single numbers of some values are made of."""
    return reached(start, lambda at: at.operands if at.op in POINTWISE else ())


def _is_of_neighbours(node: Node) -> bool:
    """Whether a value is the difference of neighbours in one value, `x[1:] - x[:-1]`: where that is flat, it is 0."""
    if node.op != "subtract" or any(one.op != "getitem" for one in node.operands):
        return False
    left, right = node.operands
    return left.operands[0] is right.operands[0] and any(":-" in str(one.attrs.get("slices")) for one in (left, right))


def _is_any_number(node: Node, inputs: Inputs) -> bool:
    role = inputs.roles[node]
    if role.name in (roles.SETTING, *TRAINED) or (node.op not in ("input", "placeholder") and inputs.is_unknown(node)):
        return True
    return role.name in VAGUE and role.by_name
