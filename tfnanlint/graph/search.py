"""The search for inputs and variables at which TensorFlow shows a finding.

It begins with the inputs of the trial that found it, tries the corners of the input ranges at several sizes, and inputs
that differ from calm ones in one place. Then it descends the distance to the hazard, from the best of them and from
random numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, TypeVar

from tfnanlint.graph.candidates import Wanted, corners, drawn, one_apart
from tfnanlint.graph.deadline import Deadline, OutOfTime
from tfnanlint.graph.probe import Measured, Probe
from tfnanlint.graph.region import NotTried
from tfnanlint.graph.replica import Argument, NotCopied

Answer = TypeVar("Answer")
SIZINGS = ((2,), (1,), (3, 5, 4), (9,))
"""What unknown sizes are taken to be, axis by axis, the last of them for all further axes."""
DESCENTS = 60
"""Steps of one descent."""
FEW_DESCENTS = 3
"""Descents of a search that has an end."""
NEAR = 0.1
"""How far variables are moved from their initial values, as a part of their spread."""
TIMES = 4
"""A proof shows the hazard so often in a row: a program that draws numbers of its own may show it by chance."""
TRAINED = (30.0, -30.0, 0.0)
"""What weights are multiplied by: training makes a network confident, of either opinion, and decay a dead one."""
THERE = -60.0
"""The logarithm that stands for a distance of 0."""
FAILURES = 8
"""A program that fails so often at once, at sizes at which it never ran, is not run at these sizes."""
NOTHING_TRIED: Mapping[str, Any] = MappingProxyType({})
_LEGAL = re.compile(r"\b(-?\d+)\b[^\[]*\[0, (\d+)\)")
"""How TensorFlow says which index it does not take, and which ones it does."""
_OF_SHAPE = re.compile(r"= \[([-\d, ]+)\] does not index into param shape \[([\d, ]+)")
"""How it says that of an index with several parts: the parts, and the sizes of what they index."""


@dataclass(frozen=True)
class Shown:
    """A hazard that TensorFlow shows: `what` is not finite, in which mode, at which values."""

    what: str
    mode: str
    values: Sequence[Any]
    weights: float = 1.0
    """What the variables that are trained had to be multiplied by."""
    behind: bool = False
    """Whether it shows only where other findings are mended: in the unchanged function they come first."""


class Search:
    """Tries values until some show the hazard or the time is over."""

    def __init__(
        self,
        probe: Probe,
        modes: Sequence[str],
        arguments: Sequence[Argument],
        bounds: Sequence[tuple[float, float]],
        deadline: Deadline,
        tried: Mapping[str, Any] = NOTHING_TRIED,
    ) -> None:
        """`tried` are the inputs, by name, at which a trial has shown the hazard: the search begins with them."""
        import numpy as np

        self.probe = probe
        self.tried = tried
        self.modes = modes
        self.arguments = arguments
        self.bounds = list(bounds)
        self.deadline = deadline
        self.count = sum(argument.variable is None for argument in arguments)
        self.generator = np.random.default_rng(0)
        self.initial = [self._sound(a.variable.numpy()) for a in arguments if a.variable is not None]
        self.trainable = [a.variable.trainable for a in arguments if a.variable is not None]
        self.ran = 0
        self.failure = ""
        """What TensorFlow said first of a trial that it could not run."""
        self.second_best: Shown | None = None
        """What was shown in a mode other than the first, not each time, or only with other findings mended."""
        self.best: tuple[float, list[Any]] | None = None
        self.exhausted = False
        """Whether all corners were tried."""
        self.sound = False
        """Whether all that came to the hazard was ever finite."""
        self.seen = False
        """Whether the hazard has shown anywhere, even if not in the function's results."""

    @property
    def refuted(self) -> bool:
        """Whether all corners were tried, sound numbers came to the hazard, and none of them to where it is."""
        hidden = self.best is not None and self.best[0] <= THERE
        return self.exhausted and self.sound and not self.seen and not hidden

    def run(self, endless: bool = True) -> Shown | None:
        """The first values that show the hazard; None where nothing can be run, and at the end of what has one."""
        unknown = any(size is None for a in self.arguments[: self.count] for size in a.shape or ())
        sizings = [sizes for sizes in (SIZINGS if unknown else SIZINGS[:1]) if self._runs(sizes)]
        if not sizings:
            return None
        shown = self._through([*values, *self.initial] for values in self._as_tried(sizings[0]))
        if shown is not None:
            return shown
        for place, sizes in enumerate(sizings):
            shown = self._through([*values, *self.initial] for values in self._corners(sizes))
            if shown is None and endless and place == 0:  # few of them, because further corners take long
                shown = self._trained(lambda: self._calm(sizings[0]))
            if shown is not None:
                return shown
        shown = self._through([*values, *self._near()] for values in self._corners(sizings[0]))
        if shown is None and endless:
            shown = self._trained(lambda: self._corners(sizings[0]))
        if shown is not None:
            return shown
        self.exhausted = True
        starts = chain([self.best[1]] if self.best is not None else [], self._starts(sizings))
        for values in starts if endless else islice(starts, FEW_DESCENTS):
            shown = self._descend(values) or self.second_best
            if shown is not None:
                return shown
        return None

    def _trained(self, inputs: Callable[[], Iterable[list[Any]]]) -> Shown | None:
        """The first of some inputs that show the hazard with variables as training might leave them."""
        for factor in TRAINED:
            weights = self._times(factor)
            shown = self._through([*values, *weights] for values in inputs())
            if shown is not None:
                return replace(shown, weights=factor)
        return None

    def wanted(self, sizes: Sequence[int]) -> list[Wanted]:
        """What to find values for, with unknown sizes as these."""
        import numpy as np

        found = []
        for argument, (low, high) in zip(self.arguments, self.bounds, strict=True):
            shape = tuple(
                sizes[min(axis, len(sizes) - 1)] if size is None else size
                for axis, size in enumerate(argument.shape or ())
            )
            found.append(Wanted(argument.name, np.dtype(argument.dtype.as_numpy_dtype), shape, low, high))
        return found

    def _runs(self, sizes: Sequence[int]) -> bool:
        """Whether the program runs at some sizes: it may need others, or that they are equal."""
        before = self.ran
        for _ in range(FAILURES):
            values = next(drawn(self.wanted(sizes)[: self.count], self.generator))
            self._try([*values, *self.initial])
            if self.ran > before:
                return True
        return False

    def _as_tried(self, sizes: Sequence[int]) -> Iterator[list[Any]]:
        """The inputs of the trial, with calm numbers for those that it has in another shape, or not at all."""
        import numpy as np

        wanted = self.wanted(sizes)[: self.count]
        found = next(drawn(wanted, self.generator)) if wanted else []
        held = [self.tried.get(argument.name) for argument in self.arguments[: self.count]]
        fits = [
            value is not None and _has_shape(value, a.shape) for value, a in zip(held, self.arguments, strict=False)
        ]
        if any(fits):
            rows = zip(wanted, found, held, fits, strict=True)
            yield [one.held(np.asarray(value)) if fit else calm for one, calm, value, fit in rows]

    def _calm(self, sizes: Sequence[int]) -> Iterator[list[Any]]:
        """The inputs of the trial, and calm ones."""
        yield from self._as_tried(sizes)
        yield from islice(drawn(self.wanted(sizes)[: self.count], self.generator), 1)

    def _corners(self, sizes: Sequence[int]) -> Iterator[list[Any]]:
        wanted = self.wanted(sizes)[: self.count]
        yield from corners(wanted, self.probe.with_nan)
        yield from one_apart(wanted, self.generator)

    def _starts(self, sizings: Sequence[Sequence[int]]) -> Iterator[list[Any]]:
        """Values to begin a descent at, without end."""
        inputs = [drawn(self.wanted(sizes)[: self.count], self.generator) for sizes in sizings]
        while True:
            for values in inputs:
                yield [*next(values), *self._near()]

    def _through(self, trials: Iterable[list[Any]]) -> Shown | None:
        """The first of some values that show the hazard, or some that did in another mode or not each time."""
        met: set[Any] = set()
        for trial in trials:
            values = self._legal(trial)
            key = tuple((value.shape, value.tobytes()) for value in values[: self.count])
            if key in met:  # bounds and types make many corners the same
                continue
            met.update([key] if key else ())
            got = self._try(values)
            shown = self._shown(got, values)
            if shown is not None:
                return shown
            if got is not None and (self.best is None or got.distance < self.best[0]):
                self.best = got.distance, values
        return self.second_best

    def _legal(self, values: list[Any]) -> list[Any]:
        """Values with whole numbers within what the program is known to take by now."""
        import numpy as np

        bounds = self.bounds[: self.count]
        held = [
            np.clip(v, *b).astype(v.dtype) if v.dtype.kind in "iu" else v for v, b in zip(values, bounds, strict=False)
        ]
        return [*held, *values[self.count :]]

    def _shown(self, got: Measured | None, values: Sequence[Any]) -> Shown | None:
        """What the function itself does at values at which the probe shows the hazard."""
        if got is None or not got.what:
            return None
        self.seen = True
        for mode in self.modes if self.second_best is None else self.modes[:1]:
            what = self._confirmed(values, mode)
            if what:
                alone = self._is_alone(values, mode)
                shown = Shown(what, mode, values, behind=not alone)
                first = mode == self.modes[0] and alone
                if first and all(self._confirmed(values, mode) for _ in range(1, TIMES)):
                    return shown
                self.second_best = self.second_best or shown
        return None

    def _confirmed(self, values: Sequence[Any], mode: str) -> str:
        """What is not finite when the function itself is run in a mode; nothing where it cannot be."""
        return self._answer(lambda: self.probe.confirm(values, mode), values, "")

    def _is_alone(self, values: Sequence[Any], mode: str) -> bool:
        """Whether the hazard occurs in the unchanged function; yes where it cannot be asked."""
        return self._answer(lambda: self.probe.is_alone(values, mode), values, True)

    def _answer(self, ask: Callable[[], Answer], values: Sequence[Any], otherwise: Answer) -> Answer:
        """What the probe says about values within the time that is left; `otherwise` where they cannot be run."""
        try:
            with self.deadline.running():
                return ask()
        except (OutOfTime, NotTried, NotCopied):
            raise
        except Exception as error:
            self._failed(error, values)
            return otherwise

    def _try(self, values: Sequence[Any], sloping: bool = False) -> Measured | None:
        """What values show; None where the program does not take them."""
        got: Measured | None = self._answer(lambda: self.probe(values, sloping=sloping), values, None)
        if got is None:
            return None
        self.ran += 1
        self.sound = self.sound or got.sound
        return got

    def _failed(self, error: Exception, values: Sequence[Any]) -> None:
        """Note what TensorFlow says of values that it does not take; of whole numbers, which ones it does take."""
        self.deadline.check()  # what was cancelled fails in many ways
        self.failure = self.failure or first_line(error)
        for refused, end in _refused(str(error)):
            for place, value in enumerate(values[: self.count]):
                if value.dtype.kind in "iu" and (value == refused).any():
                    low, high = self.bounds[place]
                    self.bounds[place] = max(low, 0.0), min(high, end - 1.0)

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

    def _times(self, factor: float) -> list[Any]:
        """Variables as training might leave them."""
        return [
            (value * factor).astype(value.dtype) if trainable and value.dtype.kind in "fV" else value
            for value, trainable in zip(self.initial, self.trainable, strict=True)
        ]

    def _descend(self, values: list[Any]) -> Shown | None:
        """Follow the slope of the distance; numbers are rounded on the way, for hazards that are points."""
        got = self._try(values, sloping=True)
        shown = self._shown(got, values)
        step = 1.0
        for _ in range(DESCENTS):
            if got is None or shown is not None or step < 1e-8:
                break
            best = got
            here = values
            for size, digits in ((step, None), (step, 1), (step, 0), (step / 8, None)):
                moved = self._moved(here, got.slopes, size, digits)
                there = self._try(moved, sloping=True)
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
            float(np.sum(np.square(np.nan_to_num(s.astype(np.float64), posinf=0.0, neginf=0.0))))
            for s in downhill
            if s is not None
        )
        length = square**0.5 or 1.0
        wanted = self.wanted(SIZINGS[0])  # which have the bounds; the values have the shapes
        found = []
        for place, (value, slope) in enumerate(zip(values, downhill, strict=True)):
            if slope is None or (place >= self.count and not self.trainable[place - self.count]):
                found.append(value)
                continue
            moved = value - np.nan_to_num(slope, posinf=0.0, neginf=0.0) * (size / length)
            if digits is not None and place < self.count:
                moved = np.round(np.asarray(moved, np.float64), digits)
            found.append(wanted[place].held(moved))
        return found


def _refused(said: str) -> Iterator[tuple[int, int]]:
    """The indices that TensorFlow says it does not take, each with the first number that is too large."""
    if (found := _LEGAL.search(said)) is not None:
        yield int(found[1]), int(found[2])
    elif (found := _OF_SHAPE.search(said)) is not None:
        parts, sizes = ([int(one) for one in numbers.split(",")] for numbers in found.groups())
        yield from ((part, size) for part, size in zip(parts, sizes, strict=False) if not 0 <= part < size)


def _has_shape(value: Any, shape: Sequence[int | None] | None) -> bool:
    """Whether an array has a shape of which not all sizes need to be known."""
    import numpy as np

    sizes = np.shape(value)
    return (
        shape is not None
        and len(sizes) == len(shape)
        and all(b in (None, a) for a, b in zip(sizes, shape, strict=True))
    )


def first_line(error: BaseException) -> str:
    """What an error says first."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
