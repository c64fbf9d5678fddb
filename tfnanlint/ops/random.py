"""Random tensors: their supports, and what ordinary draws attain."""

from __future__ import annotations

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.row import Attributes, Op, row, spelled

ORDINARY_DEVIATIONS = 3.0
"""A draw this many standard deviations out is ordinary: 1 in 370, several in every batch."""


def _number(value: object, default: float) -> float | None:
    """A static parameter as a number; None where it is given but not known."""
    if value is None:
        return default
    return float(value) if isinstance(value, (int, float)) else None


def _uniform(shape: Interval | None, attrs: Attributes) -> Interval:
    lo, hi = _number(attrs.get("minval"), 0.0), _number(attrs.get("maxval"), 1.0)
    return Interval(-INF if lo is None else lo, INF if hi is None else hi)


def _normal_attained(shape: Interval | None, attrs: Attributes) -> Interval | None:
    mean, deviation = _number(attrs.get("mean"), 0.0), _number(attrs.get("stddev"), 1.0)
    if mean is None or deviation is None:
        return None
    reach = ORDINARY_DEVIATIONS * abs(deviation)
    return Interval(mean - reach, mean + reach)


def _uniform_attained(shape: Interval | None, attrs: Attributes) -> Interval | None:
    """The lower bound is drawn, the upper one is not."""
    found = _uniform(shape, attrs)
    return Interval.point(found.lo) if found.lo > -INF else None


NORMAL = {"mean": None, "stddev": None, "dtype": None, "seed": None}
UNIFORM = {"minval": None, "maxval": None, "dtype": None, "seed": None}

ROWS: tuple[Op, ...] = (
    row("random_uniform", spelled("tf.random.uniform tf.random_uniform", "shape minval maxval dtype seed name"),
        spelled("keras.random.uniform K.random_uniform", "shape minval maxval dtype seed"), operands="shape", attrs=UNIFORM,
        transfer=_uniform, attained=_uniform_attained, random=True, blocked=("*",), same_dtype=False,
        reason="a uniform draw, whose lower bound is drawn"),
    row("random_normal", spelled("tf.random.normal tf.random_normal", "shape mean stddev dtype seed name"),
        spelled("keras.random.normal K.random_normal", "shape mean stddev dtype seed"), operands="shape", attrs=NORMAL,
        transfer=lambda shape, attrs: UNKNOWN, attained=_normal_attained, random=True, blocked=("*",), same_dtype=False,
        reason="a normal draw"),
)
