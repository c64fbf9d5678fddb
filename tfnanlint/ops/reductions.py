"""Reductions over axes: sums, means, extremes, deviations, norms, running sums and products."""

from __future__ import annotations

from typing import Any

from tfnanlint.interval import INF, NON_NEGATIVE, UNKNOWN, Interval
from tfnanlint.ops.numeric import Kernels, Tape, composed, np
from tfnanlint.ops.numeric import value_of as array_of
from tfnanlint.ops.row import (
    CONSTANT,
    EMPTY,
    EVERY,
    Attributes,
    Break,
    Op,
    Spelling,
    bounded,
    gradient_at,
    gradient_of,
    row,
    same,
    spelled,
    value_of,
)

kernels = Kernels("reductions")

AXIS = {"axis": None, "keepdims": False}
ZERO = Interval.point(0.0)


def _reduction(names: str, keras: str = "", numpy: str = "") -> tuple[Spelling, ...]:
    """The spellings of a reduction, older keyword names included."""
    older = " | axis:reduction_indices keepdims:keep_dims"
    found = [spelled(names, "x:input_tensor axis keepdims name" + older)] if names else []
    if keras:
        found.append(spelled(keras, "x axis keepdims"))
    if numpy:
        found.append(spelled(numpy, "x:a axis | keepdims"))
    return tuple(found)


def _reduced(name: str, *spellings: Spelling, **rest: Any) -> Op:
    return row(name, *spellings, attrs=AXIS, elementwise=False, **rest)


def _question(name: str, *spellings: Spelling, **rest: Any) -> Op:
    return _reduced(
        name, *spellings, takes={"x": "bool"}, transfer=bounded(0.0, 1.0), blocked=("*",), same_dtype=False, **rest
    )


def _index(name: str, tensorflow: str, keras: str, numpy: str, **rest: Any) -> Op:
    return row(
        name,
        spelled(tensorflow, "x:input axis | output_type name axis:dimension"),
        spelled(keras, "x axis | keepdims"),
        spelled(f"K.{name}", "x axis=-1"),
        spelled(numpy, "x:a axis"),
        attrs={"axis": None, "output_type": None, "keepdims": False},
        transfer=bounded(0.0, INF),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        **rest,
    )


def _sum(x: Interval, attrs: Attributes) -> Interval:
    """A sum of at least one term; how many there are is not known."""
    return Interval(x.lo if x.lo >= 0 else -INF, x.hi if x.hi <= 0 else INF)


def _running_sum(x: Interval, attrs: Attributes) -> Interval:
    """A sum of perhaps no terms."""
    return _sum(x, attrs).hull(ZERO) if attrs.get("exclusive") else _sum(x, attrs)


LEAST_SQUARED = 2.0**-63
"""The square of anything smaller is flushed to 0 in float32."""


def _norm(x: Interval, attrs: Attributes) -> Interval:
    """A norm is computed from squares, which may underflow."""
    least = x.abs().lo
    return Interval(least if least >= LEAST_SQUARED else 0.0, INF)


def _prod(x: Interval, attrs: Attributes) -> Interval:
    if x.lo >= 0 and x.hi <= 1:
        return Interval(1.0 if x.lo == 1 else 0.0, x.hi)
    if x.lo >= 1:
        return Interval(x.lo, INF)
    return NON_NEGATIVE if x.lo >= 0 else UNKNOWN


def _running_prod(x: Interval, attrs: Attributes) -> Interval:
    return _prod(x, attrs).hull(Interval.point(1.0)) if attrs.get("exclusive") else _prod(x, attrs)


RUNNING = {"axis": None, "exclusive": False, "reverse": False, "dtype": None}


def _running(name: str, tensorflow: str, **rest: Any) -> Op:
    return row(
        name,
        spelled(tensorflow, "x axis=0 exclusive reverse name"),
        spelled(f"ops.{name}", "x axis | dtype"),
        spelled(f"K.{name}", "x axis=0"),
        spelled(f"tnp.{name}", "x:a axis dtype"),
        attrs=RUNNING,
        elementwise=False,
        **rest,
    )


def _logsumexp_steps(t: Tape, x: Any, axis: Any, keepdims: bool) -> Any:
    """No gradient passes through the maximum; where that is infinite, nothing is subtracted."""
    highest = array_of(t.reduce_max(x, axis=axis, keepdims=True))
    highest = np.where(np.isfinite(highest), highest, np.zeros_like(highest))
    summed = t.log(t.reduce_sum(t.exp(t.subtract(x, highest)), axis=axis, keepdims=keepdims))
    return t.add(summed, highest.reshape(np.shape(array_of(summed))))


