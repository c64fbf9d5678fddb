"""What a trial says: which op first makes something non-finite, in which situation, and whether anyone sees it.

A failure is an op that makes NaN or an infinity of finite operands, or a non-finite gradient of a finite one, in an
ordinary situation, when that reaches a result, a loss or a trained weight. What is masked, chosen away or absorbed on
the way ends by itself in the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.interval import Interval
from tfnanlint.ranges import Reach
from tfnanlint.trial.arrays import REFUSALS, is_inside
from tfnanlint.trial.budget import MOST_COMPUTED, Budget, Spent
from tfnanlint.trial.failure import Failure
from tfnanlint.trial.part import Part
from tfnanlint.trial.parts import parts_of
from tfnanlint.trial.situations import CALM, EDGES, SITUATIONS, Situation

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

NEAR = 2e-8
"""So near a point digits are lost already."""


class Trials:
    """The failures of some parts of a flow, found when they are first asked for."""

    def __init__(
        self,
        facts: Facts,
        candidates: Iterable[Node],
        watched: Iterable[Node] = (),
        edges: bool = True,
        only: Collection[str] = (),
    ) -> None:
        """`candidates` are tried; of those `watched` the numbers are kept, to be asked whether they reach a region.

        Without `edges`, inputs of unknown roles stay calm: what fails at edges of these only is merely possible.
        `only` names the situations to try besides the calm one; none: all.
        """
        self.facts = facts
        situations = (*SITUATIONS, *EDGES) if edges else SITUATIONS
        if only:
            situations = tuple(one for one in situations if one is CALM or one.name in only)
        budget = Budget(MOST_COMPUTED)
        self.failures: dict[Node, list[Failure]] = {}
        self.telling = {CALM.name}
        """The names of the situations in which a candidate failed, or a watched value reached what was asked."""
        self._held: dict[Node, list[tuple[Situation, bool, Any]]] = {node: [] for node in watched}
        tried = set(candidates)
        for nodes in sorted(parts_of(facts, {*tried, *self._held}), key=len):
            part = Part(facts, nodes, tried, self._held, situations, budget)
            try:
                for failure in part.failures():
                    self._add(failure, failure.node in tried)
            except REFUSALS:  # nothing more is known of a part that cannot be run
                continue
            except Spent:
                break

    def _add(self, failure: Failure, tried: bool) -> None:
        self.failures.setdefault(failure.node, []).append(failure)
        if tried:
            self.telling.add(failure.situation.name)

    def reaches(self, node: Node, region: Interval) -> Reach:
        """Whether a watched value lies in a region, in an ordinary situation or at an edge of what is not known."""
        found = Reach.NO
        region = Interval(region.lo - NEAR, region.hi + NEAR)
        for situation, likely, value in self._held.get(node, ()):
            if is_inside(value, region):
                self.telling.add(situation.name)
                if likely:
                    return Reach.LIKELY
                found = Reach.UNKNOWN
        return found

    def of(self, nodes: Iterable[Node], kind: str = "", asked: Sequence[tuple[Node, Interval]] = ()) -> Failure | None:
        """The failure of some nodes that says most: a likely one before a possible one.

        Of `kind`, where it is said, and in a run in which each node that is `asked` of lies in its region.
        """
        found = [
            f
            for node in nodes
            for f in self.failures.get(node, ())
            if (not kind or f.kind == kind) and all(is_inside(f.run.values.get(n), region) for n, region in asked)
        ]
        return min(found, key=lambda f: (not f.likely, f.compiled_only, f.approximate), default=None)
