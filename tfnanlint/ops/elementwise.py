"""Elementwise functions of one tensor: exponentials, logarithms, roots, trigonometry, rounding."""

from __future__ import annotations

import math

from tfnanlint.interval import INF, NON_NEGATIVE, UNIT, UNKNOWN, Interval
from tfnanlint.ops.row import (
    Attributes,
    Op,
    always,
    bounded,
    falling,
    gradient_at,
    rising,
    row,
    spelled,
    value_at,
    value_from,
    value_up_to,
)

LARGEST_EXPONENT = math.log(float.fromhex("0x1.fffffep127"))
"""Where exp leaves float32."""


def _log(v: float) -> float:
    return -INF if v <= 0 else math.log(v)


def _log1p(v: float) -> float:
    return -INF if v <= -1 else math.log1p(v)


def _sqrt(v: float) -> float:
    return math.sqrt(max(v, 0.0))


def _reciprocal_root(v: float) -> float:
    return INF if v <= 0 else 1 / math.sqrt(v)


def _cosh(x: Interval, attrs: Attributes) -> Interval:
    return x.abs().rising(math.cosh)


def _atanh(v: float) -> float:
    return math.copysign(INF, v) if abs(v) >= 1 else math.atanh(v)


def _unary(names: str, keras: str = "", backend: str = "") -> tuple:
    """The spellings of a function of one tensor: TensorFlow's, Keras's and the old backend's."""
    found = [spelled(names, "x name")]
    if keras:
        found.append(spelled(keras, "x"))
    if backend:
        found.append(spelled(backend, "x"))
    return tuple(found)


