"""How a part of a flow is run: in which situations, by which branches, and what of the ordinary run stays as it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node, reached
from tfnanlint.ops import OPS
from tfnanlint.ops.numeric import np
from tfnanlint.trial import roles
from tfnanlint.trial.budget import RUN, Budget
from tfnanlint.trial.control import LAST, depth_of
from tfnanlint.trial.inputs import Inputs, Made
from tfnanlint.trial.partition import WINDOW, asked_by
from tfnanlint.trial.plan import Plan
from tfnanlint.trial.run import Run, Start
from tfnanlint.trial.situations import CALM, Situation

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

MOST_DRAWS = 3
"""The most random tensors that are tried with the smallest number."""
MOST_SINGLE = 3
"""The most inputs that a situation changes one after the other."""
MOST_BETWEEN = 2
"""The most arms of an `if`, `elif` chain that are tried between the first and the last."""


class PartRuns:
    """A part of a flow with its inputs, and its runs in a situation."""

    def __init__(
        self,
        facts: Facts,
        nodes: list[Node],
        candidates: Iterable[Node],
        held: dict[Node, list[tuple[Situation, bool, Any]]],
        budget: Budget | None = None,
    ) -> None:
        """`candidates` and the keys of `held` are the nodes of interest; `budget` limits the work of all runs."""
        self.facts = facts
        self.budget = budget or Budget(math.inf)
        self.nodes = nodes
        self.held = held
        self.plan = Plan(facts, nodes)
        self.inside = self.plan.inside
        self.candidates = sorted(self.inside.intersection(candidates), key=lambda node: node.index)
        self.loops = any(node.op == "loop" and len(node.operands) == 2 for node in nodes)
        self.inputs = Inputs(facts, nodes, self.plan.shapes)
        self.ordinary: Run | None = None
        self.made: Made = {}
        """The inputs of the ordinary run."""

    def runs(self, situation: Situation) -> Iterator[tuple[Run, Situation]]:
        """The runs of a situation: one for each branch of an `if` with an unknown condition."""
        if situation.smallest_draw:
            yield from ((self.run(situation, node), situation) for node in self._random()[:MOST_DRAWS])
            return
        if situation.checks_zero:
            checked = {node for group in self.plan.checked for node in group}
            for group in islice(self.plan.checked, MOST_SINGLE):
                variant = replace(situation, spared=frozenset(one.index for one in checked.difference(group)))
                yield self.run(variant), variant
            return
        if situation.single:
            concerned = self._single(situation)
            for node in concerned[:MOST_SINGLE]:
                variant = replace(situation, spared=frozenset(one.index for one in concerned if one is not node))
                yield self.run(variant), variant
            return
        run = self.ordinary if situation is CALM else self.run(situation)
        assert run is not None
        yield run, situation
        if situation.steps == 1 and self.loops and len(self.nodes) <= WINDOW:
            turned = replace(situation, steps=2)  # a counter is 0 in the first iteration only
            yield self.run(turned), turned
        if run.undecided and situation.steps == 1:
            for arm in self.arms if len(self.nodes) <= WINDOW else (LAST,):
                other = replace(situation, sentence=f"{situation.sentence}, in another branch of an `if`", arm=arm)
                yield self.run(other), other

    def concerns(self, situation: Situation, present: set[str]) -> bool:
        """Whether a situation changes anything in this part; `present` are the roles of its inputs."""
        if situation.rounds:
            return bool(self.plan.cancelling)
        concerned = {*situation.changes, *situation.copies, *situation.equals}
        beside = (situation.paired and self.inputs.pairs) or self.inputs.padded.get(situation.padded_by)
        if present and concerned and not concerned & present and not beside:
            return False
        if situation.steps > 1:
            return self.loops
        if situation.factors > 1:
            return bool(self.plan.products)
        if situation.opposed:
            return bool(self.inputs.pairs)
        if situation.checks_zero:
            return bool(self.plan.checked)
        if situation.single:
            return len(self._single(situation)) > 1
        if situation.side:
            return any(self.inputs.limits.at(node, role.name, situation) for node, role in self.inputs.roles.items())
        if situation.smallest_draw:
            return bool(self._random())
        if situation.blanks_patches:
            return bool(self.inputs.blank)
        return True

    def run(self, situation: Situation, smallest_draw: Node | None = None) -> Run:
        """Run the part in a situation; the random tensor `smallest_draw` then has its smallest number."""
        self.budget.spend(RUN)
        start = self._start(situation)
        leaf = self.leaf(situation, dict(self.made) if start is not None else self.made)
        return Run(self.plan, leaf, situation, smallest_draw, start, self.budget)

    def leaf(self, situation: Situation, made: Made) -> Callable[[Node, Any], Any]:
        """What gives the numbers that come from outside the flow in a situation; they are added to `made`."""

        def given(node: Node, like: Any) -> Any:
            value = self.inputs.value(node, like, situation, made)
            if isinstance(value, np.ndarray):
                made[node] = self.inputs.role(node).name, value
                if like is not None and like.dtype.kind == "f" and not np.isfinite(like).all():
                    value = np.full_like(value, np.nan)
            return value

        return given

    def _single(self, situation: Situation) -> list[Node]:
        """The inputs that a situation changes one at a time."""
        compared = {*self.inputs.pairs, *self.inputs.pairs.values()}
        concerned = [node for node, role in self.inputs.roles.items() if role.name in situation.changes]
        return [node for node in concerned if situation.single == "any" or node in compared]

    def _random(self) -> list[Node]:
        return [node for node in self.nodes if node.op in OPS and OPS[node.op].random]

    def _start(self, situation: Situation) -> Start | None:
        """The ordinary run, and the nodes that differ from it in a situation."""
        if self.ordinary is None:
            return None
        differing = {
            node
            for node, role in self.inputs.roles.items()
            if role.name == roles.ASSUMED or self.inputs.disturbs(situation, node)
        }
        if situation.arm:
            differing |= {node for node in self.nodes if node.op in ("phi", "absent")}
        if situation.smallest_draw:
            differing |= set(self._random())
        if situation.factors > 1:
            differing |= self.plan.products
        if situation.rounds:
            differing |= self.plan.cancelling
        differing |= self.plan.vanishing(situation).keys()
        if self.inputs.others:
            differing |= set(filter(self.inputs.is_unknown, self.inputs.roles))
        differing &= self.inside  # a gradient may have reached further inputs, which have roles since
        return Start(self.ordinary, differing, lambda node: self.dependents.get(node, ()), self.core)

    @cached_property
    def arms(self) -> list[int]:
        """The arms to try besides the first one: the last one, and some between them."""
        joins = (node for node in self.nodes if node.op == "phi")
        deepest = max((max(depth_of(node), len(node.operands) - 2) for node in joins), default=0)
        return [*range(1, min(deepest, MOST_BETWEEN) + 1), LAST]

    @cached_property
    def core(self) -> set[Node]:
        """All that the candidates depend on."""
        wanted = {*self.candidates, *(self.held.keys() & self.inside)}
        return reached(wanted, self.needs)

    def needs(self, node: Node) -> tuple[Node, ...]:
        return (*node.operands, *asked_by(node, self.facts))

    @cached_property
    def dependents(self) -> dict[Node, list[Node]]:
        """By node, the nodes that depend on it directly."""
        found: dict[Node, list[Node]] = {}
        for node in self.nodes:
            asked = asked_by(node, self.facts)
            if node.op == "phi":
                asked += [condition for operand in node.operands for condition, _ in operand.under]
            for one in {*node.operands, *asked}:
                found.setdefault(one, []).append(node)
        return found
