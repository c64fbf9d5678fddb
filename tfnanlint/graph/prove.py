"""Proof of a finding: inputs at which TensorFlow really computes a value or a gradient that is not finite.

The traced function is rebuilt with a probe around the operations of the finding, and run on the corners of its inputs'
ranges, then down the slope of the distance to the hazard, from the best of them and from numbers drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.deadline import Deadline, OutOfTime, limited
from tfnanlint.graph.probe import Probe, roots_of
from tfnanlint.graph.region import NotTried
from tfnanlint.graph.replica import Argument, NotCopied, arguments_of
from tfnanlint.graph.search import Search, Shown, first_line
from tfnanlint.match.captures import Match

if TYPE_CHECKING:
    from tfnanlint.graph.lowered import Lowered
    from tfnanlint.graph.tracing import Subject


@dataclass(frozen=True)
class Attempt:
    """What came of trying to prove a finding.

    `status` is "proved", "not reached" or "not tried"; `reason` says why not. Of a proof, `what` is "value" or
    "gradient", and `values` are those of the graph's inputs and variables.
    """

    status: str
    reason: str = ""
    what: str = ""
    mode: str = ""
    arguments: Sequence[Argument] = ()
    values: Sequence[Any] = ()


def attempt(subject: Subject, lowered: Lowered, match: Match, seconds: float, others: Sequence[Match] = ()) -> Attempt:
    """Search for inputs that show a match, for so many seconds at most; `others` are the further ones in the graph."""
    if subject.why_not:
        return Attempt("not tried", subject.why_not)
    if not hasattr(subject.graph, "structured_input_signature"):
        return Attempt("not tried", "a graph that is not a function is not run")
    attempted = _Attempted(subject, lowered, match, seconds, others)
    try:
        with limited(seconds) as deadline:
            return attempted.run(deadline)
    except OutOfTime:
        return attempted.out_of_time()


class _Attempted:
    """One attempt, whose search may be cut off at any time."""

    def __init__(
        self, subject: Subject, lowered: Lowered, match: Match, seconds: float, others: Sequence[Match]
    ) -> None:
        self.subject, self.lowered, self.match = subject, lowered, match
        self.seconds, self.others = seconds, others
        self.modes = _modes(subject.graph, match)
        self.arguments: Sequence[Argument] = ()
        self.search: Search | None = None

    def run(self, deadline: Deadline) -> Attempt:
        """What comes of it; `OutOfTime` when the time is over before that."""
        graph = self.subject.graph
        try:
            self.arguments = arguments_of(graph)
            bounds = _bounds(self.arguments, self.lowered)
            probe = Probe(graph, self.match, roots_of(self.match, self.lowered), self.others, deadline.check)
            self.search = Search(probe, self.modes, self.arguments, bounds, deadline)
            found = self.search.run()
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

    def out_of_time(self) -> Attempt:
        """What has been shown so far."""
        return self._told(self.search.second_best if self.search is not None else None)

    def _told(self, found: Shown | None) -> Attempt:
        if found is not None:
            return Attempt("proved", "", found.what, found.mode, self.arguments, found.values)
        ran = self.search.ran if self.search is not None else 0
        reason = f"in {ran} trial{'' if ran == 1 else 's'} and {self.seconds:g} s at most"
        return Attempt("not reached", reason, mode=self.modes[0])


def _modes(concrete: Any, match: Match) -> list[str]:
    """How the function is run: compiled where it asks for that or the hazard shows nowhere else, else as a graph.

    Where the optimiser of graphs rescues what the rule says goes wrong eagerly, as it is written.
    """
    attributes = concrete.function_def.attr
    if "_XlaMustCompile" in attributes and attributes["_XlaMustCompile"].b:
        return ["xla"]
    return [mode for mode in ("graph", "eager") if mode in match.modes] or ["xla"]


def _bounds(arguments: Sequence[Argument], lowered: Lowered) -> list[tuple[float, float]]:
    """Between what to look for values; variables stay near what they are."""
    found = []
    for argument in arguments:
        dtype = argument.dtype
        if argument.variable is None and not (dtype.is_floating or dtype.is_integer or dtype.is_bool):
            raise NotTried(f"its input {argument.name} is of type {dtype.name}")
        if argument.shape is None:
            raise NotTried(f"nothing is known of the shape of its input {argument.name}")
        node = lowered.inputs.get(argument.name)
        held = lowered.assumptions[node].range if node is not None and node in lowered.assumptions else None
        found.append((held.outer.lo, held.outer.hi) if held is not None else (-math.inf, math.inf))
    return found
