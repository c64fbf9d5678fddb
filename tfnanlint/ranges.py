"""A range with its reasons, and the three-valued answer to whether it reaches a hazard."""

from __future__ import annotations

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
    """What a value can be, whatever the data is: a fact, and no guess.

    `outer` holds every value it can take. `reason` says in words where the range comes from. `nonzero`: it is never 0,
    whatever the interval says.
    """

    outer: Interval
    reason: str = ""
    nonzero: bool = False

    def reach(self, region: Interval) -> Reach:
        """Whether this range reaches a region: only a trial says that it is likely to."""
        if self.nonzero and region.lo == region.hi == 0:
            return Reach.NO
        if self.outer.hi < region.lo or region.hi < self.outer.lo:
            return Reach.NO
        return Reach.CERTAIN if not self.outer.unknown and self.outer.within(region) else Reach.UNKNOWN

    @property
    def told(self) -> str:
        """The words after "is" in a sentence about a value, with the reason."""
        if self.outer.unknown and self.reason:
            return self.reason
        return f"{self.outer.told}: {self.reason}" if self.reason else self.outer.told

    def __str__(self) -> str:
        return f"{self.outer}: {self.reason}" if self.reason else str(self.outer)


NOTHING_KNOWN = Range(UNKNOWN)


@dataclass(frozen=True)
class Assumption:
    """Assumptions about an input: its range, its dtype and its kinds of value.

    A range is attained: a trial gives the input the ends that are finite.
    """

    range: Range | None = None
    dtype: str | None = None
    kinds: tuple[str, ...] = ()
    witness: Any = None
    """Numbers that it holds, as nested tuples: a trial takes them for what ordinary data is."""
    sample: Any = None
    """An array of its data: the ordinary batch of a trial, whose other situations stay within `range`."""