def _variance_steps(t: Tape, x: Any, axis: Any, keepdims: bool) -> Any:
    deviations = t.subtract(x, t.reduce_mean(x, axis=axis, keepdims=True))
    return t.reduce_mean(t.square(deviations), axis=axis, keepdims=keepdims)


def _norm_steps(t: Tape, x: Any, ord: Any, order: Any, axis: Any, keepdims: bool) -> Any:
    """TensorFlow's `ord`, or what Keras calls so: a norm of vectors, or of matrices where there are two axes."""
    kind = ord if order is None else order
    pair = isinstance(axis, (tuple, list)) and len(axis) == 2
    if kind in ("euclidean", "fro", None) or (kind == 2 and not pair):
        return t.sqrt(t.reduce_sum(t.multiply(x, x), axis=axis, keepdims=keepdims))
    if isinstance(kind, str) or (pair and kind not in (1, INF)):
        raise ValueError(f"no norm of order {kind!r} is computed here")
    sizes = t.abs(x)
    if pair:
        within, across = axis if kind == 1 else axis[::-1]
        found = t.reduce_max(t.reduce_sum(sizes, axis=within, keepdims=True), axis=across, keepdims=True)
        return found if keepdims else t.squeeze(found, axis=axis)
    if kind == INF:
        return t.reduce_max(sizes, axis=axis, keepdims=keepdims)
    if kind == 1:
        return t.reduce_sum(sizes, axis=axis, keepdims=keepdims)
    return t.pow(t.reduce_sum(t.pow(sizes, kind), axis=axis, keepdims=keepdims), 1.0 / kind)


NO_MEAN = (value_of("x", EMPTY),)

