"""The range domain: intervals hold what the numbers in them give, and rounding is the hardware's."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import assume, given
from hypothesis import strategies as st

from tfnanlint.interval import FLOAT_TYPES, INF, UNKNOWN, Interval

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
bounds = st.one_of(numbers, st.sampled_from((0.0, 1.0, -1.0, INF, -INF)))
fractions = st.floats(0.0, 1.0)


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    lo, hi = sorted((draw(bounds), draw(bounds)))
    assume(not (lo == hi and math.isinf(lo)))
    return Interval(lo, hi)


def member(interval: Interval, fraction: float) -> float:
    """A finite number of an interval."""
    lo, hi = max(interval.lo, -1e9), min(interval.hi, 1e9)
    lo, hi = min(lo, hi), max(lo, hi)
    return min(max(lo + (hi - lo) * fraction, interval.lo), interval.hi)


def close(value: float, interval: Interval) -> bool:
    """Membership, rounding in the last place aside."""
    slack = 1e-9 * (1 + abs(value))
    return interval.lo - slack <= value <= interval.hi + slack


BINARY = [
    pytest.param(f, f, id=f.__name__) for f in (operator.add, operator.sub, operator.mul, operator.truediv)
] + [pytest.param(Interval.maximum, max, id="maximum"), pytest.param(Interval.minimum, min, id="minimum")]  # fmt: skip
UNARY = [
    pytest.param(operator.neg, operator.neg, id="neg"),
    pytest.param(Interval.abs, abs, id="abs"),
    pytest.param(Interval.square, lambda v: v * v, id="square"),
    pytest.param(Interval.reciprocal, lambda v: 1 / v, id="reciprocal"),
    pytest.param(lambda x: x.rising(math.atan), math.atan, id="rising"),
    pytest.param(lambda x: x.falling(lambda v: -v), operator.neg, id="falling"),
]


@pytest.mark.parametrize(("on_intervals", "on_numbers"), BINARY)
@given(x=intervals(), y=intervals(), i=fractions, j=fractions)
def test_an_operation_of_two_intervals_holds_that_of_their_numbers(
    on_intervals: Callable[[Interval, Interval], Interval], on_numbers: Callable[[float, float], float],
    x: Interval, y: Interval, i: float, j: float,
) -> None:  # fmt: skip
    a, b = member(x, i), member(y, j)
    assume(not (on_numbers is operator.truediv and b == 0))
    assert close(on_numbers(a, b), on_intervals(x, y))


@pytest.mark.parametrize(("on_interval", "on_number"), UNARY)
@given(x=intervals(), i=fractions)
def test_a_function_of_an_interval_holds_that_of_its_numbers(
    on_interval: Callable[[Interval], Interval], on_number: Callable[[float], float], x: Interval, i: float
) -> None:
    a = member(x, i)
    assume(a != 0)
    assert close(on_number(a), on_interval(x))


@given(x=intervals(), y=intervals())
def test_a_hull_holds_both_and_a_meet_lies_in_both_or_is_the_first(x: Interval, y: Interval) -> None:
    assert x.within(x.hull(y))
    assert y.within(x.hull(y))
    common = x.meet(y)
    assert common.within(x)
    assert common.within(y) or common == x


@given(x=intervals(), y=intervals())
def test_operations_never_give_an_interval_that_is_no_interval(x: Interval, y: Interval) -> None:
    for result in (x + y, x - y, x * y, x / y, -x, x.abs(), x.square(), x.reciprocal(), x.maximum(y), x.minimum(y)):
        assert result.lo <= result.hi


def test_infinities_of_both_signs_leave_nothing_known() -> None:
    assert UNKNOWN + UNKNOWN == UNKNOWN
    assert UNKNOWN - UNKNOWN == UNKNOWN
    assert UNKNOWN.unknown
    assert not Interval(0.0, INF).unknown


@pytest.mark.parametrize("dtype", FLOAT_TYPES)
@given(value=st.floats(allow_nan=False))
def test_rounding_is_that_of_tensorflow(dtype: str, value: float) -> None:
    kind = FLOAT_TYPES[dtype]
    assume(kind.smallest <= abs(value) or value == 0 or abs(value) < kind.smallest / 4)  # a cast itself flushes nothing
    assume(kind.smallest != kind.least or abs(value) >= kind.least or value == 0)
    expected = float(tf.cast(tf.constant(value, tf.float64), dtype))
    assert kind.round(value) == expected


@pytest.mark.parametrize("dtype", FLOAT_TYPES)
def test_what_is_flushed_to_zero_is_what_arithmetic_flushes(dtype: str) -> None:
    kind = FLOAT_TYPES[dtype]
    below = kind.least / 2
    root = float(tf.sqrt(tf.constant([below] * 8, dtype))[0])
    assert (root == 0) == (kind.round(below) == 0)
    assert float(tf.sqrt(tf.constant([kind.least] * 8, dtype))[0]) > 0


@given(x=intervals(), i=fractions)
def test_rounding_an_interval_keeps_its_rounded_numbers(x: Interval, i: float) -> None:
    a = float(np.float32(member(x, i)))
    assert FLOAT_TYPES["float32"].round(a) in x.rounded("float32")


@given(x=intervals())
def test_types_without_rounding_leave_an_interval_as_it_is(x: Interval) -> None:
    assert x.rounded("int32") == x
    assert x.rounded(None) == x.rounded("float32")


def test_a_bound_of_zero_is_shown_without_its_sign() -> None:
    assert str(Interval(-1.0, -0.0)) == "[-1, 0]"
    assert str(Interval(-0.0, 1.0)) == "[0, 1]"
