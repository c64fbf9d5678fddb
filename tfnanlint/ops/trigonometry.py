"""Trigonometric and hyperbolic functions, and angles."""

from __future__ import annotations

import math

from tfnanlint.interval import INF, Interval
from tfnanlint.ops.row import (
    Attributes,
    Op,
    Spelling,
    binary,
    bounded,
    gradient_at,
    rising,
    row,
    saturating,
    spelled,
    unary,
    value_from,
    value_up_to,
)

OVERFLOW = math.log(float.fromhex("0x1.fffffep127")) + math.log(2)
"""Where sinh and cosh leave float32."""
BELOW_ONE, ABOVE_ONE = 1 - 2.0**-24, 1 + 2.0**-23
"""The float32 neighbours of 1."""
HALF_TURN = math.pi + 1e-6
"""With what rounding adds."""
BEYOND_ONE = (value_up_to("x", -ABOVE_ONE), value_from("x", ABOVE_ONE))
AT_ONE = (gradient_at("x", -1.0), gradient_at("x", 1.0))


def _both(tensorflow: str, others: str) -> tuple[Spelling, ...]:
    """A function that TensorFlow has in two modules, under its own and under NumPy's name."""
    return unary(f"tf.{tensorflow} tf.math.{tensorflow}", f"ops.{others} tnp.{others}")


def _sine_attained(x: Interval | None, attrs: Attributes) -> Interval | None:
    """Of the angles of a half turn, from 0 on."""
    return Interval.point(0.0) if x is not None and x.lo == 0.0 and x.hi <= HALF_TURN else None


def _acos_attained(x: Interval | None, attrs: Attributes) -> Interval | None:
    return x.falling(lambda v: math.acos(min(max(v, -1.0), 1.0))) if x is not None else None


def _cosh(x: Interval, attrs: Attributes) -> Interval:
    return x.abs().rising(math.cosh)


def _atanh(v: float) -> float:
    return math.copysign(INF, v) if abs(v) >= 1 else math.atanh(v)


def _hypot(x: Interval, y: Interval, attrs: Attributes) -> Interval:
    x, y = x.abs(), y.abs()
    return Interval(math.hypot(x.lo, y.lo), math.hypot(x.hi, y.hi))


ROWS: tuple[Op, ...] = (
    row(
        "sin",
        *_both("sin", "sin"),
        *unary("", "K.sin"),
        graph="Sin",
        transfer=bounded(-1.0, 1.0),
        attained=_sine_attained,
        reason="a sine",
    ),
    row("cos", *_both("cos", "cos"), *unary("", "K.cos"), graph="Cos", transfer=bounded(-1.0, 1.0), reason="a cosine"),
    row("tan", *_both("tan", "tan"), graph="Tan"),
    row(
        "asin",
        *_both("asin", "arcsin"),
        graph="Asin",
        transfer=bounded(-math.pi / 2, math.pi / 2),
        breaks=(*BEYOND_ONE, *AT_ONE),
    ),
    row(
        "acos",
        *_both("acos", "arccos"),
        graph="Acos",
        transfer=bounded(0.0, math.pi),
        attained=_acos_attained,
        breaks=(*BEYOND_ONE, *AT_ONE),
    ),
    row("atan", *_both("atan", "arctan"), graph="Atan", transfer=rising(math.atan)),
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
    ),
    row(
        "hypot",
        *binary("", "ops.hypot tnp.hypot"),
        operands="x y",
        transfer=_hypot,
        reason="a length, 0 when both sides are",
    ),
    row(
        "sinh",
        *_both("sinh", "sinh"),
        graph="Sinh",
        transfer=rising(math.sinh),
        breaks=(value_up_to("x", -OVERFLOW), value_from("x", OVERFLOW)),
    ),
    row(
        "cosh",
        *_both("cosh", "cosh"),
        graph="Cosh",
        transfer=_cosh,
        breaks=(value_up_to("x", -OVERFLOW), value_from("x", OVERFLOW)),
    ),
    row(
        "tanh",
        *unary("tf.tanh tf.math.tanh tf.nn.tanh", "ops.tanh K.tanh tnp.tanh keras.activations.tanh"),
        graph="Tanh",
        transfer=rising(math.tanh),
        attained=saturating(math.tanh, -1.0, 1.0),
        reason="a tanh, which saturates at -1 and 1",
        saturates=True,
    ),
    row("asinh", *_both("asinh", "arcsinh"), graph="Asinh", transfer=rising(math.asinh)),
    row(
        "acosh",
        *_both("acosh", "arccosh"),
        graph="Acosh",
        transfer=rising(lambda v: math.acosh(max(v, 1.0))),
        breaks=(value_up_to("x", BELOW_ONE), gradient_at("x", 1.0)),
    ),
    row(
        "atanh",
        *_both("atanh", "arctanh"),
        graph="Atanh",
        transfer=rising(_atanh),
        breaks=(value_up_to("x", -1.0), value_from("x", 1.0), *AT_ONE),
    ),
    row(
        "sinc",
        *unary("", "ops.sinc tnp.sinc"),
        transfer=bounded(-0.2172336282112217, 1.0),
        reason="a sinc",
        breaks=(gradient_at("x", 0.0),),
    ),
    row("deg2rad", *unary("", "ops.deg2rad tnp.deg2rad"), transfer=rising(math.radians)),
    row("rad2deg", *unary("", "ops.rad2deg tnp.rad2deg"), transfer=rising(math.degrees)),
)
