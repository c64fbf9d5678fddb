"""Proof of a finding: inputs at which TensorFlow really computes a value or a gradient that is not finite.

The traced function is rebuilt with a probe around the operations of the finding, and run on the corners of its inputs'
ranges, then down the slope of the distance to the hazard, from the best of them and from numbers drawn at random.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.candidates import BATCH, Wanted, corners, drawn
from tfnanlint.graph.probe import Measured, Probe, roots_of
from tfnanlint.graph.region import NotTried
from tfnanlint.graph.replica import Argument, NotCopied, arguments_of
from tfnanlint.match.captures import Match

if TYPE_CHECKING:
    from tfnanlint.graph.lower import Lowered
    from tfnanlint.graph.tracing import Subject

DESCENTS = 60
"""Steps of one descent."""
NEAR = 0.1
"""How far variables are moved from their initial values, as a part of their spread."""


@dataclass(frozen=True)
class Shown:
    """A hazard that TensorFlow shows: `what` is not finite, in which mode, at which values."""

    what: str
    mode: str
    values: Sequence[Any]


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


class OutOfTime(Exception):
    """The time for a finding is over."""


def attempt(subject: Subject, lowered: Lowered, match: Match, seconds: float, others: Sequence[Match] = ()) -> Attempt:
    """Search for inputs that show a match, for so many seconds at most; `others` are the further ones in the graph."""
    if subject.why_not:
        return Attempt("not tried", subject.why_not)
    if not hasattr(subject.graph, "structured_input_signature"):
        return Attempt("not tried", "a graph that is not a function is not run")
    attempted = _Attempted(subject, lowered, match, seconds, others)
    try:
        with _limited(seconds) as left:
            return attempted.run(left)
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
        self.search: _Search | None = None

    def run(self, left: Callable[[], None]) -> Attempt:
        """What comes of it; `OutOfTime` when the time is over before that."""
        graph = self.subject.graph
        try:
            self.arguments = arguments_of(graph)
            wanted = _wanted(self.arguments, self.lowered)
            probe = Probe(graph, self.match, roots_of(self.match, self.lowered), self.others, left)
            self.search = _Search(probe, self.modes, self.arguments, wanted, left)
            found = self.search.run()
        except (NotTried, NotCopied) as error:
            return Attempt("not tried", str(error))
        except OutOfTime:
            raise
        except Exception as error:
            left()  # what was cancelled fails in many ways
            return Attempt("not tried", f"TensorFlow cannot run it: {_first_line(error)}")
        if found is None and self.search.failure and not self.search.ran:
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


@contextmanager
def _limited(seconds: float) -> Iterator[Callable[[], None]]:
    """A time limit: `OutOfTime` is raised when it is over, by the function that is given at the latest.

    What TensorFlow runs then is cancelled. What it builds is interrupted where the system has a timer for that, and
    nobody else uses it; only XLA cannot be, while it compiles.
    """
    from tensorflow.python.eager import cancellation

    deadline = time.monotonic() + seconds
    manager = cancellation.CancellationManager()
    timer = threading.Timer(seconds, manager.start_cancel)
    timer.daemon = True

    def left() -> None:
        if time.monotonic() > deadline:
            raise OutOfTime

    timer.start()
    try:
        with _alarm(seconds), cancellation.CancellationManagerContext(manager):
            yield left
    finally:
        timer.cancel()


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """`OutOfTime` is raised in the main thread when the time is over."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer") or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise OutOfTime

    held = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, held)


def _modes(concrete: Any, match: Match) -> list[str]:
    """How the function is run: compiled where it asks for that or the hazard shows nowhere else, else as a graph.

    Where the optimiser of graphs rescues what the rule says goes wrong eagerly, as it is written.
    """
    attributes = concrete.function_def.attr
    if "_XlaMustCompile" in attributes and attributes["_XlaMustCompile"].b:
        return ["xla"]
    return [mode for mode in ("graph", "eager") if mode in match.modes] or ["xla"]


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _wanted(arguments: Sequence[Argument], lowered: Lowered) -> list[Wanted]:
    """What to find values for; variables among them, which stay near what they are."""
    found = []
    for argument in arguments:
        dtype = argument.dtype
        if argument.variable is None and not (dtype.is_floating or dtype.is_integer or dtype.is_bool):
            raise NotTried(f"its input {argument.name} is of type {dtype.name}")
        if argument.shape is None:
            raise NotTried(f"nothing is known of the shape of its input {argument.name}")
        node = lowered.inputs.get(argument.name)
        held = lowered.assumptions[node].range if node is not None and node in lowered.assumptions else None
        shape = tuple(BATCH if size is None else size for size in argument.shape)
        bounds = (held.outer.lo, held.outer.hi) if held is not None else ()
        import numpy as np

        found.append(Wanted(argument.name, np.dtype(argument.dtype.as_numpy_dtype), shape, *bounds))
    return found


