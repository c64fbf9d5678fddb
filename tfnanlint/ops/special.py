"""Special functions: the gamma family, the error functions and their inverses, Bessel functions."""

from __future__ import annotations

import math

from tfnanlint.interval import INF, NON_NEGATIVE, UNKNOWN, Interval
from tfnanlint.ops.row import (
    INTEGER,
    Attributes,
    Break,
    Op,
    binary,
    bounded,
    falling,
    rising,
    row,
    saturating,
    spelled,
    unary,
    value_at,
    value_from,
    value_up_to,
)

POLES = Break("x", "value", -INF, 0.0, INTEGER)
"""The gamma function has a pole at 0 and at every negative integer."""
ABOVE_ONE = 1 + 2.0**-23
BELOW_ZERO = -(2.0**-126)
LOWEST_LOG_GAMMA = -0.12148629
"""The value of log gamma at its minimum, near 1.46."""


def _of_positive(function, infinite: bool):
    """A Bessel function of the second kind, which is defined above 0 only."""
    return Interval(0.0, INF) if infinite else UNKNOWN


def _bessel(name: str, transfer=None, breaks: tuple[Break, ...] = ()) -> Op:
    names = f"tf.math.{name} tf.math.special.{name}" if name in ("bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e") else f"tf.math.special.{name}"
    graph = "".join(part.capitalize() for part in name.split("_"))
    return row(name, *unary(names), graph=graph, transfer=transfer, breaks=breaks)


ROWS: tuple[Op, ...] = (
    row("lgamma", *unary("tf.math.lgamma tf.lgamma"), graph="Lgamma", breaks=(POLES,),
        transfer=lambda x, attrs: Interval(LOWEST_LOG_GAMMA, INF) if x.lo >= 0 else UNKNOWN),
    row("digamma", *unary("tf.math.digamma tf.digamma"), graph="Digamma", breaks=(POLES,)),
    row("polygamma", spelled("tf.math.polygamma tf.polygamma", "a x name"), graph="Polygamma", operands="a x"),
    row("zeta", spelled("tf.math.zeta tf.zeta", "x q name"), graph="Zeta", operands="x q"),
    row("igamma", spelled("tf.math.igamma tf.igamma", "a x name"), graph="Igamma", operands="a x", transfer=bounded(0.0, 1.0)),
    row("igammac", spelled("tf.math.igammac tf.igammac", "a x name"), graph="Igammac", operands="a x", transfer=bounded(0.0, 1.0)),
    row("betainc", spelled("tf.math.betainc tf.betainc", "a b x name"), graph="Betainc", operands="a b x",
        transfer=bounded(0.0, 1.0)),
    row("lbeta", spelled("tf.math.lbeta tf.lbeta", "x name"), elementwise=False),
    row("erf", *unary("tf.math.erf tf.erf", "ops.erf"), graph="Erf", transfer=rising(math.erf),
        attained=saturating(math.erf, -1.0, 1.0), reason="an error function, which saturates at -1 and 1", saturates=True),
    row("erfc", *unary("tf.math.erfc tf.erfc", "ops.erfc"), graph="Erfc", transfer=falling(math.erfc),
        attained=lambda x, attrs: Interval(0.0, 2.0) if x is None else x.falling(math.erfc),
        reason="a complementary error function, which saturates at 0 and 2", saturates=True),
    row("erfinv", *unary("tf.math.erfinv", "ops.erfinv"), graph="Erfinv",
        breaks=(value_up_to("x", -1.0), value_from("x", 1.0))),
    row("erfcinv", *unary("tf.math.erfcinv"), breaks=(value_up_to("x", 0.0), value_from("x", 2.0))),
    row("ndtri", *unary("tf.math.ndtri"), graph="Ndtri", breaks=(value_up_to("x", 0.0), value_from("x", 1.0))),
    _bessel("bessel_i0"),
    _bessel("bessel_i0e"),
    _bessel("bessel_i1"),
    _bessel("bessel_i1e"),
    _bessel("bessel_k0"),
    _bessel("bessel_k0e"),
    _bessel("bessel_k1"),
    _bessel("bessel_k1e"),
    _bessel("bessel_j0"),
    _bessel("bessel_j1"),
    _bessel("bessel_y0"),
    _bessel("bessel_y1"),
    row("expint", *unary("tf.math.special.expint"), graph="Expint"),
    row("dawsn", *unary("tf.math.special.dawsn"), graph="Dawsn"),
    row("spence", *unary("tf.math.special.spence"), graph="Spence"),
)
