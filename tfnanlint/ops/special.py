"""Special functions: log gamma and its derivative, the error functions and their inverses, Bessel functions."""

from __future__ import annotations

import math

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.row import (
    INTEGER,
    Break,
    Op,
    bounded,
    falling,
    never,
    rising,
    row,
    saturating,
    unary,
    value_from,
    value_up_to,
)

POLES = Break("x", "value", -INF, 0.0, INTEGER)
"""The gamma function has a pole at 0 and at every negative integer."""
BELOW_ONE = 1 - 2.0**-24
LOWEST_LOG_GAMMA = -0.12148629
"""The value of log gamma at its minimum, near 1.46."""
LARGEST_EXPONENT = math.log(float.fromhex("0x1.fffffep127"))
OVERFLOWS = (value_up_to("x", -LARGEST_EXPONENT), value_from("x", LARGEST_EXPONENT))
"""The Bessel functions of the first kind with imaginary argument are computed as a multiple of exp(|x|)."""

ROWS: tuple[Op, ...] = (
    row(
        "lgamma",
        *unary("tf.math.lgamma tf.lgamma"),
        graph="Lgamma",
        breaks=(POLES,),
        transfer=lambda x, attrs: Interval(LOWEST_LOG_GAMMA, INF) if x.lo >= 0 else UNKNOWN,
    ),
    row("digamma", *unary("tf.math.digamma tf.digamma"), graph="Digamma", breaks=(POLES,)),
    row(
        "erf",
        *unary("tf.math.erf tf.erf", "ops.erf"),
        graph="Erf",
        transfer=rising(math.erf),
        attained=saturating(math.erf, -1.0, 1.0),
        reason="an error function, which saturates at -1 and 1",
        saturates=True,
    ),
    row(
        "erfc",
        *unary("tf.math.erfc tf.erfc", "ops.erfc"),
        graph="Erfc",
        transfer=falling(math.erfc),
        attained=lambda x, attrs: Interval(0.0, 2.0) if x is None else x.falling(math.erfc),
        reason="a complementary error function, which saturates at 0 and 2",
        saturates=True,
    ),
    row(
        "erfinv",
        *unary("tf.math.erfinv", "ops.erfinv"),
        graph="Erfinv",
        # It is computed from (x + 1) / 2, which is 1 already for the number below 1.
        breaks=(value_up_to("x", -1.0), value_from("x", BELOW_ONE)),
    ),
    row("erfcinv", *unary("tf.math.erfcinv"), breaks=(value_up_to("x", 0.0), value_from("x", 2.0))),
    row("ndtri", *unary("tf.math.ndtri"), graph="Ndtri", breaks=(value_up_to("x", 0.0), value_from("x", 1.0))),
    row(
        "bessel_i0",
        *unary("tf.math.bessel_i0 tf.math.special.bessel_i0"),
        graph="BesselI0",
        transfer=bounded(1.0, INF),
        attained=never,
        breaks=OVERFLOWS,
    ),
    row("bessel_i1", *unary("tf.math.bessel_i1 tf.math.special.bessel_i1"), graph="BesselI1", breaks=OVERFLOWS),
    row(
        "bessel_i0e",
        *unary("tf.math.bessel_i0e tf.math.special.bessel_i0e"),
        graph="BesselI0e",
        transfer=bounded(0.0, 1.0),
        attained=never,
    ),
    row(
        "bessel_i1e",
        *unary("tf.math.bessel_i1e tf.math.special.bessel_i1e"),
        graph="BesselI1e",
        transfer=bounded(-1.0, 1.0),
        attained=never,
    ),
)