ROWS: tuple[Op, ...] = (
    row(
        "log",
        *_unary("tf.math.log tf.log", "ops.log", "K.log"),
        graph="Log",
        transfer=rising(_log),
        breaks=(value_up_to("x", 0.0), gradient_at("x", 0.0)),
    ),
    row("log2", spelled("ops.log2", "x"), transfer=rising(lambda v: _log(v) / math.log(2)),
        breaks=(value_up_to("x", 0.0), gradient_at("x", 0.0))),
    row("log10", spelled("ops.log10", "x"), transfer=rising(lambda v: _log(v) / math.log(10)),
        breaks=(value_up_to("x", 0.0), gradient_at("x", 0.0))),
    row(
        "log1p",
        *_unary("tf.math.log1p tf.log1p", "ops.log1p"),
        graph="Log1p",
        transfer=rising(_log1p),
        breaks=(value_up_to("x", -1.0), gradient_at("x", -1.0)),
    ),
    row(
        "exp",
        *_unary("tf.exp tf.math.exp", "ops.exp", "K.exp"),
        spelled("keras.activations.exponential", "x"),
        graph="Exp",
        transfer=rising(math.exp),
        reason="an exponential",
        breaks=(value_from("x", LARGEST_EXPONENT),),
    ),
    row(
        "expm1",
        *_unary("tf.math.expm1 tf.expm1", "ops.expm1"),
        graph="Expm1",
        transfer=rising(math.expm1),
        breaks=(value_from("x", LARGEST_EXPONENT),),
    ),
    row(
        "sqrt",
        *_unary("tf.sqrt tf.math.sqrt", "ops.sqrt", "K.sqrt"),
        graph="Sqrt",
        transfer=rising(_sqrt),
        reason="a square root",
        breaks=(value_up_to("x", -1e-30), gradient_at("x", 0.0)),
    ),
    row(
        "rsqrt",
        *_unary("tf.math.rsqrt tf.rsqrt", "ops.rsqrt"),
        graph="Rsqrt",
        transfer=falling(_reciprocal_root, NON_NEGATIVE),
        breaks=(value_up_to("x", 0.0), gradient_at("x", 0.0)),
    ),
    row(
        "square",
        *_unary("tf.square tf.math.square", "ops.square", "K.square"),
        graph="Square",
        transfer=lambda x, attrs: x.square(),
        attained=lambda x, attrs: Interval.point(0.0) if x is None else x.square(),
        reason="a square",
    ),
    row(
        "abs",
        *_unary("tf.abs tf.math.abs", "ops.abs ops.absolute", "K.abs"),
        graph="Abs",
        transfer=lambda x, attrs: x.abs(),
        attained=lambda x, attrs: Interval.point(0.0) if x is None else x.abs(),
        reason="an absolute value",
    ),
    row("neg", *_unary("tf.negative tf.math.negative", "ops.negative"), graph="Neg",
        transfer=lambda x, attrs: -x),
    row(
        "reciprocal",
        *_unary("tf.math.reciprocal tf.reciprocal", "ops.reciprocal"),
        graph="Reciprocal Inv",
        transfer=lambda x, attrs: x.reciprocal(),
        breaks=(value_at("x", 0.0), gradient_at("x", 0.0)),
    ),
    row(
        "sign",
        *_unary("tf.sign tf.math.sign", "ops.sign", "K.sign"),
        graph="Sign",
        transfer=rising(lambda v: math.copysign(1.0, v) if v else 0.0),
        blocked=("*",),
    ),
    row(
        "tanh",
        *_unary("tf.tanh tf.math.tanh tf.nn.tanh", "ops.tanh", "K.tanh"),
        spelled("keras.activations.tanh", "x"),
        graph="Tanh",
        transfer=rising(math.tanh),
        attained=lambda x, attrs: Interval(-1.0, 1.0) if x is None else x.rising(math.tanh),
        reason="a tanh, which saturates at -1 and 1",
        saturates=True,
    ),
    row("sin", *_unary("tf.sin tf.math.sin", "ops.sin", "K.sin"), graph="Sin", transfer=bounded(-1, 1),
        reason="a sine"),
    row("cos", *_unary("tf.cos tf.math.cos", "ops.cos", "K.cos"), graph="Cos", transfer=bounded(-1, 1),
        reason="a cosine"),
    row("tan", *_unary("tf.tan tf.math.tan", "ops.tan"), graph="Tan"),
    row("sinh", *_unary("tf.sinh tf.math.sinh", "ops.sinh"), graph="Sinh", transfer=rising(math.sinh)),
    row("cosh", *_unary("tf.cosh tf.math.cosh", "ops.cosh"), graph="Cosh", transfer=_cosh),
    row(
        "asin",
        *_unary("tf.asin tf.math.asin", "ops.arcsin"),
        graph="Asin",
        transfer=bounded(-math.pi / 2, math.pi / 2),
        breaks=(
            value_up_to("x", math.nextafter(-1, -2)),
            value_from("x", math.nextafter(1, 2)),
            gradient_at("x", -1.0),
            gradient_at("x", 1.0),
        ),
    ),
    row(
        "acos",
        *_unary("tf.acos tf.math.acos", "ops.arccos"),
        graph="Acos",
        transfer=bounded(0.0, math.pi),
        breaks=(
            value_up_to("x", math.nextafter(-1, -2)),
            value_from("x", math.nextafter(1, 2)),
            gradient_at("x", -1.0),
            gradient_at("x", 1.0),
        ),
    ),
    row("atan", *_unary("tf.atan tf.math.atan", "ops.arctan"), graph="Atan", transfer=rising(math.atan)),
    row("asinh", *_unary("tf.asinh tf.math.asinh", "ops.arcsinh"), graph="Asinh",
        transfer=rising(math.asinh)),
    row(
        "acosh",
        *_unary("tf.acosh tf.math.acosh", "ops.arccosh"),
        graph="Acosh",
        transfer=rising(lambda v: math.acosh(max(v, 1.0))),
        breaks=(value_up_to("x", math.nextafter(1, 0)), gradient_at("x", 1.0)),
    ),
    row(
        "atanh",
        *_unary("tf.atanh tf.math.atanh", "ops.arctanh"),
        graph="Atanh",
        transfer=rising(_atanh),
        breaks=(value_up_to("x", -1.0), value_from("x", 1.0), gradient_at("x", -1.0), gradient_at("x", 1.0)),
    ),
    row("erf", *_unary("tf.math.erf tf.erf", "ops.erf"), graph="Erf", transfer=rising(math.erf),
        attained=lambda x, attrs: Interval(-1.0, 1.0) if x is None else x.rising(math.erf),
        reason="an error function, which saturates at -1 and 1", saturates=True),
    row("erfc", *_unary("tf.math.erfc tf.erfc"), graph="Erfc", transfer=falling(math.erfc),
        attained=lambda x, attrs: Interval(0.0, 2.0) if x is None else x.falling(math.erfc),
        reason="a complementary error function, which saturates at 0 and 2", saturates=True),
    row("floor", *_unary("tf.floor tf.math.floor", "ops.floor"), graph="Floor",
        transfer=rising(lambda v: v if math.isinf(v) else math.floor(v)), blocked=("*",)),
    row("ceil", *_unary("tf.math.ceil tf.ceil", "ops.ceil"), graph="Ceil",
        transfer=rising(lambda v: v if math.isinf(v) else math.ceil(v)), blocked=("*",)),
    row("round", *_unary("tf.round tf.math.round", "ops.round", "K.round"), graph="Round",
        transfer=rising(lambda v: v if math.isinf(v) else round(v)), blocked=("*",)),
    row("lgamma", *_unary("tf.math.lgamma tf.lgamma"), graph="Lgamma", breaks=(value_at("x", 0.0),)),
    row("digamma", *_unary("tf.math.digamma tf.digamma"), graph="Digamma", breaks=(value_at("x", 0.0),)),
    # Activations.
    row(
        "sigmoid",
        *_unary("tf.sigmoid tf.math.sigmoid tf.nn.sigmoid", "ops.sigmoid", "K.sigmoid"),
        spelled("keras.activations.sigmoid", "x"),
        graph="Sigmoid",
        transfer=rising(lambda v: 0.0 if v < -700 else 1 / (1 + math.exp(-v))),
        attained=lambda x, attrs: UNIT if x is None else x.rising(lambda v: 0.0 if v < -700 else 1 / (1 + math.exp(-v))),
        reason="a sigmoid, which saturates at 0 and 1",
        saturates=True,
    ),
    row(
        "log_sigmoid",
        spelled("tf.math.log_sigmoid tf.log_sigmoid", "x name"),
        spelled("ops.log_sigmoid keras.activations.log_sigmoid", "x"),
        transfer=rising(lambda v: v if v < -700 else -math.log1p(math.exp(-v))),
        reason="a log-sigmoid",
    ),
    row(
        "softplus",
        spelled("tf.nn.softplus tf.math.softplus", "x:features name"),
        spelled("ops.softplus K.softplus keras.activations.softplus", "x"),
        graph="Softplus",
        transfer=rising(lambda v: v if v > 700 else math.log1p(math.exp(v))),
        reason="a softplus",
    ),
    row(
        "relu",
        spelled("tf.nn.relu", "x:features name"),
        spelled("ops.relu", "x"),
        graph="Relu",
        transfer=rising(lambda v: max(v, 0.0)),
        attained=lambda x, attrs: Interval.point(0.0) if x is None else x.rising(lambda v: max(v, 0.0)),
        reason="a ReLU, 0 for every negative input",
    ),
    row(
        "relu6",
        spelled("tf.nn.relu6", "x:features name"),
        spelled("ops.relu6 keras.activations.relu6", "x"),
        graph="Relu6",
        transfer=rising(lambda v: min(max(v, 0.0), 6.0)),
        attained=always(0.0, 6.0),
        reason="a ReLU6, 0 for every negative input",
    ),
    row(
        "leaky_relu",
        spelled("tf.nn.leaky_relu", "x:features alpha name"),
        spelled("ops.leaky_relu", "x alpha:negative_slope"),
        graph="LeakyRelu",
        attrs={"alpha": None},
        transfer=lambda x, attrs: x.rising(lambda v: max(v, v * _slope(attrs))) if 0 <= _slope(attrs) <= 1 else UNKNOWN,
    ),
    row("elu", spelled("tf.nn.elu", "x:features name"), graph="Elu",
        transfer=rising(lambda v: v if v > 0 else math.expm1(v)),
        attained=lambda x, attrs: Interval.point(-1.0) if x is None else x.rising(lambda v: v if v > 0 else math.expm1(v)),
        reason="an ELU, which saturates at -1", saturates=True),
    row("selu", spelled("tf.nn.selu", "x:features name"), spelled("ops.selu keras.activations.selu", "x"), graph="Selu",
        transfer=bounded(-1.7580993408473766, INF), reason="a SELU"),
    row("hard_sigmoid", spelled("ops.hard_sigmoid keras.activations.hard_sigmoid K.hard_sigmoid", "x"),
        transfer=bounded(0.0, 1.0), attained=always(0.0, 1.0), reason="a hard sigmoid, exactly 0 and 1 outside [-3, 3]"),
    row("is_nan", *_unary("tf.math.is_nan tf.is_nan", "ops.isnan"), graph="IsNan",
        transfer=bounded(0.0, 1.0), blocked=("*",), same_dtype=False),
    row("is_inf", *_unary("tf.math.is_inf tf.is_inf", "ops.isinf"), graph="IsInf",
        transfer=bounded(0.0, 1.0), blocked=("*",), same_dtype=False),
    row("is_finite", *_unary("tf.math.is_finite tf.is_finite", "ops.isfinite"), graph="IsFinite",
        transfer=bounded(0.0, 1.0), blocked=("*",), same_dtype=False),
    row("logical_not", *_unary("tf.logical_not tf.math.logical_not", "ops.logical_not"), graph="LogicalNot",
        transfer=bounded(0.0, 1.0), blocked=("*",), same_dtype=False),
)


def _slope(attrs: Attributes) -> float:
    """The slope of a leaky ReLU; TensorFlow's default where the call gives none."""
    alpha = attrs.get("alpha")
    return float(alpha) if isinstance(alpha, (int, float)) else 0.2
