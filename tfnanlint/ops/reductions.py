"""Reductions over axes, the norms and deviations made of them, and products of matrices."""

from __future__ import annotations



from tfnanlint.interval import INF, NON_NEGATIVE, UNKNOWN, Interval
from tfnanlint.ops.row import Attributes, Op, Spelling, always, bounded, row, same, spelled

AXIS = {"axis": None, "keepdims": False}
ZERO = Interval.point(0.0)


def _reduction(names: str, keras: str = "", backend: str = "") -> tuple[Spelling, ...]:
    """The spellings of a reduction, older keyword names included."""
    found = [spelled(names, "x:input_tensor axis keepdims name | axis:reduction_indices keepdims:keep_dims")]
    if keras:
        found.append(spelled(keras, "x axis keepdims"))
    if backend:
        found.append(spelled(backend, "x axis keepdims"))
    return tuple(found)


def _sum(x: Interval, attrs: Attributes) -> Interval:
    """A sum of at least one term; how many there are is not known."""
    return Interval(x.lo if x.lo >= 0 else -INF, x.hi if x.hi <= 0 else INF)


def _sum_attained(x: Interval | None, attrs: Attributes) -> Interval | None:
    """All terms are 0 together where 0 is a bound that terms attain."""
    return ZERO if x is not None and 0.0 in (x.lo, x.hi) else None


def _mean_attained(x: Interval | None, attrs: Attributes) -> Interval | None:
    """A mean attains what all its terms attain together."""
    return ZERO if x is not None and 0.0 in (x.lo, x.hi) else None


def _norm(x: Interval, attrs: Attributes) -> Interval:
    return Interval(x.abs().lo, INF)


def _prod(x: Interval, attrs: Attributes) -> Interval:
    if 0 <= x.lo and x.hi <= 1:
        return Interval(0.0, x.hi)
    if x.lo >= 1:
        return Interval(1.0, INF)
    return NON_NEGATIVE if x.lo >= 0 else UNKNOWN


