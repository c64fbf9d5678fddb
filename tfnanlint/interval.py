"""The range domain: closed intervals over the extended reals, and rounding to a floating-point dtype.

Transfer functions are written over the reals. `Interval.rounded` applies what the hardware does to the result: overflow
to infinity, denormals flushed to zero, an absorbed epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

INF = math.inf


@dataclass(frozen=True, slots=True)
class FloatType:
    """A binary floating-point type: its significand bits, its largest and its least normal number."""

    name: str
    digits: int
    largest: float
    least: float
    smallest: float
    """What is less than half of this rounds to 0: the least denormal, or the least normal one where it is flushed."""

    @property
    def epsilon(self) -> float:
        """The distance of 1 to the next larger number."""
        return math.ldexp(1.0, 1 - self.digits)

    def round(self, value: float) -> float:
        """The number of this type nearest to `value`; beyond the largest, an infinity."""
        if value == 0 or math.isinf(value) or math.isnan(value):
            return value
        magnitude = abs(value)
        if magnitude < self.least:
            if self.smallest == self.least:  # the CPU kernels flush denormals
                return 0.0
            return math.copysign(round(magnitude / self.smallest) * self.smallest, value)
        scale = math.ldexp(1.0, math.frexp(magnitude)[1] - self.digits)
        nearest = round(magnitude / scale) * scale
        return math.copysign(nearest if nearest <= self.largest else INF, value)


_FLOAT32_LEAST = 2.0**-126
FLOAT_TYPES = {
    "float16": FloatType("float16", 11, 65504.0, 2.0**-14, 2.0**-24),
    "bfloat16": FloatType("bfloat16", 8, float.fromhex("0x1.fep127"), _FLOAT32_LEAST, _FLOAT32_LEAST),
    "float32": FloatType("float32", 24, float.fromhex("0x1.fffffep127"), _FLOAT32_LEAST, _FLOAT32_LEAST),
    "float64": FloatType("float64", 53, float.fromhex("0x1.fffffffffffffp1023"), 2.0**-1022, 2.0**-1022),
}
DEFAULT_FLOAT = "float32"


def _times(a: float, b: float) -> float:
    """A product of bounds: 0 times an unbounded end is 0, for the bound itself is never taken."""
    return 0.0 if a == 0 or b == 0 else a * b


def _plus(a: float, b: float, unbounded: float) -> float:
    """A sum of bounds; where infinities of both signs meet nothing is known, hence `unbounded`."""
    total = a + b
    return unbounded if math.isnan(total) else total


def shortest(value: float, kind: FloatType = FLOAT_TYPES[DEFAULT_FLOAT]) -> str:
    """The shortest decimal that is this number in a type, and so never shows 0.9999999 as 1."""
    value += 0.0  # a zero is shown without its sign
    for digits in range(1, 10):
        near = float(f"{value:.{digits}g}")
        if kind.round(near) == kind.round(value):
            return f"{near:.9g}" if 1 <= abs(near) < 1e6 else f"{value:.{digits}g}"
    return f"{value:.9g}"


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `lo` to `hi`; an infinite end also stands for the infinity itself."""

    lo: float = -INF
    hi: float = INF

    @staticmethod
    def point(value: float) -> Interval:
        return Interval(value, value)

    def __str__(self) -> str:
        if self.lo == self.hi:
            return shortest(self.lo)
        left = "(-inf" if self.lo == -INF else f"[{shortest(self.lo)}"
        right = "inf)" if self.hi == INF else f"{shortest(self.hi)}]"
        return f"{left}, {right}"

    @property
    def told(self) -> str:
        """The words after "is" in a sentence about a value: in an interval, or a number."""
        return str(self) if self.lo == self.hi else f"in {self}"

    def __contains__(self, value: float) -> bool:
        return self.lo <= value <= self.hi

    @property
    def unknown(self) -> bool:
        """Whether this says nothing at all."""
        return self.lo == -INF and self.hi == INF

    def hull(self, other: Interval) -> Interval:
        """The least interval that holds both."""
        return Interval(min(self.lo, other.lo), max(self.hi, other.hi))

    def meet(self, other: Interval) -> Interval:
        """What both allow; where they contradict each other (dead code), this one."""
        lo, hi = max(self.lo, other.lo), min(self.hi, other.hi)
        return Interval(lo, hi) if lo <= hi else self

    def within(self, other: Interval) -> bool:
        return other.lo <= self.lo and self.hi <= other.hi

    def __add__(self, other: Interval) -> Interval:
        return Interval(_plus(self.lo, other.lo, -INF), _plus(self.hi, other.hi, INF))

    def __neg__(self) -> Interval:
        return Interval(-self.hi, -self.lo)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        corners = [_times(a, b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(corners), max(corners))

    def reciprocal(self) -> Interval:
        """1 / x; an interval that holds 0 has poles, whose sides the end at 0 tells apart."""
        if self.lo > 0 or self.hi < 0:
            return Interval(1 / self.hi, 1 / self.lo)
        if self.lo == 0 and self.hi > 0:
            return Interval(1 / self.hi, INF)
        if self.hi == 0 and self.lo < 0:
            return Interval(-INF, 1 / self.lo)
        return Interval()

    def __truediv__(self, other: Interval) -> Interval:
        if other.lo <= 0 <= other.hi:
            # 0 / 0 is not a number and stands in no interval; what is left keeps its sign only.
            return self.sign_times(other)
        return self * other.reciprocal()

    def sign_times(self, other: Interval) -> Interval:
        """What signs alone say of a product or quotient."""
        if (self.lo >= 0 and other.lo >= 0) or (self.hi <= 0 and other.hi <= 0):
            return Interval(0.0, INF)
        if (self.lo >= 0 and other.hi <= 0) or (self.hi <= 0 and other.lo >= 0):
            return Interval(-INF, 0.0)
        return Interval()

    def maximum(self, other: Interval) -> Interval:
        return Interval(max(self.lo, other.lo), max(self.hi, other.hi))

    def minimum(self, other: Interval) -> Interval:
        return Interval(min(self.lo, other.lo), min(self.hi, other.hi))

    def abs(self) -> Interval:
        if self.lo >= 0:
            return self
        if self.hi <= 0:
            return -self
        return Interval(0.0, max(-self.lo, self.hi))

    def square(self) -> Interval:
        return self.abs().rising(lambda v: v * v)

    def rising(self, function: Callable[[float], float]) -> Interval:
        """The image under a function that never falls, given at both ends (infinities included)."""
        return Interval(_limit(function, self.lo), _limit(function, self.hi))

    def falling(self, function: Callable[[float], float]) -> Interval:
        """The image under a function that never rises."""
        return Interval(_limit(function, self.hi), _limit(function, self.lo))

    def rounded(self, dtype: str | None) -> Interval:
        """This interval as numbers of `dtype` hold it; types without rounding leave it as it is."""
        kind = FLOAT_TYPES.get(dtype or DEFAULT_FLOAT)
        if kind is None:
            return self
        lo, hi = kind.round(self.lo), kind.round(self.hi)
        return self if lo == self.lo and hi == self.hi else Interval(lo, hi)


def _limit(function: Callable[[float], float], value: float) -> float:
    try:
        return function(value)
    except OverflowError:
        return INF


UNKNOWN = Interval()
NARROW_INTEGERS = {
    f"{sign}int{bits}": Interval(*((0.0, 2.0**bits - 1) if sign else (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1) - 1)))
    for sign in ("", "u")
    for bits in (8, 16)
}
"""The integer types that data fills, as pixels and sound do, with all numbers that they hold."""
UNIT = Interval(0.0, 1.0)
NON_NEGATIVE = Interval(0.0, INF)
