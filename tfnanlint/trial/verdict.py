"""The verdict of trials: which op first produces something non-finite, in which situation, and whether it is observed.

A failure is an op that makes NaN or an infinity of finite operands, or a non-finite gradient of a finite one, in an
ordinary situation, when that reaches a result, a loss or a trained weight. What is masked, chosen away or absorbed on
the way ends by itself in the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Flow, Node
from tfnanlint.interval import Interval
from tfnanlint.ranges import Reach
from tfnanlint.trial.arrays import REFUSALS, is_inside
from tfnanlint.trial.budget import MOST_COMPUTED, Budget, Spent
from tfnanlint.trial.control import chosen_place
from tfnanlint.trial.edges import EDGES
from tfnanlint.trial.failure import Failure
from tfnanlint.trial.part_trial import Part
from tfnanlint.trial.partition import parts_of
from tfnanlint.trial.situations import CALM, SITUATIONS, Situation

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

NEAR = 2e-8
"""The distance from a point within which digits are lost."""


@dataclass(frozen=True)
class EarlierTrials:
    """What a first reading of a program showed: the next one has the same flow, and need not look further."""

    size: int
    """The number of nodes of the flow."""
    situations: frozenset[str]
    """The names of the situations in which something failed."""
    nodes: frozenset[int] | None
    """The numbers of the nodes that are matched; None if not all parts were tried."""
    shapes: Mapping[int, tuple[int, ...]] | None
    """The shapes of inputs that a trial solved, by the numbers of their nodes; None if not all parts were tried."""
    unreachable: frozenset[int] = frozenset()
    """The numbers of the nodes at which no call in the project fails."""

    def is_of(self, flow: Flow) -> bool:
        """Whether a flow has the numbers of the one that was read first."""
        return self.size == len(flow.nodes)


class Trials:
    """The failures in the parts of a flow around some nodes."""

    def __init__(
        self,
        facts: Facts,
        candidates: Iterable[Node],
        watched: Iterable[Node] = (),
        edges: bool = True,
        keeping: bool = False,
        known: EarlierTrials | None = None,
    ) -> None:
        """Look for failures of `candidates`, and keep the numbers of `watched` nodes for `reaches`.

        With `keeping`, repairs can be tried in the parts in which something failed, until the trials `forget` them.

        Without `edges`, inputs of unknown roles stay calm, and what is merely possible is not found. `known` is what
        the trials of the same program showed before: only that is tried again.
        """
        self.facts = facts
        situations = (*SITUATIONS, *EDGES) if edges else SITUATIONS
        if known is not None:
            situations = tuple(one for one in situations if one is CALM or one.name in known.situations)
        budget = Budget(MOST_COMPUTED)
        self.failures: dict[Node, list[Failure]] = {}
        self.telling = {CALM.name}
        """The names of the situations in which a candidate failed, or a watched value reached its region."""
        self.shapes: dict[int, tuple[int, ...]] = {}
        """The shapes of inputs that were solved, by the numbers of their nodes."""
        self._held: dict[Node, list[tuple[Situation, bool, Any]]] = {node: [] for node in watched}
        met, shapes = (known.nodes, known.shapes) if known is not None else (None, None)
        tried = set(candidates)
        self.partly = {*tried, *self._held}
        """Nodes that no part contained with all that they are computed from: the parts are too large, or too many."""
        self._complete = True
        self._parts: list[Part] = []
        for nodes in sorted(parts_of(facts, {*tried, *self._held}), key=len):
            if met is not None and met.isdisjoint(node.index for node in nodes):
                continue
            part = Part(facts, nodes, tried, self._held, situations, budget, keeping, shapes)
            self._parts += [part] if keeping else []
            try:
                for failure in part.failures():
                    self._add(failure, failure.node in tried)
                self.shapes.update(part.solved)
            except REFUSALS:  # a part that cannot be run shows nothing more
                pass
            except Spent:
                self._complete = False
                break
            if all(operand in part.inside for node in nodes for operand in node.operands):
                self.partly.difference_update(nodes)

    def known(self, flow: Flow, nodes: Iterable[Node]) -> EarlierTrials:
        """What a second reading of the program need not find out again: `nodes` are those that are matched."""
        met = frozenset(one.index for one in nodes) if self._complete else None
        return EarlierTrials(len(flow.nodes), frozenset(self.telling), met, self.shapes if self._complete else None)

    def forget(self) -> None:
        """Let go of what was kept for trying repairs."""
        for part in self._parts:
            part.forget()

    def _add(self, failure: Failure, tried: bool) -> None:
        self.failures.setdefault(failure.node, []).append(failure)
        if tried:
            self.telling.add(failure.situation.name)

    def reaches(self, node: Node, region: Interval) -> Reach:
        """Whether a watched value is in a region: in an ordinary situation, or only at an edge of unknown inputs."""
        found = Reach.NO
        region = Interval(region.lo - NEAR, region.hi + NEAR)
        for situation, likely, value in self._held.get(node, ()):
            if is_inside(value, region):
                self.telling.add(situation.name)
                if likely:
                    return Reach.LIKELY
                found = Reach.UNKNOWN
        return found

    def of(
        self,
        nodes: Iterable[Node],
        kind: str = "",
        asked: Sequence[tuple[Node, Interval]] = (),
        branches: Sequence[tuple[Node, int]] = (),
    ) -> Failure | None:
        """The most telling failure of some nodes: a likely one before a possible one.

        It is of `kind`, if that is given. In its run each node in `asked` is in its region, and each join in `branches`
        takes the operand at its position.
        """
        return _most_telling(
            f
            for node in nodes
            for f in self.failures.get(node, ())
            if not f.of_missing
            and (not kind or f.kind == kind)
            and all(is_inside(f.run.values.get(n), region) for n, region in asked)
            and all(chosen_place(f.run, join) == place for join, place in branches)
        )

    def of_missing(self, nodes: Iterable[Node], missing: Collection[Node]) -> Failure | None:
        """The most telling failure of some nodes in a run in which some inputs are missing, and not made NaN."""
        found = (f for node in nodes if node not in missing for f in self.failures.get(node, ()))
        return _most_telling(f for f in found if all(map(f.is_missing, missing)))


def _most_telling(found: Iterable[Failure]) -> Failure | None:
    """A likely failure before a possible one, and one that takes no extreme scores."""
    return min(
        found, key=lambda f: (not f.likely, f.compiled_only, f.approximate, f.situation.is_extreme), default=None
    )
