"""The numbers that the program compares its inputs with: in some situations an input is at or beside one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.interval import NARROW_INTEGERS
from tfnanlint.ops.numeric import np
from tfnanlint.trial import roles
from tfnanlint.trial.evidence import is_of_one_class
from tfnanlint.trial.limits import NONE, beside
from tfnanlint.trial.ordinary import start_of
from tfnanlint.trial.situations import Situation
from tfnanlint.trial.variables import is_counter

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

COUNT_KIND = "count"
"""The kind of an assumption about a number of steps or elements."""
COMPARED = roles.DATA | {roles.LABELS, roles.RECORD, roles.INDICES}
"""Roles whose inputs are tried at the numbers that the program compares them with, such as labels to ignore."""
OBSERVED = frozenset(
    {roles.NOTHING, roles.FEATURES, roles.LABELS, roles.REWARD, roles.POSITIVE, roles.IMAGE, roles.SIGNAL, roles.COUNT}
)
"""Roles of data, of which elements may be missing."""
INTEGER_ROLES = frozenset({roles.COUNT, roles.SIZE, roles.LENGTHS})
"""Roles of whole numbers."""
BOUNDS = {
    roles.PROBABILITY: (0.0, 1.0),
    roles.CLASS_PROBABILITIES: (0.0, 1.0),
    roles.COUNT: (0.0, np.inf),
    roles.POSITIVE: (0.0, np.inf),
    roles.INDICES: (0.0, np.inf),
    roles.LOG_PROBABILITY: (-np.inf, 0.0),
    roles.DRAWN_LOG_PROBABILITY: (-np.inf, 0.0),
}
"""The range of a role, whatever the program compares it with."""


class InputLimits:
    """The limits of the inputs of one part."""

    def __init__(self, facts: Facts, limits: Mapping[tuple[Node, str], tuple[float, ...]]) -> None:
        """`limits`: the numbers that the program compares an input with, by the input and the side of them."""
        self._facts, self._limits = facts, limits

    def of(self, node: Node, side: str) -> tuple[float, ...]:
        """The numbers at a side of which an input may be, whatever its role."""
        return self._limits.get((node, side), ())

    def at(self, node: Node, role: str, situation: Situation) -> tuple[float, ...]:
        """The limits at or beside which an input is tried in a situation; none in one about something else."""
        limits = self.of(node, situation.side)
        if not limits or (role == roles.ASSUMED and self._is_counted(node)):
            return limits
        if role not in COMPARED or (situation.side == NONE and role != roles.INDICES):
            return ()
        if role == roles.NOTHING and node.op == "unknown" and node.operands:  # what an unknown function gives
            return ()
        if role == roles.LABELS and is_of_one_class(node, self._facts):  # each row has its class
            return ()
        if role == roles.STATE and is_counter(node, self._facts):
            return tuple(limit for limit in limits if limit >= start_of(node.attrs))
        return limits

    def beside(self, node: Node, role: str, value: Any, situation: Situation) -> Any:
        """The numbers of an input at or beside its limits, in situations about limits."""
        limits = self.at(node, role, situation)
        if not limits:
            return value
        if situation.missing is not None:
            return situation.missing(value) if role in OBSERVED and value.dtype.kind == "f" else value
        counted = role == roles.ASSUMED  # of what is assumed, the numbers of steps alone have limits
        lo, hi = ends_of(node, self._facts) if counted else BOUNDS.get(role, (-np.inf, np.inf))
        if (held := NARROW_INTEGERS.get(self._facts.dtype(node) or "")) is not None:
            lo, hi = max(lo, held.lo), min(hi, held.hi)
        if role == roles.INDICES:  # an index for "none" may be negative, as -1
            lo = min(lo, *limits)
        numbers = beside(limits, situation.side, value, lo, hi)
        if role in INTEGER_ROLES or counted:
            numbers = np.floor(numbers) if situation.side == "below" else np.ceil(numbers)
        return numbers if value.dtype.kind == "f" else numbers.astype(value.dtype)

    def _is_counted(self, node: Node) -> bool:
        """Whether an input is assumed to be a number of steps."""
        assumed = self._facts.assumptions.get(node)
        return assumed is not None and assumed.sample is None and COUNT_KIND in assumed.kinds


def ends_of(node: Node, facts: Facts) -> tuple[float, float]:
    """The bounds that an input is assumed to have."""
    held = facts.assumptions[node].range
    return (-math.inf, math.inf) if held is None else (held.outer.lo, held.outer.hi)
