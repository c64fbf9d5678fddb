"""Special functions: those around the gamma function, the error functions and their inverses, Bessel functions."""

from __future__ import annotations

import math

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.numeric import Kernels, composed, np
from tfnanlint.ops.row import (
    FRACTION,
    INTEGER,
    Break,
    Op,
    bounded,
    falling,
    gradient_at,
    rising,
    row,
    spelled,
    unary,
    value_from,
    value_up_to,
)

kernels = Kernels("special")

POLES = Break("x", "value", -INF, 0.0, INTEGER)
"""The gamma function has a pole at 0 and at every negative integer."""
BELOW_ONE = 1 - 2.0**-24
LOWEST_LOG_GAMMA = -0.12148629
"""The value of log gamma at its minimum, near 1.46."""
LARGEST_EXPONENT = math.log(float.fromhex("0x1.fffffep127"))
OVERFLOWS = (value_up_to("x", -LARGEST_EXPONENT), value_from("x", LARGEST_EXPONENT))
"""The Bessel functions of the first kind with imaginary argument are computed as a multiple of exp(|x|)."""
SHAPES = "programs keep the parameters of a distribution positive, and draw or clip its argument"
"""Why no rule reports the ends of the domain of the distribution functions."""
SERIES = "the order is a literal, and the other argument is not data"
"""Why no rule reports the poles of the zeta and polygamma functions."""
INCOMPLETE = "its value and the gradient of its shape are series and continued fractions of a hundred terms"
"""Why the distribution functions do not run."""
NEGATIVE = -(2.0**-126)


def _gamma_part(name: str, of_no_shape: bool) -> Op:
    """A regularised incomplete gamma function: the share of a gamma distribution below, or above, a point."""
    no_shape = value_up_to("a", 0.0, given={} if of_no_shape else {"x": Interval(-NEGATIVE, INF)}, untold=SHAPES)
    return row(
        name,
        spelled(f"tf.math.{name} tf.{name}", "a x name"),
        opaque=INCOMPLETE,
        graph=name.capitalize(),
        operands="a x",
        transfer=bounded(0.0, 1.0),
        breaks=(
            no_shape,
            value_up_to("x", NEGATIVE, untold=SHAPES),
            gradient_at("x", 0.0, given={"a": Interval(-INF, 1.0)}, untold=SHAPES),
        ),
    )


