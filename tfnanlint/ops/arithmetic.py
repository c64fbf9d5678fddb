"""Arithmetic of two tensors, comparisons, and the guarded forms of division and of x * log(y)."""

from __future__ import annotations

import math
from collections.abc import Callable

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.row import (
    Attributes,
    Op,
    bounded,
    gradient_at,
    row,
    spelled,
    value_at,
)


def _both(function: Callable[[Interval, Interval], Interval]):
    """A transfer of two operands that needs no attributes."""

    def transfer(x: Interval, y: Interval, attrs: Attributes) -> Interval:
        return function(x, y)

    return transfer


def _product_attained(x: Interval | None, y: Interval | None, attrs: Attributes) -> Interval | None:
    """A product is 0 where one factor is, whatever the other one is."""
    if x is not None and y is not None:
        return x * y
    seen = x if y is None else y
    return Interval.point(0.0) if seen is not None and 0.0 in (seen.lo, seen.hi) else None


def _quotient_attained(x: Interval | None, y: Interval | None, attrs: Attributes) -> Interval | None:
    """A quotient is seen where its divisor keeps clear of 0."""
    return x / y if x is not None and y is not None and 0.0 not in y else None


def _power(x: Interval, y: Interval, attrs: Attributes) -> Interval:
    if y.lo != y.hi or math.isinf(y.lo):
        return Interval(0.0, INF) if x.lo >= 0 else UNKNOWN
    exponent = y.lo
    if exponent == 0:
        return Interval.point(1.0)
    if exponent.is_integer() and exponent % 2 == 0:
        magnitude = x.abs()
        if exponent > 0:
            return magnitude.rising(lambda v: v**exponent)
        return magnitude.falling(lambda v: INF if v == 0 else v**exponent)
    if x.lo >= 0:
        if exponent > 0:
            return x.rising(lambda v: v**exponent)
        return x.falling(lambda v: INF if v == 0 else v**exponent)
    if exponent.is_integer() and exponent > 0:
        return x.rising(lambda v: v**exponent)
    return UNKNOWN


def _power_attained(x: Interval | None, y: Interval | None, attrs: Attributes) -> Interval | None:
    if y is None or y.lo != y.hi:
        return None
    even = y.lo > 0 and float(y.lo).is_integer() and y.lo % 2 == 0
    if x is None:
        return Interval.point(0.0) if even else None
    return _power(x, y, attrs)


def _extreme_attained(pick: Callable[[Interval, Interval], Interval]):
    """maximum and minimum: a bound given as a constant is attained when the other side is unseen."""

    def attained(x: Interval | None, y: Interval | None, attrs: Attributes) -> Interval | None:
        if x is not None and y is not None:
            return pick(x, y)
        seen = x if y is None else y
        return seen if seen is not None and seen.lo == seen.hi else None

    return attained


def _guarded_quotient(x: Interval, y: Interval, attrs: Attributes) -> Interval:
    return (x / y).hull(Interval.point(0.0))


def _two(names: str, keras: str = "") -> tuple:
    """The spellings of a function of two tensors."""
    found = [spelled(names, "x y name")]
    if keras:
        found.append(spelled(keras, "x:x1 y:x2"))
    return tuple(found)


def _comparison(name: str, names: str, keras: str, graph: str) -> Op:
    return row(name, *_two(names, keras), graph=graph, operands="x y", transfer=bounded(0.0, 1.0), blocked=("*",),
               same_dtype=False)


