"""Probing a finding: the traced function, rebuilt with detectors at the finding's operations, runs on given values.

The detectors show whether the hazard occurs there while all inputs are finite, and how far away it is. They change what
TensorFlow's graph optimizer does, and other operations may fail at the same values. So a result counts only if the
unchanged function shows it as well, and the function with the finding sanitized does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.hooks import Key
from tfnanlint.graph.instrument import Breaks, Detector
from tfnanlint.graph.outcomes import Outcome, Runs, as_tensors, is_float, optimised, targets_of
from tfnanlint.graph.region import NotTried, Region, key_of, operation_of, region_of
from tfnanlint.interval import Interval
from tfnanlint.match.captures import Match
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.flow import Node, Root
    from tfnanlint.graph.lowered import Lowered


@dataclass(frozen=True)
class Measured:
    """What a run showed: `what` is not finite ("" where all is), how far the hazard is, and the slopes to it."""

    what: str
    distance: float
    sound: bool = True
    """Whether all that came to the hazard was finite."""
    slopes: Sequence[Any] = ()


def roots_of(match: Match, lowered: Lowered) -> Sequence[Root]:
    """What is differentiated through a match: by its own account, else anything that the graph differentiates."""
    return [match.differentiated] if match.differentiated is not None else lowered.flow.roots


class Probe:
    """The traced function of a match, run with a look at its operations; `others` are its further findings."""

    def __init__(self, runs: Runs, match: Match, roots: Sequence[Root], others: Sequence[Match] = ()) -> None:
        self.runs = runs
        self.match = match
        self.roots = roots
        self.region = region_of(match)
        found = dict.fromkeys(other.keys for other in _regions(others) if not other.keys & self.region.keys)
        self.others = tuple(found)
        self._all = tuple(sorted((self.region.keys, *self.others), key=min))
        self._breaks, self._inputs = _breaks(match)
        self.mode = next(mode for mode in ("eager", "graph", "xla") if mode in match.modes)

    @property
    def with_nan(self) -> bool:
        return self.region.with_nan

    def __call__(self, values: Sequence[Any], mode: str = "", sloping: bool = False) -> Measured:
        """What values show, by default in the mode in which the search is the quickest, with slopes if wanted."""
        mode = mode or self.mode
        key = self.region, sloping
        function = self.runs.function(mode, key, lambda *given: self._measure(given, sloping, self.others))
        with optimised(mode != "eager"):
            made, lost, sound, distance, *slopes = function(*as_tensors(values))
        what = "value" if made > 0 else "gradient" if lost > 0 else ""
        if self.with_nan:
            what = "gradient"  # of values with NaN in them; whether it is so, the function itself has to tell
        return Measured(what, float(distance), bool(sound > 0), [slope.numpy() for slope in slopes])

    def is_alone(self, values: Sequence[Any], mode: str) -> bool:
        """Whether the hazard occurs in the unchanged function, where no other finding is sanitized."""
        if not self.others:
            return True
        function = self.runs.function(mode, (self.region, "alone"), lambda *given: self._measure(given, False, ()))
        with optimised(mode != "eager"):
            made, lost, *_ = function(*as_tensors(values))
        return bool(made > 0 or lost > 0)

    def confirm(self, values: Sequence[Any], mode: str) -> str:
        """What is not finite when the function itself is run, and for this finding alone: "value", "gradient" or ""."""
        shown = self(values, mode).what
        plain = self._outcome(values, mode)
        if not shown or plain.seen:
            return ""
        if self.with_nan:
            sound = self._outcome(_without_nan(values), mode)
            return "gradient" if plain.values and not plain.gradients and sound.gradients else ""
        pairs = [(plain, self._outcome(values, mode, self.region.keys))]
        if self.others:
            pairs.append((self._outcome(values, mode, *self.others), self._outcome(values, mode, *self._all)))
        # Gradients come last: to build their functions takes longer than everything else.
        if shown == "value" and any(mended.values and not given.values for given, mended in pairs):
            return "value"
        if any(_loses_gradient(given, mended) for given, mended in pairs):
            return "gradient"
        # What is left to show a value is what the function writes to its variables.
        return "value" if shown == "value" and any(mended.seen and not given.seen for given, mended in pairs) else ""

    def _outcome(self, values: Sequence[Any], mode: str, *mended: frozenset[Key]) -> Outcome:
        return self.runs.outcome(values, mode, self.roots, self._all, mended)

    def _measure(self, values: Sequence[Any], sloping: bool, others: Sequence[frozenset[Key]]) -> list[Any]:
        import tensorflow as tf

        count = tf.constant(0.0)
        look = Detector(self.region.keys, self.region.root, self._breaks, count, others)
        for argument, value in zip(self.runs.arguments, values, strict=True):
            look.near(value, self._inputs.get(argument.name.removesuffix(":0"), ()))
        copy = self.runs.rebuilt(values, look)
        if self.region.root not in copy.entered:
            raise NotTried("its operation is inside a function that the proof does not enter")
        lost = None
        targets = targets_of(copy, self.roots)
        if targets:
            weights = [tf.reshape(tf.cast(tf.linspace(1.0, 2.0, tf.size(t)), t.dtype), tf.shape(t)) for t in targets]
            lost = tf.gradients(targets, [count], grad_ys=weights)[0]
        distance = tf.math.log(look.distance + 1e-30)
        sources = [value for value in values if is_float(value)] if sloping else []
        downhill = tf.gradients(distance, sources) if sources else []
        return [
            look.made_here,
            tf.constant(0.0) if lost is None else lost,
            look.given_sound,
            distance,
            *(
                tf.zeros_like(x) if slope is None else tf.convert_to_tensor(slope)
                for x, slope in zip(sources, downhill, strict=True)
            ),
        ]


def _loses_gradient(given: Outcome, mended: Outcome) -> bool:
    """Whether gradients are not finite in what a function gives, and are once the finding is mended."""
    return mended.values >= given.values and not given.gradients and mended.gradients


def _regions(matches: Sequence[Match]) -> Iterator[Region]:
    for match in matches:
        try:
            yield region_of(match)
        except NotTried:
            continue


def _breaks(match: Match) -> tuple[Breaks, dict[str, list[tuple[str, Interval]]]]:
    """Where the operations of a match break on what others give them, and on inputs and variables by their names."""
    made: dict[Key, list[tuple[str, Interval]]] = {}
    named: dict[str, list[tuple[str, Interval]]] = {}
    for node in {*match.matched, match.root}:
        row = OPS.get(node.op)
        for broken in row.breaks if row is not None else ():
            place = row.operands.index(broken.operand) if row is not None else 0
            if place >= len(node.operands):
                continue
            operand: Node = node.operands[place]
            operation = operation_of(operand)
            if operation is not None:
                made.setdefault(key_of(operation), []).append((broken.of, broken.region))
            elif operand.op in ("input", "variable"):
                name = str(operand.attrs["name"]).removesuffix(":0")
                named.setdefault(name, []).append((broken.of, broken.region))
    return made, named


def _without_nan(values: Sequence[Any]) -> list[Any]:
    """The same values with ones for what is not a number."""
    import numpy as np

    return [
        np.where(np.isnan(value.astype(np.float64)), np.ones_like(value), value) if value.dtype.kind in "fV" else value
        for value in values
    ]