ROWS: tuple[Op, ...] = (
    _reduced(
        "reduce_sum",
        *_reduction("tf.reduce_sum tf.math.reduce_sum", "ops.sum K.sum", "tnp.sum"),
        graph="Sum",
        transfer=_sum,
        reason="a sum",
        run=kernels.sum_of,
        pull=kernels.pull_sum,
    ),
    _reduced(
        "reduce_mean",
        *_reduction("tf.reduce_mean tf.math.reduce_mean", "ops.mean K.mean", "tnp.mean"),
        graph="Mean",
        transfer=same,
        reason="a mean",
        breaks=NO_MEAN,
        run=kernels.mean_of,
        pull=kernels.pull_mean,
    ),
    _reduced(
        "reduce_max",
        *_reduction("tf.reduce_max tf.math.reduce_max", "ops.max ops.amax K.max", "tnp.max tnp.amax"),
        graph="Max",
        transfer=same,
        reason="a maximum",
        breaks=(value_of("x", EMPTY),),
        run=kernels.max_of,
        pull=kernels.pull_extreme,
    ),
    _reduced(
        "reduce_min",
        *_reduction("tf.reduce_min tf.math.reduce_min", "ops.min ops.amin K.min", "tnp.min tnp.amin"),
        graph="Min",
        transfer=same,
        reason="a minimum",
        breaks=(value_of("x", EMPTY),),
        run=kernels.min_of,
        pull=kernels.pull_extreme,
    ),
    _reduced(
        "reduce_prod",
        *_reduction("tf.reduce_prod tf.math.reduce_prod", "ops.prod K.prod", "tnp.prod"),
        graph="Prod",
        transfer=_prod,
        reason="a product",
        run=kernels.prod_of,
        pull=kernels.pull_prod,
    ),
    _question(
        "reduce_any",
        *_reduction("tf.reduce_any tf.math.reduce_any", "ops.any K.any", "tnp.any"),
        graph="Any",
        run=kernels.any_of,
    ),
    _question(
        "reduce_all",
        *_reduction("tf.reduce_all tf.math.reduce_all", "ops.all K.all", "tnp.all"),
        graph="All",
        run=kernels.all_of,
    ),
    _reduced(
        "reduce_logsumexp",
        *_reduction("tf.reduce_logsumexp tf.math.reduce_logsumexp", "ops.logsumexp"),
        transfer=lambda x, attrs: Interval(x.lo, INF),
        reason="a log-sum-exp",
        breaks=(value_of("x", EMPTY),),
        **composed(_logsumexp_steps),
    ),
    _reduced(
        "reduce_std",
        *_reduction("tf.math.reduce_std", "ops.std K.std", "tnp.std"),
        late=True,
        transfer=bounded(0.0, INF),
        reason="a standard deviation, 0 when all elements are equal",
        breaks=(gradient_of("x", CONSTANT), value_of("x", EMPTY)),
        keeps_zero=True,
        **composed(lambda t, x, axis, keepdims: t.sqrt(t.reduce_variance(x, axis=axis, keepdims=keepdims))),
    ),
    _reduced(
        "reduce_variance",
        *_reduction("tf.math.reduce_variance", "ops.var K.var", "tnp.var"),
        late=True,
        transfer=bounded(0.0, INF),
        reason="a variance, 0 when all elements are equal",
        breaks=NO_MEAN,
        **composed(_variance_steps),
    ),
    _reduced(
        "ptp",
        *_reduction("", "ops.ptp", "tnp.ptp"),
        transfer=bounded(0.0, INF),
        reason="a maximum minus a minimum, 0 when all elements are equal",
        breaks=(
            Break(
                "x",
                "value",
                -INF,
                INF,
                EMPTY,
                untold="in a trace its maximum and minimum are ops of their own, and those are reported",
            ),
        ),
        **composed(lambda t, x, **attrs: t.subtract(t.reduce_max(x, **attrs), t.reduce_min(x, **attrs))),
    ),
    _reduced(
        "median",
        *_reduction("", "ops.median"),
        transfer=same,
        reason="a median",
        **kernels.both("median"),
    ),
    row(
        "norm",
        spelled("tf.norm tf.linalg.norm", "x:tensor ord axis keepdims name | keepdims:keep_dims"),
        # Keras's `ord=2` without an axis is the spectral norm of a matrix: another parameter, one where they agree.
        spelled("ops.norm ops.linalg.norm", "x order:ord axis keepdims"),
        attrs={"ord": "euclidean", "order": None, **AXIS},
        transfer=_norm,
        elementwise=False,
        reason="a norm, 0 for a zero vector",
        breaks=(gradient_at("x", 0.0, of=EVERY),),
        keeps_zero=True,  # a square root does; other orders than the Euclidean do not,
        **composed(_norm_steps),
    ),
    _reduced(
        "reduce_euclidean_norm",
        *_reduction("tf.math.reduce_euclidean_norm"),
        late=True,
        graph="EuclideanNorm",
        transfer=_norm,
        reason="a norm, 0 for a zero vector",
        breaks=(gradient_at("x", 0.0, of=EVERY),),
        **kernels.both("euclidean_norm"),
    ),
    row(
        "count_nonzero",
        spelled(
            "tf.math.count_nonzero tf.count_nonzero",
            "x:input axis keepdims dtype name | x:input_tensor axis:reduction_indices keepdims:keep_dims",
        ),
        spelled("ops.count_nonzero", "x axis"),
        spelled("tnp.count_nonzero", "x:a axis"),
        attrs={**AXIS, "dtype": None},
        transfer=bounded(0.0, INF),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        reason="a count, 0 when nothing is selected",
        run=kernels.count_nonzero,
    ),
    row(
        "zero_fraction",
        spelled("tf.math.zero_fraction tf.nn.zero_fraction", "x:value name"),
        transfer=bounded(0.0, 1.0),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        run=kernels.zero_fraction,
    ),
    _index("argmax", "tf.argmax tf.math.argmax", "ops.argmax", "tnp.argmax", graph="ArgMax", run=kernels.argmax),
    _index("argmin", "tf.argmin tf.math.argmin", "ops.argmin", "tnp.argmin", graph="ArgMin", run=kernels.argmin),
    _running(
        "cumsum",
        "tf.cumsum tf.math.cumsum",
        graph="Cumsum",
        transfer=_running_sum,
        **kernels.both("cumsum"),
    ),
    _running(
        "cumprod",
        "tf.math.cumprod tf.cumprod",
        graph="Cumprod",
        transfer=_running_prod,
        **kernels.both("cumprod"),
    ),
    row(
        "cumulative_logsumexp",
        spelled("tf.math.cumulative_logsumexp", "x axis exclusive reverse name"),
        graph="CumulativeLogsumexp",
        attrs={"axis": 0, "exclusive": False, "reverse": False},
        transfer=lambda x, attrs: UNKNOWN if attrs.get("exclusive") else Interval(x.lo, INF),
        elementwise=False,
        reason="a log-sum-exp",
        **kernels.both("cumulative_logsumexp"),
    ),
)
