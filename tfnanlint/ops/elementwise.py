"""Elementwise functions of one tensor: exponentials, logarithms, roots, signs, rounding, and tests for NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfnanlint.interval import INF, NON_NEGATIVE, UNKNOWN, Interval
from tfnanlint.ops.numeric import Array, composed, np
from tfnanlint.ops.row import (
    Attributes,
    Op,
    Spelling,
    Transfer,
    bounded,
    falling,
    gradient_at,
    rising,
    row,
    spelled,
    unary,
    value_at,
    value_from,
    value_up_to,
)

LARGEST_EXPONENT = math.log(float.fromhex("0x1.fffffep127"))
"""Where exp leaves float32."""
BELOW_ZERO = -(2.0**-126)
"""The largest negative float32 that is not flushed to 0."""
LN2, LN10 = math.log(2), math.log(10)

MOST_DECIMALS = 400
"""The most decimals to round to; NumPy takes time for each."""


def _log(v: float) -> float:
    return -INF if v <= 0 else math.log(v)


def _log1p(v: float) -> float:
    return -INF if v <= -1 else math.log1p(v)


def _sqrt(v: float) -> float:
    return math.sqrt(max(v, 0.0))


def _reciprocal_root(v: float) -> float:
    return INF if v <= 0 else 1 / math.sqrt(v)


def _whole(function: Callable[[float], float]) -> Transfer:
    """A rounding function that leaves infinities as they are."""
    return rising(lambda v: v if math.isinf(v) else float(function(v)))


def _test(name: str, *spellings: Spelling, **rest: Any) -> Op:
    """A question about each element; its answer is 0 or 1."""
    return row(name, *spellings, transfer=bounded(0.0, 1.0), blocked=("*",), same_dtype=False, **rest)


LOG_BREAKS = (value_up_to("x", 0.0), gradient_at("x", 0.0))


def _rounded(x: Interval, attrs: Attributes) -> Interval:
    decimals = attrs.get("decimals", 0)
    if not isinstance(decimals, int):
        return UNKNOWN
    return x.rising(lambda v: v if math.isinf(v) else round(v, decimals))


def _without_nan(x: Array, nan: float, posinf: float | None, neginf: float | None) -> Array:
    """Each non-finite element replaced; infinities by the largest numbers of the type where nothing else is given."""
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


ROWS: tuple[Op, ...] = (
    row(
        "log",
        *unary("tf.math.log tf.log", "ops.log K.log tnp.log"),
        graph="Log",
        transfer=rising(_log),
        breaks=LOG_BREAKS,
        run=lambda x: np.log(x),
        pull=lambda g, y, x: g * (1 / x.conjugate()),
    ),
    row(
        "log2",
        *unary("", "ops.log2 tnp.log2"),
        transfer=rising(lambda v: _log(v) / LN2),
        breaks=LOG_BREAKS,
        **composed(lambda t, x: t.divide(t.log(x), LN2)),
    ),
    row(
        "log10",
        *unary("", "ops.log10 tnp.log10"),
        transfer=rising(lambda v: _log(v) / LN10),
        breaks=LOG_BREAKS,
        **composed(lambda t, x: t.divide(t.log(x), LN10)),
    ),
    row(
        "log1p",
        *unary("tf.math.log1p tf.log1p", "ops.log1p tnp.log1p"),
        graph="Log1p",
        transfer=rising(_log1p),
        breaks=(value_up_to("x", -1.0), gradient_at("x", -1.0)),
        run=lambda x: np.log1p(x),
        pull=lambda g, y, x: g * (1 / (1 + x.conjugate())),
    ),
    row(
        "exp",
        *unary("tf.exp tf.math.exp", "ops.exp K.exp tnp.exp keras.activations.exponential"),
        graph="Exp",
        transfer=rising(math.exp),
        reason="an exponential",
        breaks=(value_from("x", LARGEST_EXPONENT),),
        run=lambda x: np.exp(x),
        pull=lambda g, y, x: g * y.conjugate(),
    ),
    row(
        "exp2",
        *unary("", "ops.exp2 tnp.exp2"),
        transfer=rising(lambda v: 2.0**v),
        reason="an exponential",
        breaks=(value_from("x", 128.0),),
        run=lambda x: np.exp2(x),
        pull=lambda g, y, x: g * y.conjugate() * LN2,
    ),
    row(
        "expm1",
        *unary("tf.math.expm1 tf.expm1", "ops.expm1 tnp.expm1"),
        graph="Expm1",
        transfer=rising(math.expm1),
        breaks=(value_from("x", LARGEST_EXPONENT),),
        run=lambda x: np.expm1(x),
        pull=lambda g, y, x: g * np.exp(x.conjugate()),
    ),
    row(
        "sqrt",
        *unary("tf.sqrt tf.math.sqrt", "ops.sqrt tnp.sqrt"),
        # The old backend clips before it takes the root: no NaN below 0, the same infinite gradient at 0.
        spelled("K.sqrt", "x", through="clip_negative"),
        graph="Sqrt",
        transfer=rising(_sqrt),
        reason="a square root",
        breaks=(value_up_to("x", BELOW_ZERO), gradient_at("x", 0.0)),
        keeps_zero=True,
        run=lambda x: np.sqrt(x),
        pull=lambda g, y, x: g * 0.5 / y.conjugate(),
    ),
    row(
        "clip_negative",
        transfer=rising(lambda v: max(v, 0.0)),
        run=lambda x: np.maximum(x, 0),
        pull=lambda g, y, x: np.where(x >= 0, g, 0),
    ),
    row(
        "rsqrt",
        *unary("tf.math.rsqrt tf.rsqrt", "ops.rsqrt"),
        graph="Rsqrt",
        transfer=falling(_reciprocal_root, NON_NEGATIVE),
        breaks=(value_up_to("x", 0.0), gradient_at("x", 0.0)),
        keeps_zero=True,
        run=lambda x: 1 / np.sqrt(x),
        pull=lambda g, y, x: -0.5 * (g * y.conjugate()) * (y * y).conjugate(),
    ),
    row(
        "cbrt",
        *unary("", "ops.cbrt tnp.cbrt"),
        transfer=rising(lambda v: math.copysign(abs(v) ** (1 / 3), v)),
        breaks=(gradient_at("x", 0.0),),
        **composed(lambda t, x: t.multiply(t.sign(x), t.pow(t.abs(x), 1 / 3))),
    ),
    row(
        "square",
        *unary("tf.square tf.math.square", "ops.square K.square tnp.square"),
        graph="Square",
        transfer=lambda x, attrs: x.square(),
        reason="a square",
        run=lambda x: np.square(x),
        pull=lambda g, y, x: g * (2 * x.conjugate()),
    ),
    row(
        "abs",
        *unary("tf.abs tf.math.abs", "ops.abs ops.absolute ops.fabs K.abs tnp.abs tnp.absolute tnp.fabs"),
        graph="Abs ComplexAbs",
        transfer=lambda x, attrs: x.abs(),
        reason="an absolute value",
        run=lambda x: np.abs(x),
        pull=lambda g, y, x: g * (x / np.where(y == 0, 1, y) if np.iscomplexobj(x) else np.sign(x)),
    ),
    row(
        "neg",
        *unary("tf.negative tf.math.negative", "ops.negative tnp.negative"),
        graph="Neg",
        transfer=lambda x, attrs: -x,
        run=lambda x: -x,
        pull=lambda g, y, x: -g,
    ),
    row(
        "reciprocal",
        *unary("tf.math.reciprocal tf.reciprocal", "ops.reciprocal tnp.reciprocal"),
        graph="Reciprocal Inv",
        transfer=lambda x, attrs: x.reciprocal(),
        breaks=(value_at("x", 0.0), gradient_at("x", 0.0)),
        keeps_zero=True,
        run=lambda x: 1 / x,
        pull=lambda g, y, x: g * -(y * y).conjugate(),
    ),
    row(
        "reciprocal_no_nan",
        spelled("tf.math.reciprocal_no_nan", "x name"),
        transfer=lambda x, attrs: x.reciprocal().hull(Interval.point(0.0)),
        run=lambda x: np.where(x == 0, 0, 1 / x),
        pull=lambda g, y, x: g * -(y * y).conjugate(),
    ),
    row(
        "sign",
        *unary("tf.sign tf.math.sign", "ops.sign K.sign tnp.sign"),
        graph="Sign",
        transfer=rising(lambda v: math.copysign(1.0, v) if v else 0.0),
        blocked=("*",),
        run=lambda x: np.sign(x),
    ),
    row(
        "floor",
        *unary("tf.floor tf.math.floor", "ops.floor tnp.floor"),
        graph="Floor",
        transfer=_whole(math.floor),
        blocked=("*",),
        run=lambda x: np.floor(x),
    ),
    row(
        "ceil",
        *unary("tf.math.ceil tf.ceil", "ops.ceil tnp.ceil"),
        graph="Ceil",
        transfer=_whole(math.ceil),
        blocked=("*",),
        run=lambda x: np.ceil(x),
    ),
    row(
        "round",
        *unary("tf.round tf.math.round tf.math.rint", "K.round"),
        spelled("ops.round", "x decimals"),
        spelled("tnp.round tnp.around", "x:a decimals"),
        graph="Round Rint",
        attrs={"decimals": 0},
        transfer=_rounded,
        blocked=("*",),
        run=lambda x, decimals: np.round(x, max(-MOST_DECIMALS, min(decimals or 0, MOST_DECIMALS))),
    ),
    row(
        "trunc", *unary("", "ops.trunc tnp.fix"), transfer=_whole(math.trunc), blocked=("*",), run=lambda x: np.trunc(x)
    ),
    row(
        "nan_to_num",
        spelled("ops.nan_to_num", "x nan posinf neginf"),
        attrs={"nan": 0.0, "posinf": None, "neginf": None},
        transfer=lambda x, attrs: UNKNOWN,
        run=_without_nan,
        pull=lambda g, y, x, **_: np.where(np.isfinite(x), g, 0),
    ),
    _test(
        "is_nan",
        *unary("tf.math.is_nan tf.is_nan tf.debugging.is_nan", "ops.isnan tnp.isnan"),
        graph="IsNan",
        run=lambda x: np.isnan(x),
    ),
    _test(
        "is_inf",
        *unary("tf.math.is_inf tf.is_inf tf.debugging.is_inf", "ops.isinf tnp.isinf"),
        graph="IsInf",
        run=lambda x: np.isinf(x),
    ),
    _test(
        "is_finite",
        *unary("tf.math.is_finite tf.is_finite tf.debugging.is_finite", "ops.isfinite tnp.isfinite"),
        graph="IsFinite",
        run=lambda x: np.isfinite(x),
    ),
    _test(
        "logical_not",
        *unary("tf.logical_not tf.math.logical_not", "ops.logical_not tnp.logical_not"),
        graph="LogicalNot",
        takes={"x": "bool"},
        run=lambda x: np.logical_not(x),
    ),
    row(
        "softplus",
        spelled("tf.nn.softplus tf.math.softplus", "x:features name"),
        *unary("", "ops.softplus K.softplus keras.activations.softplus"),
        graph="Softplus",
        transfer=rising(lambda v: v if v > 700 else math.log1p(math.exp(v))),
        reason="a softplus",
        run=lambda x: np.logaddexp(x, 0),
        pull=lambda g, y, x: g / (np.exp(-x) + 1),
    ),
)