class _Search:
    """Tries values until some show the hazard or the time is over."""

    def __init__(
        self,
        probe: Probe,
        modes: Sequence[str],
        arguments: Sequence[Argument],
        wanted: Sequence[Wanted],
        left: Callable[[], None],
    ) -> None:
        import numpy as np

        self.probe = probe
        self.modes = modes
        self.wanted = wanted
        self.count = sum(argument.variable is None for argument in arguments)
        self.generator = np.random.default_rng(0)
        self.initial = [self._sound(a.variable.numpy()) for a in arguments if a.variable is not None]
        self.trainable = [a.variable.trainable for a in arguments if a.variable is not None]
        self.ran = 0
        self.failure = ""
        self.left = left
        self.second_best: Shown | None = None
        """What was shown in a mode other than the first."""

    def run(self) -> Shown | None:
        """The first values that show the hazard; `OutOfTime` when there is none left for more."""
        best: tuple[float, list[Any]] | None = None
        inputs = self.wanted[: self.count]
        self.probe.build([*(one.filled(0.0) for one in inputs), *self.initial])
        at_corners = ([*values, *self.initial] for values in corners(inputs, self.probe.with_nan))
        nearby = ([*values, *self._near()] for values in corners(inputs, self.probe.with_nan))
        for values in chain(at_corners, nearby):
            got = self._try(values)
            shown = self._shown(got, values)
            if shown is not None:
                return shown
            if got is not None and (best is None or got.distance < best[0]):
                best = got.distance, values
        if self.second_best is not None:
            return self.second_best
        starts = ([*values, *self._near()] for values in drawn(inputs, self.generator))
        for values in chain([best[1]] if best is not None else [], starts):
            shown = self._descend(values)
            if shown is not None or self.second_best is not None:
                return shown or self.second_best
        return None

    def _shown(self, got: Measured | None, values: Sequence[Any]) -> Shown | None:
        """What the function itself does at values at which the probe shows the hazard."""
        if got is None or not got.what:
            return None
        for mode in self.modes if self.second_best is None else self.modes[:1]:
            what = self._confirmed(values, mode)
            if what:
                shown = Shown(what, mode, values)
                if mode == self.modes[0]:
                    return shown
                self.second_best = shown
        return None

    def _confirmed(self, values: Sequence[Any], mode: str) -> str:
        """What is not finite when the function itself is run in a mode; nothing where it cannot be."""
        self.left()
        try:
            return self.probe.confirm(values, mode)
        except (OutOfTime, NotTried, NotCopied):
            raise
        except Exception as error:
            self.left()
            self.failure = self.failure or _first_line(error)
            return ""

    def _sound(self, value: Any) -> Any:
        """The value of a variable; of one that an earlier step has ruined, some numbers."""
        import numpy as np

        if value.dtype.kind not in "fV" or np.isfinite(value.astype(np.float64)).all():
            return value
        return self.generator.standard_normal(value.shape).astype(value.dtype)

    def _near(self) -> list[Any]:
        """Variables near their initial values."""
        found = []
        for value, trainable in zip(self.initial, self.trainable, strict=True):
            if trainable and value.dtype.kind in "fV":
                noise = self.generator.standard_normal(value.shape) * (NEAR * float(value.std()) + 1e-3)
                value = (value + noise).astype(value.dtype)
            found.append(value)
        return found

    def _try(self, values: Sequence[Any]) -> Measured | None:
        """What values show; None where the program does not take them."""
        self.left()
        try:
            got = self.probe(values)
        except (OutOfTime, NotTried, NotCopied):
            raise
        except Exception as error:
            self.left()
            self.failure = self.failure or _first_line(error)
            return None
        self.ran += 1
        return got

    def _descend(self, values: list[Any]) -> Shown | None:
        """Follow the slope of the distance; numbers are rounded on the way, for hazards that are points."""
        got = self._try(values)
        shown = self._shown(got, values)
        step = 1.0
        for _ in range(DESCENTS):
            if got is None or shown is not None or step < 1e-8:
                break
            best = got
            here = values
            for size, digits in ((step, None), (step, 1), (step, 0), (step / 8, None)):
                moved = self._moved(here, got.slopes, size, digits)
                there = self._try(moved)
                shown = shown or self._shown(there, moved)
                if there is not None and there.distance < best.distance:
                    best, values = there, moved
            step = step * 2.0 if best is not got else step / 16.0
            got = best
        return shown

    def _moved(self, values: Sequence[Any], slopes: Sequence[Any], size: float, digits: int | None) -> list[Any]:
        """Values one step down the slopes."""
        import numpy as np

        given = iter(slopes)
        downhill = [next(given) if value.dtype.kind in "fV" else None for value in values]
        square = sum(
            float(np.sum(np.square(np.nan_to_num(s, posinf=0.0, neginf=0.0)))) for s in downhill if s is not None
        )
        length = square**0.5 or 1.0
        found = []
        for place, (value, slope) in enumerate(zip(values, downhill, strict=True)):
            if slope is None or (place >= self.count and not self.trainable[place - self.count]):
                found.append(value)
                continue
            moved = value - np.nan_to_num(slope, posinf=0.0, neginf=0.0) * (size / length)
            if digits is not None and place < self.count:
                moved = np.round(np.asarray(moved, np.float64), digits)
            found.append(self.wanted[place].held(moved))
        return found
