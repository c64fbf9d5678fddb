"""Trigonometric and hyperbolic functions, and angles."""

from __future__ import annotations

import math
from typing import Any

from tfnanlint.interval import INF, Interval
from tfnanlint.ops.numeric import Array, Kernels, Tape, composed, np
from tfnanlint.ops.row import (
    Attributes,
    Op,
    Spelling,
    binary,
    bounded,
    gradient_at,
    rising,
    row,
    spelled,
    unary,
    value_from,
    value_up_to,
)

kernels = Kernels("activations")

OVERFLOW = math.log(float.fromhex("0x1.fffffep127")) + math.log(2)
"""Where sinh and cosh leave float32."""
BELOW_ONE, ABOVE_ONE = 1 - 2.0**-24, 1 + 2.0**-23
"""The float32 neighbours of 1."""
BEYOND_ONE = (value_up_to("x", -ABOVE_ONE), value_from("x", ABOVE_ONE))
AT_ONE = (gradient_at("x", -1.0), gradient_at("x", 1.0))


def _both(tensorflow: str, others: str) -> tuple[Spelling, ...]:
    """A function that TensorFlow has in two modules, under its own and under NumPy's name."""
    return unary(f"tf.{tensorflow} tf.math.{tensorflow}", f"ops.{others} tnp.{others}")


def _cosh(x: Interval, attrs: Attributes) -> Interval:
    return x.abs().rising(math.cosh)


def _atanh(v: float) -> float:
    return math.copysign(INF, v) if abs(v) >= 1 else math.atanh(v)


def _hypot(x: Interval, y: Interval, attrs: Attributes) -> Interval:
    x, y = x.abs(), y.abs()
    return Interval(math.hypot(x.lo, y.lo), math.hypot(x.hi, y.hi))


def _turned(share: Array, y: Array, x: Array) -> tuple[Array, Array]:
    return x * share, -y * share


def _length(t: Tape, x: Any, y: Any) -> Any:
    """The longer side times what the ratio of the sides makes of it, so that no square overflows."""
    long, short = (pick(t.abs(x), t.abs(y)) for pick in (t.maximum, t.minimum))
    return t.multiply(long, t.sqrt(t.add(1.0, t.square(t.divide_no_nan(short, long)))))


def _sinc_pull(g: Array, y: Array, x: Array) -> Array:
    """The quotient is computed at 0, too, and an incoming 0 does not keep its gradient from being NaN there."""
    angle = math.pi * x.conjugate()
    taken = np.where(x == 0, 0, g)
    return (taken / angle * np.cos(angle) + taken * (-np.sin(angle) / angle / angle)) * math.pi