ROWS: tuple[Op, ...] = (
    _gamma_part("igamma", of_no_shape=False),
    _gamma_part("igammac", of_no_shape=True),
    row(
        "betainc",
        spelled("tf.math.betainc tf.betainc", "a b x name"),
        graph="Betainc",
        opaque=INCOMPLETE,
        operands="a b x",
        blocked=("a", "b"),
        transfer=bounded(0.0, 1.0),
        breaks=(
            value_up_to("a", 0.0, untold=SHAPES),
            value_up_to("b", 0.0, untold=SHAPES),
            value_up_to("x", NEGATIVE, untold=SHAPES),
            value_from("x", 1 + 2.0**-23, untold=SHAPES),
            gradient_at("x", 0.0, given={"a": Interval(-INF, BELOW_ONE)}, untold=SHAPES),
            gradient_at("x", 1.0, given={"b": Interval(-INF, BELOW_ONE)}, untold=SHAPES),
        ),
    ),
    row(
        "zeta",
        spelled("tf.math.zeta tf.zeta", "x q name"),
        graph="Zeta",
        operands="x q",
        blocked=("x",),
        transfer=lambda x, q, attrs: Interval(0.0, INF) if q.lo >= 0 else UNKNOWN,
        breaks=(
            value_up_to("x", 1.0, untold=SERIES),
            Break("q", "value", -INF, 0.0, INTEGER, untold=SERIES),
            value_up_to("q", 0.0, given={"x": FRACTION}, untold=SERIES),
        ),
        run=lambda x, q: kernels.hurwitz(x, q),
        pull=lambda g, y, x, q: (None, -x * kernels.hurwitz(x + 1, q) * g),
    ),
    row(
        "polygamma",
        spelled("tf.math.polygamma tf.polygamma", "a x name"),
        graph="Polygamma",
        operands="a x",
        blocked=("a",),
        breaks=(
            value_up_to("a", -1.0, untold=SERIES),
            Break("x", "value", -INF, INF, given={"a": FRACTION}, untold=SERIES),
            Break("x", "value", -INF, 0.0, INTEGER, untold=SERIES),
        ),
        run=lambda a, x: kernels.polygamma(a, x),
        pull=lambda g, y, a, x: (None, kernels.polygamma(a + 1, x) * g),
    ),
    row(
        "lgamma",
        *unary("tf.math.lgamma tf.lgamma"),
        graph="Lgamma",
        breaks=(POLES,),
        transfer=lambda x, attrs: Interval(LOWEST_LOG_GAMMA, INF) if x.lo >= 0 else UNKNOWN,
        run=lambda x: kernels.each(kernels.log_gamma, x),
        pull=lambda g, y, x: g * kernels.digamma(x),
    ),
    row(
        "digamma",
        *unary("tf.math.digamma tf.digamma"),
        graph="Digamma",
        breaks=(POLES,),
        run=lambda x: kernels.digamma(x),
        pull=lambda g, y, x: g * kernels.polygamma(np.ones_like(x), x),
    ),
    row(
        "erf",
        *unary("tf.math.erf tf.erf", "ops.erf"),
        graph="Erf",
        transfer=rising(math.erf),
        reason="an error function, which saturates at -1 and 1",
        run=lambda x: kernels.each(math.erf, x),
        pull=lambda g, y, x: g * (2 / math.sqrt(math.pi)) * np.exp(-np.square(x)),
    ),
    row(
        "erfc",
        *unary("tf.math.erfc tf.erfc", "ops.erfc"),
        graph="Erfc",
        transfer=falling(math.erfc),
        reason="a complementary error function, which saturates at 0 and 2",
        run=lambda x: kernels.each(math.erfc, x),
        pull=lambda g, y, x: g * (-2 / math.sqrt(math.pi)) * np.exp(-np.square(x)),
    ),
    row(
        "erfinv",
        *unary("tf.math.erfinv", "ops.erfinv"),
        graph="Erfinv",
        # It is computed from (x + 1) / 2, which is 1 already for the number below 1.
        breaks=(value_up_to("x", -1.0), value_from("x", BELOW_ONE)),
        run=lambda x: kernels.each(kernels.quantile, (x + 1) / 2) * math.sqrt(0.5),
        pull=lambda g, y, x: g * (math.sqrt(math.pi) / 2) * np.exp(np.square(y)),
    ),
    row(
        "erfcinv",
        *unary("tf.math.erfcinv"),
        breaks=(value_up_to("x", 0.0), value_from("x", 2.0)),
        **composed(lambda t, x: t.multiply(t.ndtri(t.multiply(x, 0.5)), -math.sqrt(0.5))),
    ),
    row(
        "ndtri",
        *unary("tf.math.ndtri"),
        graph="Ndtri",
        breaks=(value_up_to("x", 0.0), value_from("x", 1.0)),
        run=lambda x: kernels.each(kernels.quantile, x),
        pull=lambda g, y, x: g * math.sqrt(2 * math.pi) * np.exp(np.square(y) / 2),
    ),
    row(
        "bessel_i0",
        *unary("tf.math.bessel_i0 tf.math.special.bessel_i0"),
        graph="BesselI0",
        transfer=bounded(1.0, INF),
        breaks=OVERFLOWS,
        run=lambda x: kernels.unscaled_bessel(0, x),
        pull=lambda g, y, x: g * kernels.unscaled_bessel(1, x),
    ),
    row(
        "bessel_i1",
        *unary("tf.math.bessel_i1 tf.math.special.bessel_i1"),
        graph="BesselI1",
        breaks=OVERFLOWS,
        run=lambda x: kernels.unscaled_bessel(1, x),
        pull=lambda g, y, x: g * np.where(x == 0, 1, kernels.unscaled_bessel(0, x) - y / x),
    ),
    row(
        "bessel_i0e",
        *unary("tf.math.bessel_i0e tf.math.special.bessel_i0e"),
        graph="BesselI0e",
        transfer=bounded(0.0, 1.0),
        run=lambda x: kernels.bessel(0, x),
        pull=lambda g, y, x: g * (kernels.bessel(1, x) - np.sign(x) * y),
    ),
    row(
        "bessel_i1e",
        *unary("tf.math.bessel_i1e tf.math.special.bessel_i1e"),
        graph="BesselI1e",
        transfer=bounded(-1.0, 1.0),
        run=lambda x: kernels.bessel(1, x),
        pull=lambda g, y, x: g * np.where(x == 0, 0.5, kernels.bessel(0, x) - y * (np.sign(x) + 1 / x)),
    ),
)
