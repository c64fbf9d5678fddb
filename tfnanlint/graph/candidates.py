"""Inputs to try: the corners of their ranges first, then patterns of them, then numbers drawn at random."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tfnanlint.interval import NARROW_INTEGERS, UNKNOWN

LEVELS = (0.0, 1.0, -1.0, 10.0, -10.0, 100.0, -100.0, 1e3, -1e3, 1e4, -1e4)
FEW = 3
"""Of so many inputs all combinations of levels are tried."""


@dataclass(frozen=True)
class Wanted:
    """An input to find values for: its NumPy type, its shape, and its bounds."""

    name: str
    dtype: Any
    shape: tuple[int, ...]
    low: float = -math.inf
    high: float = math.inf

    @property
    def is_float(self) -> bool:
        return _kind(self.dtype) == "f"

    def filled(self, value: float) -> Any:
        """All elements equal; numbers that the dtype cannot hold become the nearest one that it can."""
        import numpy as np

        return self.held(np.full(self.shape, value))

    def held(self, values: Any) -> Any:
        """Values brought into the bounds and the type."""
        import numpy as np

        kind = _kind(self.dtype)
        if kind == "b":
            return np.asarray(values) > 0
        if kind in "iu":
            whole = np.nan_to_num(np.asarray(values, np.float64), nan=0.0, posinf=1e4, neginf=0.0)
            held = NARROW_INTEGERS.get(self.dtype.name)
            if held is not None:
                return np.clip(np.rint(whole), max(self.low, held.lo), min(self.high, held.hi)).astype(self.dtype)
            lowest = max(self.low, 0.0) if kind == "u" or self.low == -math.inf else self.low
            return np.clip(np.rint(whole), lowest, min(self.high, 1e6)).astype(self.dtype)
        return np.clip(np.asarray(values, np.float64), self.low, self.high).astype(self.dtype)

    def levels(self) -> list[float]:
        """The corners, those of a narrow range among them, nearest to 0 first."""
        held = NARROW_INTEGERS.get(self.dtype.name, UNKNOWN)
        ends = [end for end in (max(self.low, held.lo), min(self.high, held.hi)) if math.isfinite(end)]
        inside = [level for level in LEVELS if self.low <= level <= self.high]
        return list(dict.fromkeys([*ends, *inside]))


def _kind(dtype: Any) -> str:
    """The kind of a NumPy type; of the narrow types that NumPy does not know, that of a float."""
    kind = str(dtype.kind)
    return "f" if kind == "V" else kind


def corners(wanted: Sequence[Wanted], with_nan: bool = False) -> Iterator[list[Any]]:
    """Values for all inputs, corner by corner."""
    for place in range(len(wanted)) if with_nan else ():
        yield [_with_nan(one) if number == place else one.filled(1.0) for number, one in enumerate(wanted)]
    levels = list(dict.fromkeys(level for one in wanted for level in one.levels())) or [0.0]
    for level in levels:
        yield [one.filled(level) for one in wanted]
    for level in levels:
        if level > 0:
            yield [one.held(_alternating(one.shape, level)) for one in wanted]
            yield [one.held(_row_zero(one.shape, level, slice(0, 1))) for one in wanted]
            yield [one.held(_row_zero(one.shape, level, slice(-1, None))) for one in wanted]
    if 1 < len(wanted) <= FEW:
        for combination in itertools.product(*(one.levels()[:7] for one in wanted)):
            yield [one.filled(level) for one, level in zip(wanted, combination, strict=True)]


def one_apart(wanted: Sequence[Wanted], generator: Any) -> Iterator[list[Any]]:
    """One input at a corner, or with a row or an end of zeros, while the others hold calm numbers."""
    if len(wanted) < 2:
        return
    for number, one in enumerate(wanted):
        for values in (*map(one.filled, one.levels()[:7]), *_padded(one)):
            calm = [other.held(_draw(other, 1.0, generator)) for other in wanted]
            yield [*calm[:number], values, *calm[number + 1 :]]


def _padded(one: Wanted) -> Iterator[Any]:
    """Ones whose first row is zero, and ones of which the second half of each row is."""
    yield one.held(_row_zero(one.shape, 1.0, slice(0, 1)))
    if len(one.shape) > 1:
        import numpy as np

        yield one.held(np.broadcast_to(np.arange(one.shape[-1]) < one.shape[-1] / 2, one.shape))


def drawn(wanted: Sequence[Wanted], generator: Any) -> Iterator[list[Any]]:
    """Values drawn at random, without end, at one scale after the other."""
    for scale in itertools.cycle((1.0, 10.0, 0.1, 100.0, 1e3)):
        yield [one.held(_draw(one, scale, generator)) for one in wanted]


def _draw(one: Wanted, scale: float, generator: Any) -> Any:
    if math.isfinite(one.low) and math.isfinite(one.high):
        return generator.uniform(one.low, one.high, one.shape)
    return generator.standard_normal(one.shape) * scale


def _alternating(shape: tuple[int, ...], level: float) -> Any:
    """`level` and `-level` in turn along the last axis."""
    import numpy as np

    signs = np.where(np.arange(shape[-1] if shape else 1) % 2 == 0, level, -level)
    return np.broadcast_to(signs, shape) if shape else np.asarray(level)


def _row_zero(shape: tuple[int, ...], level: float, rows: slice) -> Any:
    """`level` everywhere but in some rows."""
    import numpy as np

    values = np.full(shape, level)
    if shape:
        values[rows] = 0.0
    return values


def _with_nan(one: Wanted) -> Any:
    """Ones, with a NaN among them where the type has one."""
    import numpy as np

    values = np.ones(one.shape)
    if one.is_float:
        values.reshape(-1)[:1] = math.nan
        return values.astype(one.dtype)
    return one.held(values)