ROWS: tuple[Op, ...] = (
    row("reduce_sum", *_reduction("tf.reduce_sum tf.math.reduce_sum", "ops.sum", "K.sum"), graph="Sum", attrs=AXIS,
        transfer=_sum, attained=_sum_attained, elementwise=False, reason="a sum"),
    row("reduce_mean", *_reduction("tf.reduce_mean tf.math.reduce_mean", "ops.mean", "K.mean"), graph="Mean", attrs=AXIS,
        transfer=same, attained=_mean_attained, elementwise=False, reason="a mean"),
    row("reduce_max", *_reduction("tf.reduce_max tf.math.reduce_max", "ops.max ops.amax", "K.max"), graph="Max",
        attrs=AXIS, transfer=same, elementwise=False, reason="a maximum"),
    row("reduce_min", *_reduction("tf.reduce_min tf.math.reduce_min", "ops.min ops.amin", "K.min"), graph="Min",
        attrs=AXIS, transfer=same, elementwise=False, reason="a minimum"),
    row("reduce_prod", *_reduction("tf.reduce_prod tf.math.reduce_prod", "ops.prod", "K.prod"), graph="Prod",
        attrs=AXIS, transfer=_prod, elementwise=False, reason="a product"),
    row("reduce_any", *_reduction("tf.reduce_any tf.math.reduce_any", "ops.any"), graph="Any", attrs=AXIS,
        transfer=bounded(0.0, 1.0), blocked=("*",), elementwise=False, same_dtype=False),
    row("reduce_all", *_reduction("tf.reduce_all tf.math.reduce_all", "ops.all"), graph="All", attrs=AXIS,
        transfer=bounded(0.0, 1.0), blocked=("*",), elementwise=False, same_dtype=False),
    row("reduce_logsumexp", *_reduction("tf.reduce_logsumexp tf.math.reduce_logsumexp", "ops.logsumexp"), attrs=AXIS,
        transfer=lambda x, attrs: Interval(x.lo, INF), elementwise=False, reason="a log-sum-exp"),
    row("reduce_std", *_reduction("tf.math.reduce_std", "ops.std", "K.std"), attrs=AXIS,
        transfer=lambda x, attrs: NON_NEGATIVE, attained=always(0.0, 0.0), elementwise=False,
        reason="a standard deviation, 0 when all elements are equal"),
    row("reduce_variance", *_reduction("tf.math.reduce_variance", "ops.var", "K.var"), attrs=AXIS,
        transfer=lambda x, attrs: NON_NEGATIVE, attained=always(0.0, 0.0), elementwise=False,
        reason="a variance, 0 when all elements are equal"),
    row(
        "norm",
        spelled("tf.norm tf.linalg.norm", "x:tensor ord axis keepdims name | keepdims:keep_dims"),
        spelled("ops.norm ops.linalg.norm", "x ord axis keepdims"),
        attrs={"ord": "euclidean", **AXIS},
        transfer=_norm,
        attained=always(0.0, 0.0),
        elementwise=False,
        reason="a norm, 0 when every component is",
    ),
    row("reduce_euclidean_norm", *_reduction("tf.math.reduce_euclidean_norm"), graph="EuclideanNorm", attrs=AXIS,
        transfer=_norm, attained=always(0.0, 0.0), elementwise=False,
        reason="a norm, 0 when every component is"),
    row("count_nonzero", spelled("tf.math.count_nonzero", "x:input axis keepdims dtype name"),
        spelled("ops.count_nonzero", "x axis"), attrs={**AXIS, "dtype": None},
        transfer=bounded(0.0, INF), attained=always(0.0, 0.0), blocked=("*",), elementwise=False, same_dtype=False,
        reason="a count, 0 when nothing is selected"),
    row("argmax", spelled("tf.argmax tf.math.argmax", "x:input axis output_type name | axis:dimension"),
        spelled("ops.argmax K.argmax", "x axis"), graph="ArgMax", attrs={"axis": None, "output_type": None},
        transfer=bounded(0.0, INF), blocked=("*",), elementwise=False, same_dtype=False),
    row("argmin", spelled("tf.argmin tf.math.argmin", "x:input axis output_type name | axis:dimension"),
        spelled("ops.argmin K.argmin", "x axis"), graph="ArgMin", attrs={"axis": None, "output_type": None},
        transfer=bounded(0.0, INF), blocked=("*",), elementwise=False, same_dtype=False),
    row("cumsum", spelled("tf.cumsum tf.math.cumsum", "x axis exclusive reverse name"), spelled("ops.cumsum", "x axis"),
        graph="Cumsum", attrs={"axis": 0, "exclusive": False, "reverse": False}, transfer=_sum, elementwise=False),
    row("cumprod", spelled("tf.math.cumprod tf.cumprod", "x axis exclusive reverse name"), spelled("ops.cumprod", "x axis"),
        graph="Cumprod", attrs={"axis": 0, "exclusive": False, "reverse": False}, transfer=_prod, elementwise=False),
    row("matmul", spelled("tf.matmul tf.linalg.matmul", "x:a y:b transpose_a transpose_b adjoint_a adjoint_b"),
        spelled("ops.matmul ops.dot", "x:x1 y:x2"), spelled("K.dot", "x y"), graph="MatMul BatchMatMulV2 BatchMatMul",
        operands="x y", attrs={"transpose_a": False, "transpose_b": False, "adjoint_a": False, "adjoint_b": False},
        transfer=lambda x, y, attrs: _sum(x * y, attrs), attained=lambda x, y, attrs: None, elementwise=False),
    row("det", spelled("tf.linalg.det", "x:input name"), spelled("ops.det", "x"), graph="MatrixDeterminant",
        elementwise=False),
    row("slogdet", spelled("tf.linalg.slogdet", "x:input name"), spelled("ops.slogdet", "x"), graph="LogMatrixDeterminant",
        elementwise=False),
)
