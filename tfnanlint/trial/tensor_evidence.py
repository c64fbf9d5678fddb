"""What shows that a value is a tensor of data, and no setting: its own statistics scale it, or it has axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfnanlint.flow import Node, ancestors, behind
from tfnanlint.ops import OPS
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.trial.roles import FEATURES, NOTHING, SETTING, SIZE, Role, by_name
from tfnanlint.trial.uses import HANDED_ON, Uses, kind_taken
from tfnanlint.vocabulary import words_of

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

READ = frozenset("input placeholder attribute getitem".split())
"""Values that a program reads somewhere."""
MEANS = frozenset({"reduce_mean", "moments"})
SPREADS = frozenset({"reduce_std", "reduce_variance"})
OF_ITS_SHAPE = frozenset("shape zeros_like ones_like".split())
"""Ops that take the shape of their operand, which a setting lacks."""
A_TENSOR = "a tensor, whatever its name"
OF_SIZES = frozenset("size dim dims height width".split())
"""The last words of names that tell of a size, also of several axes."""


def by_statistics(node: Node, name: str, uses: Uses) -> Role | None:
    """A value that the program standardises is data, whatever its name: settings have no mean and no deviation."""
    if by_name(name) is not None or not any(place == 0 and _standardises(user, node) for user, place in uses):
        return None
    if not any((at.op in READ and not at.operands) or "name" in at.attrs for at in ancestors(node)):
        return None  # the program makes it, and may know better
    return Role(FEATURES, "its own mean is subtracted from it, or its own deviation divides it")


def _standardises(user: Node, node: Node) -> bool:
    """Whether an op subtracts the mean of a value from it, or divides it by its deviation."""
    if user.op not in ("subtract", "divide") or LIBRARY in user.attrs:
        return False
    statistic = behind(user.operands[1], HANDED_ON)
    statistic = behind(statistic, {"sqrt"}) if user.op == "divide" else statistic
    asked = MEANS if user.op == "subtract" else SPREADS
    if statistic.op not in asked:
        return False
    of = statistic.operands[0]
    while of is not node and of.op in HANDED_ON and of.operands:
        of = of.operands[0]
    return of is node


def by_axes(node: Node, name: str, uses: Uses, facts: Facts) -> Role | None:
    """What has axes is a tensor, also if its name suggests a setting: the keys `k` in a matrix product.

    A parameter holds data, and what the program computes or reads somewhere may be anything.
    """
    named = by_name(name)
    traced = facts.flow.traced.get(node)
    has_axes = bool(traced is not None and traced.shape) or any(_has_axes(u, at) for u, at in uses)
    if named is None or named.name != SETTING or not has_axes:
        return None
    if not OF_SIZES.isdisjoint(words_of(name)[-1:]):
        return Role(SIZE, f"{A_TENSOR}, of sizes")
    fed = node.op in ("input", "placeholder") and traced is None
    return Role(FEATURES, A_TENSOR, by_name=True) if fed else Role(NOTHING, A_TENSOR)


def _has_axes(user: Node, place: int) -> bool:
    """Whether an op of TensorFlow takes a tensor of rank 1 or more at this position; NumPy's take settings, too."""
    if LIBRARY in user.attrs:
        return False
    if user.op in OF_ITS_SHAPE:
        return True
    row = OPS.get(user.op)
    if row is None or place >= len(row.operands):
        return False
    return (place == 0 and "keepdims" in row.attrs) or kind_taken(user, place) in ("matrix", "image")
