"""Proof of a finding: inputs at which TensorFlow computes a non-finite value or gradient.

The traced function is rebuilt with a probe around the operations of the finding. It runs on the corners of its input
ranges, then descends the distance to the hazard from the best of them and from random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.deadline import Deadline, OutOfTime, limited
from tfnanlint.graph.outcomes import Runs
from tfnanlint.graph.probe import Probe, roots_of
from tfnanlint.graph.region import NotTried
from tfnanlint.graph.replica import Argument, NotCopied
from tfnanlint.graph.search import Search, Shown, first_line
from tfnanlint.match.captures import Match

if TYPE_CHECKING:
    from tfnanlint.graph.lowered import Lowered
    from tfnanlint.graph.tracing import Subject


CALM = 30.0
"""What ordinary inputs do not exceed, as far as is known: their exponentials and fourth powers are finite."""


@dataclass(frozen=True)
class Attempt:
    """What came of trying to prove a finding.

    `status` is "proved", "not reached" or "not tried"; `reason` says why not. Of a proof, `what` is "value" or
    "gradient", and `values` are those of the graph's inputs and variables, where `weights` says what those that are
    trained were multiplied by. With `behind`, it shows only where other findings are mended. What is not reached is
    `refuted` where the search has been through all its situations.
    """

    status: str
    reason: str = ""
    what: str = ""
    mode: str = ""
    arguments: Sequence[Argument] = ()
    values: Sequence[Any] = ()
    weights: float = 1.0
    refuted: bool = False
    behind: bool = False


class Prover:
    """Tries to prove the findings of one graph."""

    def __init__(self, subject: Subject, lowered: Lowered, matches: Sequence[Match]) -> None:
        self.subject = subject
        self.lowered = lowered
        self.matches = [one for match in matches for one in (match, *match.repeated)]
        self._runs: Runs | None = None

    def attempt(self, match: Match, seconds: float, calm: bool = False) -> Attempt:
        """Search for inputs that show a match, for at most the given seconds.

        If `calm`, inputs without a known range stay small, and the search ends with the situations.
        """
        try:
            runs = self._running()
        except NotTried as error:
            return Attempt("not tried", str(error))
        attempted = _Attempted(runs, self.lowered, match, seconds, self.matches, calm)
        try:
            with limited(seconds) as deadline:
                return attempted.run(deadline)
        except OutOfTime:
            return attempted.out_of_time()

    def _running(self) -> Runs:
        """The graph, to be run; raises `NotTried` where it cannot be."""
        if self._runs is None:
            try:
                self._held = self.subject.runnable(self.lowered)  # with its variables, which nothing else holds
            except NotTried:
                raise
            except Exception as error:
                raise NotTried(f"TensorFlow cannot run it: {first_line(error)}") from None
            self._runs = Runs(self._held.concrete, self._held.names, self.subject.compiled)
        return self._runs


class _Attempted:
    """One attempt, whose search may be cut off at any time."""

    def __init__(
        self, runs: Runs, lowered: Lowered, match: Match, seconds: float, others: Sequence[Match], calm: bool
    ) -> None:
        self.runs, self.lowered, self.match = runs, lowered, match
        self.seconds, self.others, self.calm = seconds, others, calm
        self.modes = _modes(runs, match)
        self.arguments = runs.arguments
        self.search: Search | None = None

    def run(self, deadline: Deadline) -> Attempt:
        """What comes of it; `OutOfTime` when the time is over before that."""
        self.runs.pause = deadline.check
        try:
            bounds = _bounds(self.arguments, self.lowered, CALM if self.calm else math.inf)
            probe = Probe(self.runs, self.match, roots_of(self.match, self.lowered), self.others)
            self.search = Search(probe, self.modes, self.arguments, bounds, deadline, self._tried())
            found = self.search.run(endless=not self.calm)
        except (NotTried, NotCopied) as error:
            return Attempt("not tried", str(error))
        except OutOfTime:
            raise
        except Exception as error:
            deadline.check()  # what was cancelled fails in many ways
            return Attempt("not tried", f"TensorFlow cannot run it: {first_line(error)}")
        if found is None and not self.search.ran:
            return Attempt("not tried", f"TensorFlow cannot run it: {self.search.failure}")
        return self._told(found)

    def _tried(self) -> dict[str, Any]:
        """The inputs with which a trial has shown the finding, by name."""
        failure = self.match.failure
        if failure is None:
            return {}
        values = {name: failure.run.values.get(node) for name, node in self.lowered.inputs.items()}
        return {name: value for name, value in values.items() if value is not None}

    def out_of_time(self) -> Attempt:
        """What has been shown so far."""
        return self._told(self.search.second_best if self.search is not None else None)

    def _told(self, found: Shown | None) -> Attempt:
        if found is not None:
            told = "proved", "", found.what, found.mode, self.arguments, found.values, found.weights
            return Attempt(*told, behind=found.behind)
        ran = self.search.ran if self.search is not None else 0
        refuted = self.search is not None and self.search.refuted
        spent = "including all corners of its input ranges" if refuted else f"within {self.seconds:g} s"
        reason = f"in {ran} trial{'' if ran == 1 else 's'}, {spent}"
        return Attempt("not reached", reason, mode=self.modes[0], refuted=refuted)


def _modes(runs: Runs, match: Match) -> list[str]:
    """How the function is run: compiled where it asks for that or the hazard shows nowhere else, else as a graph.

    Where the optimiser of graphs rescues what the rule says goes wrong eagerly, as it is written.
    """
    attributes = runs.concrete.function_def.attr
    if runs.compiled:
        return ["xla"]
    if "_XlaMustCompile" in attributes and attributes["_XlaMustCompile"].b:
        return ["xla"]
    return [mode for mode in ("graph", "eager") if mode in match.modes] or ["xla"]


def _bounds(arguments: Sequence[Argument], lowered: Lowered, most: float) -> list[tuple[float, float]]:
    """Between what to look for values, `most` where nothing is known; variables stay near what they are."""
    found = []
    for argument in arguments:
        dtype = argument.dtype
        if argument.variable is None and not (dtype.is_floating or dtype.is_integer or dtype.is_bool):
            raise NotTried(f"its input {argument.name} has dtype {dtype.name}")
        if argument.shape is None:
            raise NotTried(f"the shape of its input {argument.name} is unknown")
        node = lowered.inputs.get(argument.name)
        held = lowered.assumptions[node].range if node is not None and node in lowered.assumptions else None
        found.append((held.outer.lo, held.outer.hi) if held is not None else (-most, most))
    return found
