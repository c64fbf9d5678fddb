"""A range with its reasons, and the three-valued answer to whether it reaches a hazard."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tfnanlint.interval import UNKNOWN, Interval


class Reach(Enum):
    """Whether an operand reaches a hazard. Not a bool: "unknown" must never pass for "no"."""

    NO = "no"
    UNKNOWN = "unknown"
    LIKELY = "likely"
    CERTAIN = "certain"

    def __bool__(self) -> bool:
        raise TypeError("a Reach has more than two values: compare it with one of them")

    @property
    def evident(self) -> bool:
        """Whether there is evidence for it."""
        return self in (Reach.LIKELY, Reach.CERTAIN)


_ORDER = {Reach.NO: 0, Reach.UNKNOWN: 1, Reach.LIKELY: 2, Reach.CERTAIN: 3}


def weakest(reaches: list[Reach]) -> Reach:
    """The answer to several questions that all have to hold."""
    return min(reaches, key=_ORDER.__getitem__, default=Reach.CERTAIN)


@dataclass(frozen=True, slots=True)
class Range:
    """What a value can be, and what ordinary data makes it.

    `outer` holds every value it can take. `seen` is what it takes on ordinary data (None: no evidence
    of any). `reason` says in words where the range comes from. `saturated`: `seen` is reached by
    rounding of single elements only. `nonzero`: it is never 0, whatever the interval says.
    `by_chance`: `seen` is the end of a fold (the 0 of an absolute value), which a single unknown number
    hits by chance only, though whole rows of zeros are ordinary. `signed`: nobody knows how large it
    becomes, but numbers of the order of one, of either sign, are ordinary.
    """

    outer: Interval
    seen: Interval | None = None
    reason: str = ""
    saturated: bool = False
    nonzero: bool = False
    by_chance: bool = False
    signed: bool = False

    def reach(self, region: Interval) -> Reach:
        """Whether this range reaches a region."""
        if self.nonzero and region.lo == region.hi == 0:
            return Reach.NO
        if self.outer.hi < region.lo or region.hi < self.outer.lo:
            return Reach.NO
        if not self.outer.unknown and self.outer.within(region):
            return Reach.CERTAIN
        seen = self.seen
        if seen is None and self.signed and _beyond(region):
            return Reach.LIKELY
        if seen is None or seen.hi < region.lo or region.hi < seen.lo:
            return Reach.UNKNOWN
        if region.lo == region.hi and (self.by_chance or region.lo not in (seen.lo, seen.hi)):
            return Reach.UNKNOWN  # a single point amid a continuum is hit by chance only
        return Reach.LIKELY

    @property
    def shown(self) -> bool:
        """Whether anything is known of what it takes on ordinary data."""
        return self.seen is not None or self.signed

    @property
    def told(self) -> str:
        """The words after "is" in a sentence about a value, with the reason."""
        if self.outer.unknown and self.reason:
            return self.reason
        return f"{self.outer.told}: {self.reason}" if self.reason else self.outer.told

    def __str__(self) -> str:
        return f"{self.outer}: {self.reason}" if self.reason else str(self.outer)


NOTHING_KNOWN = Range(UNKNOWN)
ORDER_OF_ONE = 1.5
"""How far from 0 a number of the order of one may well be."""


def _beyond(region: Interval) -> bool:
    """Whether a region is all that lies on one side of a number of the order of one."""
    return (region.lo == -math.inf and region.hi >= -ORDER_OF_ONE) or (
        region.hi == math.inf and region.lo <= ORDER_OF_ONE
    )


def between(low: float, high: float, reason: str) -> Range:
    """The range of a value of which somebody says the bounds: both are attained, as far as they are finite."""
    finite = [bound for bound in (low, high) if math.isfinite(bound)]
    return Range(Interval(low, high), Interval(min(finite), max(finite)) if finite else None, reason)


@dataclass(frozen=True)
class Assumption:
    """Assumptions about an input: its range, its dtype and its kinds of value."""

    range: Range | None = None
    dtype: str | None = None
    kinds: tuple[str, ...] = ()
    witness: Any = None
    """Numbers that it holds, as nested tuples: a trial takes them for what ordinary data is."""