ROWS: tuple[Op, ...] = (
    row("add", *_two("tf.add tf.math.add", "ops.add"), graph="Add AddV2 BiasAdd", operands="x y",
        transfer=_both(Interval.__add__)),
    row("subtract", *_two("tf.subtract tf.math.subtract tf.sub", "ops.subtract"), graph="Sub", operands="x y",
        transfer=_both(Interval.__sub__)),
    row("multiply", *_two("tf.multiply tf.math.multiply tf.mul", "ops.multiply"), graph="Mul", operands="x y",
        transfer=_both(Interval.__mul__), attained=_product_attained),
    row(
        "divide",
        *_two("tf.divide tf.math.divide tf.truediv tf.math.truediv tf.div tf.realdiv",
              "ops.divide ops.true_divide"),
        graph="RealDiv Div",
        operands="x y",
        transfer=_both(Interval.__truediv__),
        attained=_quotient_attained,
        breaks=(value_at("y", 0.0), gradient_at("y", 0.0)),
    ),
    row(
        "divide_no_nan",
        *_two("tf.math.divide_no_nan tf.div_no_nan", "ops.divide_no_nan"),
        graph="DivNoNan",
        operands="x y",
        transfer=_guarded_quotient,
        attained=_quotient_attained,
    ),
    row("reciprocal_no_nan", spelled("tf.math.reciprocal_no_nan", "x name"),
        transfer=lambda x, attrs: x.reciprocal().hull(Interval.point(0.0))),
    row("multiply_no_nan", *_two("tf.math.multiply_no_nan"), graph="MulNoNan", operands="x y",
        transfer=_both(Interval.__mul__), attained=_product_attained),
    row("floormod", *_two("tf.math.floormod tf.math.mod tf.mod", "ops.mod"), graph="FloorMod", operands="x y"),
    row("floordiv", *_two("tf.math.floordiv tf.floordiv", "ops.floor_divide"), graph="FloorDiv", operands="x y",
        blocked=("*",)),
    row(
        "pow",
        *_two("tf.pow tf.math.pow", "ops.power"),
        spelled("K.pow", "x y:a"),
        graph="Pow",
        operands="x y",
        transfer=_power,
        attained=_power_attained,
    ),
    row("maximum", *_two("tf.maximum tf.math.maximum", "ops.maximum"), spelled("K.maximum", "x y"), graph="Maximum",
        operands="x y", transfer=_both(Interval.maximum), attained=_extreme_attained(Interval.maximum),
        reason="a maximum"),
    row("minimum", *_two("tf.minimum tf.math.minimum", "ops.minimum"), spelled("K.minimum", "x y"), graph="Minimum",
        operands="x y", transfer=_both(Interval.minimum), attained=_extreme_attained(Interval.minimum),
        reason="a minimum"),
    row("squared_difference", *_two("tf.math.squared_difference tf.squared_difference"), graph="SquaredDifference",
        operands="x y", transfer=lambda x, y, attrs: (x - y).square(),
        attained=lambda x, y, attrs: Interval.point(0.0) if x is None or y is None else (x - y).square(),
        reason="a squared difference"),
    row("xlogy", *_two("tf.math.xlogy"), graph="Xlogy", operands="x y"),
    row("xlog1py", *_two("tf.math.xlog1py"), graph="Xlog1py", operands="x y"),
    row("xdivy", *_two("tf.math.xdivy"), graph="Xdivy", operands="x y"),
    row("atan2", spelled("tf.atan2 tf.math.atan2", "y x name"), spelled("ops.arctan2", "y:x1 x:x2"), graph="Atan2",
        operands="y x", transfer=bounded(-math.pi, math.pi)),
    row("logaddexp", spelled("ops.logaddexp", "x:x1 y:x2"), operands="x y",
        transfer=lambda x, y, attrs: Interval(max(x.lo, y.lo), INF)),
    _comparison("equal", "tf.equal tf.math.equal", "ops.equal", "Equal"),
    _comparison("not_equal", "tf.not_equal tf.math.not_equal", "ops.not_equal", "NotEqual"),
    _comparison("less", "tf.less tf.math.less", "ops.less", "Less"),
    _comparison("less_equal", "tf.less_equal tf.math.less_equal", "ops.less_equal", "LessEqual"),
    _comparison("greater", "tf.greater tf.math.greater", "ops.greater", "Greater"),
    _comparison("greater_equal", "tf.greater_equal tf.math.greater_equal", "ops.greater_equal", "GreaterEqual"),
    _comparison("logical_and", "tf.logical_and tf.math.logical_and", "ops.logical_and", "LogicalAnd"),
    _comparison("logical_or", "tf.logical_or tf.math.logical_or", "ops.logical_or", "LogicalOr"),
)