ROWS: tuple[Op, ...] = (
    row(
        "sin",
        *_both("sin", "sin"),
        *unary("", "K.sin"),
        graph="Sin",
        transfer=bounded(-1.0, 1.0),
        reason="a sine",
        run=lambda x: np.sin(x),
        pull=lambda g, y, x: g * np.cos(x.conjugate()),
    ),
    row(
        "cos",
        *_both("cos", "cos"),
        *unary("", "K.cos"),
        graph="Cos",
        transfer=bounded(-1.0, 1.0),
        reason="a cosine",
        run=lambda x: np.cos(x),
        pull=lambda g, y, x: -g * np.sin(x.conjugate()),
    ),
    row(
        "tan",
        *_both("tan", "tan"),
        graph="Tan",
        run=lambda x: np.tan(x),
        pull=lambda g, y, x: np.square(1 / np.cos(x.conjugate())) * g,
    ),
    row(
        "asin",
        *_both("asin", "arcsin"),
        graph="Asin",
        transfer=bounded(-math.pi / 2, math.pi / 2),
        breaks=(*BEYOND_ONE, *AT_ONE),
        run=lambda x: np.arcsin(x),
        pull=lambda g, y, x: g * (1 / np.sqrt(1 - np.square(x.conjugate()))),
    ),
    row(
        "acos",
        *_both("acos", "arccos"),
        graph="Acos",
        transfer=bounded(0.0, math.pi),
        breaks=(*BEYOND_ONE, *AT_ONE),
        run=lambda x: np.arccos(x),
        pull=lambda g, y, x: -g * (1 / np.sqrt(1 - np.square(x.conjugate()))),
    ),
    row(
        "atan",
        *_both("atan", "arctan"),
        graph="Atan",
        transfer=rising(math.atan),
        run=lambda x: np.arctan(x),
        pull=lambda g, y, x: g * (1 / (1 + np.square(x.conjugate()))),
    ),
    row(
        "atan2",
        spelled("tf.atan2 tf.math.atan2", "y x name"),
        spelled("ops.arctan2 tnp.arctan2", "y:x1 x:x2"),
        graph="Atan2",
        operands="y x",
        transfer=bounded(-math.pi, math.pi),
        breaks=(
            gradient_at("y", 0.0, given={"x": Interval.point(0.0)}),
            gradient_at("x", 0.0, given={"y": Interval.point(0.0)}),
        ),
        run=lambda y, x: np.arctan2(y, x),
        pull=lambda g, angle, y, x: _turned(g / (np.square(y) + np.square(x)), y, x),
    ),
    row(
        "hypot",
        *binary("", "ops.hypot tnp.hypot"),
        operands="x y",
        transfer=_hypot,
        reason="a hypotenuse, 0 when both legs are 0",
        **composed(_length),
    ),
    row(
        "sinh",
        *_both("sinh", "sinh"),
        graph="Sinh",
        transfer=rising(math.sinh),
        breaks=(value_up_to("x", -OVERFLOW), value_from("x", OVERFLOW)),
        run=lambda x: np.sinh(x),
        pull=lambda g, y, x: g * np.cosh(x.conjugate()),
    ),
    row(
        "cosh",
        *_both("cosh", "cosh"),
        graph="Cosh",
        transfer=_cosh,
        breaks=(value_up_to("x", -OVERFLOW), value_from("x", OVERFLOW)),
        run=lambda x: np.cosh(x),
        pull=lambda g, y, x: g * np.sinh(x.conjugate()),
    ),
    row(
        "tanh",
        *unary("tf.tanh tf.math.tanh tf.nn.tanh", "ops.tanh K.tanh tnp.tanh keras.activations.tanh"),
        graph="Tanh",
        transfer=rising(math.tanh),
        reason="a tanh, which saturates at -1 and 1",
        run=lambda x: kernels.tanh(x),
        pull=lambda g, y, x: g * (1 - np.square(y.conjugate())),
    ),
    row(
        "asinh",
        *_both("asinh", "arcsinh"),
        graph="Asinh",
        transfer=rising(math.asinh),
        run=lambda x: np.arcsinh(x),
        pull=lambda g, y, x: g / np.cosh(y.conjugate()),
    ),
    row(
        "acosh",
        *_both("acosh", "arccosh"),
        graph="Acosh",
        transfer=rising(lambda v: math.acosh(max(v, 1.0))),
        breaks=(value_up_to("x", BELOW_ONE), gradient_at("x", 1.0)),
        run=lambda x: np.arccosh(x),
        pull=lambda g, y, x: g / np.sinh(y.conjugate()),
    ),
    row(
        "atanh",
        *_both("atanh", "arctanh"),
        graph="Atanh",
        transfer=rising(_atanh),
        breaks=(value_up_to("x", -1.0), value_from("x", 1.0), *AT_ONE),
        run=lambda x: np.arctanh(x),
        pull=lambda g, y, x: g * (1 / (1 - np.square(x.conjugate()))),
    ),
    row(
        "sinc",
        *unary("", "ops.sinc tnp.sinc"),
        transfer=bounded(-0.2172336282112217, 1.0),
        reason="a sinc",
        breaks=(gradient_at("x", 0.0),),
        run=lambda x: np.where(x == 0, 1, np.sin(math.pi * x) / (math.pi * x)),
        pull=_sinc_pull,
    ),
    row(
        "deg2rad",
        *unary("", "ops.deg2rad tnp.deg2rad"),
        transfer=rising(math.radians),
        run=lambda x: x * (math.pi / 180),
        pull=lambda g, y, x: g * (math.pi / 180),
    ),
    row(
        "rad2deg",
        *unary("", "ops.rad2deg tnp.rad2deg"),
        transfer=rising(math.degrees),
        run=lambda x: x * (180 / math.pi),
        pull=lambda g, y, x: g * (180 / math.pi),
    ),
)
