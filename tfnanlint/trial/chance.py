"""Failures that only chance explains: single elements that happen to be special, inputs that happen to be equal, and
numbers that a trial makes up for unknown values.

A row of zeros is ordinary, also for the op that reduces it, and so are zeros after a ReLU. It is chance if an element
of a parameter `x` is exactly 0 where the program divides by that element.
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
"""Roles whose elements may be any number."""
TRAINED = frozenset({roles.WEIGHT, roles.DRAWN_WEIGHT})
"""Roles whose elements pass through any number in training, but do not stay at one."""
LOGARITHMS = frozenset({"log", "log2"})
"""Logarithms that are -inf at 0."""
POINTWISE = frozenset(
    "add subtract multiply divide neg square abs sqrt rsqrt log log1p exp expm1 pow reciprocal cast identity getitem"
    " sin cos diag_part".split()
) | {name for name, row in OPS.items() if row.moves}
"""Ops whose elements are elements of an operand, or made of them without mapping ordinary numbers to special ones."""


def is_by_chance(node: Node, situation: Situation, inputs: Inputs) -> bool:
    """Whether a failure needs single elements of an input to be special, without evidence that they ever are."""
    row = OPS.get(node.op)
    if situation.rare:
        decisive = _breaking(node) if row is not None else node.operands
        return not any(one.op in OPS and OPS[one.op].random for one in _elements(decisive))
    if not situation.exact or situation.name == CALM.name or row is None or not row.elementwise:
        return False
    elements = _elements(_breaking(node))
    if any(map(_is_of_neighbours, elements)):
        return False
    ends = [one for one in elements if one.op not in POINTWISE and one.op != "const"]
    return bool(ends) and all(one in inputs.roles and _is_any_number(one, inputs) for one in ends)


def is_made_up(node: Node, inputs: Inputs) -> bool:
    """Whether a value depends only on inputs with made-up numbers, for which the program states no domain.

    If it fails on an ordinary batch, the program expects other numbers.
    """
    leaves = [one for one in reached([node], lambda at: at.operands) if one in inputs.roles]
    return bool(leaves) and all(inputs.roles[one].name == roles.SETTING or not inputs.is_told(one) for one in leaves)


def is_coincidence(node: Node, situation: Situation, inputs: Inputs) -> bool:
    """Whether a value fails because two data inputs are equal, where the program relies on their difference."""
    if situation.paired != "data":
        return False
    return not inputs.subtracted.isdisjoint(reached([node], lambda at: at.operands))


def is_mask_in_logs(node: Node, inputs: Inputs) -> bool:
    """Whether a node is the logarithm of a mask: its -inf is meant, as a term that removes scores."""
    if node.op not in LOGARITHMS:
        return False
    held = behind(node.operands[0], HANDED_ON)
    return is_indicator(held) or (held in inputs.roles and inputs.role(held).name == roles.MASK)


def _breaking(node: Node) -> list[Node]:
    """The operands that decide whether an op fails, such as the divisor of a division."""
    row = OPS[node.op]
    named = {at.operand for at in row.breaks}
    return [one for name, one in zip(row.operands, node.operands, strict=False) if not named or name in named]


def _elements(start: Iterable[Node]) -> set[Node]:
    """The values that single elements of some values are computed from."""
    return reached(start, lambda at: at.operands if at.op in POINTWISE else ())


def _is_of_neighbours(node: Node) -> bool:
    """Whether a node is the difference of neighbours, `x[1:] - x[:-1]`, which is 0 where `x` is flat."""
    if node.op != "subtract" or any(one.op != "getitem" for one in node.operands):
        return False
    left, right = node.operands
    return left.operands[0] is right.operands[0] and any(":-" in str(one.attrs.get("slices")) for one in (left, right))


def _is_any_number(node: Node, inputs: Inputs) -> bool:
    role = inputs.roles[node]
    if role.name in (roles.SETTING, *TRAINED) or (node.op not in ("input", "placeholder") and inputs.is_unknown(node)):
        return True
    return role.name in VAGUE and role.by_name
