"""Arithmetic of two tensors, comparisons, and the guarded forms of division and of x * log(y)."""

from __future__ import annotations

import math
from collections.abc import Callable

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.numeric import Kernels, np
from tfnanlint.ops.row import (
    FRACTION,
    NONZERO,
    Attributes,
    Op,
    Transfer,
    binary,
    bounded,
    gradient_at,
    row,
    spelled,
    value_at,
    value_up_to,
)

kernels = Kernels("arithmetic")


def _both(function: Callable[[Interval, Interval], Interval]) -> Transfer:
    """A transfer of two operands that needs no attributes."""

    def transfer(x: Interval, y: Interval, attrs: Attributes) -> Interval:
        return function(x, y)

    return transfer


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


def _guarded_quotient(x: Interval, y: Interval, attrs: Attributes) -> Interval:
    return (x / y).hull(Interval.point(0.0))


def _remainder(x: Interval, y: Interval, attrs: Attributes) -> Interval:
    """A remainder has the sign of its divisor and stays below it."""
    return Interval(min(y.lo, 0.0), max(y.hi, 0.0))


def _logaddexp(x: Interval, y: Interval, attrs: Attributes) -> Interval:
    top = x.maximum(y)
    return Interval(top.lo, top.hi + math.log(2))


def _comparison(name: str, names: str, others: str, graph: str, backend: str = "") -> Op:
    """A comparison has the name of NumPy's."""
    return row(
        name,
        *binary(names, others, backend),
        graph=graph,
        operands="x y",
        transfer=bounded(0.0, 1.0),
        blocked=("*",),
        same_dtype=False,
        reason="a comparison, 0 where it is False",
        run=lambda x, y: getattr(np, name)(x, y),
    )


def _logical(name: str, names: str, others: str, graph: str = "") -> Op:
    return row(
        name,
        *binary(names, others),
        graph=graph,
        operands="x y",
        takes={"x": "bool", "y": "bool"},
        transfer=bounded(0.0, 1.0),
        blocked=("*",),
        same_dtype=False,
        run=lambda x, y: getattr(np, name)(x, y),
    )


DIVISION_BY_ZERO = (value_at("y", 0.0), gradient_at("y", 0.0))
NEGATIVE = -(2.0**-126)

