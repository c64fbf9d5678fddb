"""Ops that could not fail in a run because something else was not finite, and how to run them all the same.

An overflow ends a run for all that depends on it. The inputs that it was computed from then stay calm, and the others
do what the situation makes of them: an op that fails by itself fails in that run. A loss that is not finite has no
gradient to look at, so what is not finite of it is made up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from tfnanlint.flow import Node, reached
from tfnanlint.trial.run import Run
from tfnanlint.trial.situations import Situation


@dataclass(frozen=True, eq=False, slots=True)
class Hidden:
    """Some ops that could not fail in a situation, in their value or their gradient, and what hid them."""

    kind: str
    nodes: Collection[Node]
    situation: Situation
    spared: frozenset[int]
    """The numbers of the inputs that stay calm, so that what hid the nodes is finite."""
    replaced: Collection[Node] = ()
    """What is made up where it is not finite."""


def hidden_in(
    run: Run,
    situation: Situation,
    candidates: Iterable[Node],
    broken: Collection[Node],
    makes: Callable[[Node, Run], bool],
) -> Hidden | None:
    """The candidates behind a failure in a run; `makes` tells whether a node fails by itself."""
    nodes = {node for node in candidates if node in broken and not makes(node, run)}
    before = reached(nodes, lambda node: [operand for operand in node.operands if operand in broken])
    failing = [node for node in before if node not in run.outside and makes(node, run)]
    made_of = reached(failing, lambda node: () if node in run.outside else node.operands)
    spared = situation.spared | {node.index for node in made_of & run.outside}
    return Hidden("value", nodes, situation, spared) if nodes and spared != situation.spared else None


def without_gradient(
    run: Run,
    situation: Situation,
    candidates: Iterable[Node],
    broken: Collection[Node],
    makes: Callable[[Node, Run], bool],
    roots: Iterable[tuple[Node, Collection[Node]]],
) -> Hidden | None:
    """The candidates in other terms of roots without a finite value, each root with what it is made of.

    Values that do not cause the root's failure may be infinite: `exp` makes a 0 of -inf, and NaN of its gradient.
    Ancestors of the failing value are left out, because their gradient is unknown.
    """
    nodes: set[Node] = set()
    replaced: set[Node] = set()
    for root, made_of in roots:
        path = reached([root], lambda node: [operand for operand in node.operands if operand in broken])
        nodes.update(node for node in candidates if node in made_of)
        replaced.update(node for node in path if node not in run.outside and makes(node, run))
    nodes -= reached(replaced, lambda node: node.operands)
    return Hidden("gradient", nodes, situation, situation.spared, replaced) if nodes else None
