"""Values that a program expects to be 0: it checks whether a number that is never negative, made of them, is about 0.

`where(norm(v) < 1e-6, ...)`, `tf.equal(reduce_sum(d * d), 0.0)` and `where(reduce_sum(mask) > 0, ...)` show that `v`,
`d` and `mask` may be 0, whatever they are computed from. `limits.py` has the numbers that a single input is compared
with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import COMPARISONS, Node, reached
from tfnanlint.ops.numeric import np
from tfnanlint.trial import roles
from tfnanlint.trial.evidence import role_of
from tfnanlint.trial.flags import LOGICAL
from tfnanlint.trial.limits import CARRYING, EQUALITIES, GUARD, number_of
from tfnanlint.trial.python_numbers import is_python_number

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

SIZES = frozenset({"abs", "square", "sqrt", "norm", "reduce_euclidean_norm"})
"""Ops that are 0 only where their operand is, and never negative."""
TOTALS = frozenset({"reduce_sum", "reduce_mean", "reduce_max"})
"""Reductions that are 0 only if all elements are, provided that none is negative."""
SUMS = frozenset({"add", "maximum"})
"""Ops that are 0 only if both operands are, provided that neither is negative."""
PASSING = CARRYING - {"getitem"}
"""Ops through which a check goes on; an element or a part of a value is a value of its own."""
MOST_VISITED = 40
"""The most ops that are followed from a check to the values that it is about."""


def checked_in(nodes: Sequence[Node], facts: Facts) -> dict[tuple[Node, ...], Node | None]:
    """The values of a part that the program expects to be 0, one group for each check, with what it checks.

    An `if` checks one number, whatever a trial makes of it; None stands for that.
    """
    found: dict[tuple[Node, ...], Node | None] = {}
    conditions = [condition for node in nodes for condition, _ in node.under]
    asked = reached(conditions, lambda at: at.operands if at.op in LOGICAL else ())
    for node in nodes:
        if node.op not in COMPARISONS or len(node.operands) != 2:
            continue
        for one, other in (node.operands, node.operands[::-1]):
            limit = number_of(other)
            if limit is None or abs(limit) > GUARD or one.op == "const":
                continue
            if node.op not in EQUALITIES and not _is_never_negative(one, facts):
                continue
            group = tuple(sorted(set(_zero_with(one, facts)), key=lambda at: at.index))
            if group and all(_may_vanish(one, facts) for one in group):
                found.setdefault(group, None if node in asked else one)
    return found


def _zero_with(checked: Node, facts: Facts) -> Iterator[Node]:
    """The values whose size or total a checked one is."""
    stack = [(checked, False)]
    for _ in range(MOST_VISITED):
        if not stack:
            return
        node, measured = stack.pop()
        further = _terms(node, facts)
        stack += [(one, measured or node.op not in PASSING) for one in further]
        if measured and not further:
            yield node


def _terms(node: Node, facts: Facts) -> tuple[Node, ...]:
    """The operands that are 0 where a node is; none if that says nothing of them."""
    operands = node.operands
    if node.op in SIZES or node.op in PASSING:
        return operands[:1]
    if node.op == "multiply" and operands[0] is operands[1]:
        return operands[:1]
    if node.op in ("multiply", "divide") and number_of(operands[1]):
        return operands[:1]
    if node.op == "multiply" and number_of(operands[0]):
        return operands[1:]
    if node.op in TOTALS and _is_never_negative(operands[0], facts):
        return operands[:1]
    if node.op in SUMS and all(_is_never_negative(one, facts) for one in operands):
        return operands
    return ()


def _is_never_negative(node: Node, facts: Facts) -> bool:
    return facts.range(node).outer.lo >= 0


def _may_vanish(node: Node, facts: Facts) -> bool:
    """Whether a value is one of data, so that it may be 0: settings and numbers of Python are what they are."""
    if node.op == "const" or 0.0 not in facts.range(node).outer or is_python_number(node, facts):
        return False
    return role_of(node, facts).name != roles.SETTING


def zeroed(value: Any, checked: Any) -> Any:
    """A value where what is checked is 0: all of it, or the first row of both; `checked` is None for one number."""
    rows = np.shape(checked)[:1]
    if not rows or np.shape(value)[:1] != rows or rows == (1,):
        return np.zeros_like(value)
    found = np.array(value)
    found[0] = 0
    return found