ROWS: tuple[Op, ...] = (
    row(
        "add",
        *binary("tf.add tf.math.add", "ops.add tnp.add"),
        spelled("tf.nn.bias_add", "x:value y:bias | name"),
        graph="Add AddV2 BiasAdd",
        operands="x y",
        transfer=_both(Interval.__add__),
        run=lambda x, y: np.add(x, y),
        pull=lambda g, z, x, y: (g, g),
    ),
    row(
        "subtract",
        *binary("tf.subtract tf.math.subtract", "ops.subtract tnp.subtract"),
        graph="Sub",
        operands="x y",
        transfer=_both(Interval.__sub__),
        run=lambda x, y: np.subtract(x, y),
        pull=lambda g, z, x, y: (g, -g),
    ),
    row(
        "multiply",
        *binary("tf.multiply tf.math.multiply", "ops.multiply tnp.multiply"),
        spelled("tf.scalar_mul tf.math.scalar_mul", "x:scalar y:x name"),
        graph="Mul",
        operands="x y",
        transfer=_both(Interval.__mul__),
        run=lambda x, y: np.multiply(x, y),
        pull=lambda g, z, x, y: (g * y.conjugate(), g * x.conjugate()),
    ),
    row(
        "divide",
        *binary(
            "tf.divide tf.math.divide tf.truediv tf.math.truediv tf.div tf.realdiv",
            "ops.divide ops.true_divide tnp.divide tnp.true_divide",
        ),
        graph="RealDiv Div",
        operands="x y",
        transfer=_both(Interval.__truediv__),
        breaks=DIVISION_BY_ZERO,
        run=lambda x, y: np.divide(x, y),
        pull=lambda g, z, x, y: (g / y.conjugate(), g * (-x / y / y).conjugate()),
    ),
    row(
        "divide_no_nan",
        *binary("tf.math.divide_no_nan tf.div_no_nan", "ops.divide_no_nan"),
        graph="DivNoNan",
        late=True,
        operands="x y",
        transfer=_guarded_quotient,
        run=lambda x, y: kernels.guarded(x, y),
        pull=lambda g, z, x, y: (
            kernels.guarded(g, y.conjugate()),
            g * kernels.guarded(kernels.guarded(-x, y), y).conjugate(),
        ),
    ),
    row(
        "multiply_no_nan",
        *binary("tf.math.multiply_no_nan"),
        graph="MulNoNan",
        late=True,
        operands="x y",
        transfer=_both(Interval.__mul__),
        run=lambda x, y: kernels.muted(x, y),
        pull=lambda g, z, x, y: (kernels.muted(g, y), kernels.muted(x, g)),
    ),
    row(
        "floormod",
        *binary("tf.math.floormod tf.floormod tf.math.mod tf.mod", "ops.mod tnp.mod tnp.remainder"),
        graph="FloorMod",
        operands="x y",
        transfer=_remainder,
        breaks=(value_at("y", 0.0), gradient_at("y", 0.0)),
        run=lambda x, y: np.mod(x, y),
        pull=lambda g, z, x, y: (g, g * -kernels.floor_of_quotient(x, y)),
    ),
    row(
        "floordiv",
        *binary("tf.math.floordiv tf.floordiv", "ops.floor_divide tnp.floor_divide"),
        graph="FloorDiv",
        operands="x y",
        breaks=(value_at("y", 0.0),),
        blocked=("*",),
        run=lambda x, y: kernels.floor_of_quotient(x, y),
    ),
    row(
        "pow",
        *binary("tf.pow tf.math.pow", "ops.power tnp.power tnp.float_power"),
        spelled("K.pow", "x y:a"),
        graph="Pow",
        operands="x y",
        transfer=_power,
        breaks=(
            value_at("x", 0.0, given={"y": Interval(-INF, NEGATIVE)}),
            value_up_to("x", NEGATIVE, given={"y": FRACTION}),
            gradient_at("x", 0.0, given={"y": Interval(0.0, 1 - 2.0**-24)}),
        ),
        run=lambda x, y: np.power(x, y),
        pull=kernels.pull_pow,
    ),
    row(
        "maximum",
        *binary("tf.maximum tf.math.maximum", "ops.maximum tnp.maximum", "K.maximum"),
        graph="Maximum",
        operands="x y",
        transfer=_both(Interval.maximum),
        reason="a maximum",
        run=lambda x, y: np.maximum(x, y),
        pull=lambda g, z, x, y: (np.where(x >= y, g, 0), np.where(x >= y, 0, g)),
    ),
    row(
        "minimum",
        *binary("tf.minimum tf.math.minimum", "ops.minimum tnp.minimum", "K.minimum"),
        graph="Minimum",
        operands="x y",
        transfer=_both(Interval.minimum),
        reason="a minimum",
        run=lambda x, y: np.minimum(x, y),
        pull=lambda g, z, x, y: (np.where(x <= y, g, 0), np.where(x <= y, 0, g)),
    ),
    row(
        "squared_difference",
        *binary("tf.math.squared_difference tf.squared_difference"),
        graph="SquaredDifference",
        operands="x y",
        transfer=lambda x, y, attrs: (x - y).square(),
        reason="a squared difference",
        run=lambda x, y: (x - y) * (x - y).conjugate(),
        pull=lambda g, z, x, y: (2 * g * (x - y), -2 * g * (x - y)),
    ),
    row(
        "xlogy",
        *binary("tf.math.xlogy"),
        graph="Xlogy",
        late=True,
        operands="x y",
        breaks=(value_up_to("y", 0.0, given={"x": NONZERO}),),
        run=lambda x, y: kernels.unless_zero(x, x * np.log(y)),
        pull=lambda g, z, x, y: (kernels.unless_zero(x, np.log(y)) * g, kernels.unless_zero(x, x / y) * g),
    ),
    row(
        "xlog1py",
        *binary("tf.math.xlog1py"),
        graph="Xlog1py",
        late=True,
        operands="x y",
        breaks=(value_up_to("y", -1.0, given={"x": NONZERO}),),
        run=lambda x, y: kernels.unless_zero(x, x * np.log1p(y)),
        pull=lambda g, z, x, y: (kernels.unless_zero(x, np.log1p(y)) * g, kernels.unless_zero(x, x / (y + 1)) * g),
    ),
    row(
        "xdivy",
        *binary("tf.math.xdivy"),
        graph="Xdivy",
        late=True,
        operands="x y",
        breaks=(value_at("y", 0.0, given={"x": NONZERO}),),
        run=lambda x, y: kernels.unless_zero(x, x / y),
        pull=lambda g, z, x, y: (kernels.unless_zero(x, 1 / y) * g, kernels.unless_zero(x, -x / np.square(y)) * g),
    ),
    row(
        "logaddexp",
        *binary("", "ops.logaddexp tnp.logaddexp"),
        operands="x y",
        transfer=_logaddexp,
        run=lambda x, y: np.logaddexp(x, y),
        pull=kernels.pull_logaddexp,
    ),
    _comparison("equal", "tf.equal tf.math.equal", "ops.equal tnp.equal", "Equal", "K.equal"),
    _comparison(
        "not_equal", "tf.not_equal tf.math.not_equal", "ops.not_equal tnp.not_equal", "NotEqual", "K.not_equal"
    ),
    _comparison("less", "tf.less tf.math.less", "ops.less tnp.less", "Less", "K.less"),
    _comparison(
        "less_equal", "tf.less_equal tf.math.less_equal", "ops.less_equal tnp.less_equal", "LessEqual", "K.less_equal"
    ),
    _comparison("greater", "tf.greater tf.math.greater", "ops.greater tnp.greater", "Greater", "K.greater"),
    _comparison(
        "greater_equal",
        "tf.greater_equal tf.math.greater_equal",
        "ops.greater_equal tnp.greater_equal",
        "GreaterEqual",
        "K.greater_equal",
    ),
    _logical(
        "logical_and",
        "tf.logical_and tf.math.logical_and",
        "ops.logical_and tnp.logical_and",
        "LogicalAnd",
    ),
    _logical("logical_or", "tf.logical_or tf.math.logical_or", "ops.logical_or tnp.logical_or", "LogicalOr"),
    _logical("logical_xor", "tf.math.logical_xor tf.logical_xor", "ops.logical_xor tnp.logical_xor"),
)
