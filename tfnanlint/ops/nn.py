"""Softmax and its kin, normalisations, dropout, pooling, and cross-entropies that take logits."""

from __future__ import annotations

import math
from typing import Any

from tfnanlint.interval import INF, Interval
from tfnanlint.ops.numeric import Kernels, Tape, composed, np, value_of
from tfnanlint.ops.row import (
    EVERY,
    Attributes,
    Op,
    bounded,
    gradient_at,
    row,
    spelled,
    value_at,
    value_from,
)

kernels = Kernels("nn")

SOFTMAX_KEYWORDS = "x:logits axis name | axis:dim"


def _dropped(x: Interval, attrs: Attributes) -> Interval:
    """Elements are 0, or scaled up."""
    return Interval(-INF if x.lo < 0 else 0.0, INF if x.hi > 0 else 0.0)


def _responded(x: Interval, attrs: Attributes) -> Interval:
    """Elements divided by a number that is 1 at least."""
    given = [attrs.get("bias", 1), attrs.get("alpha", 1), attrs.get("beta", 0.5)]
    numbers = all(isinstance(v, (int, float)) for v in given)
    return x.hull(Interval.point(0.0)) if numbers and given[0] >= 1 and min(given[1:]) >= 0 else Interval()


IN_A_TRACE = "in a trace the exponential inside is an op of its own, and that is reported"


def _sparsemax_steps(t: Tape, x: Any, axis: Any) -> Any:
    """The threshold is computed as Keras does."""
    ordered = t.sort(x, axis=axis, direction="DESCENDING")
    running = t.cumsum(ordered, axis=axis)
    values, sums = value_of(ordered), value_of(running)
    ranks = t.cumsum(np.ones_like(values), axis=axis).value
    support = values - (sums - 1) / ranks > 0
    total = t.reduce_sum(t.where(support, running, np.zeros_like(sums)), axis=axis, keepdims=True)
    count = support.sum(axis=axis, keepdims=True).astype(values.dtype)
    return t.maximum(t.subtract(x, t.divide(t.subtract(total, 1.0), count)), 0.0)


def _l2_normalize_steps(t: Tape, x: Any, axis: Any, epsilon: Any) -> Any:
    squares = t.reduce_sum(t.square(x), axis=axis, keepdims=True)
    return t.multiply(x, t.rsqrt(t.maximum(squares, epsilon)))


def _normalize_steps(t: Tape, x: Any, axis: Any, order: Any, epsilon: Any) -> Any:
    least = 1e-7 if epsilon is None else epsilon
    if order == 2:
        scale = t.rsqrt(t.reduce_sum(t.square(x), axis=axis, keepdims=True))
        return t.multiply(x, t.minimum(scale, 1.0 / least))
    return t.divide(x, t.maximum(t.norm(x, ord=order, axis=axis, keepdims=True), least))


def _norm_and_normalized_steps(t: Tape, x: Any, ord: Any, axis: Any) -> Any:
    length = t.norm(x, ord=ord, axis=axis, keepdims=True)
    return t.divide(x, length), length


def _moments_steps(t: Tape, x: Any, axes: Any, shift: Any, keepdims: Any) -> Any:
    """Half precision is computed in single; no gradient passes through the mean into the variance."""
    half = value_of(x).dtype == np.float16
    y = t.cast(x, dtype="float32") if half else x
    centre = value_of(t.reduce_mean(y, axis=axes, keepdims=True))
    found = (
        t.reduce_mean(y, axis=axes, keepdims=keepdims),
        t.reduce_mean(t.squared_difference(y, centre), axis=axes, keepdims=keepdims),
    )
    return tuple(t.cast(one, dtype="float16") for one in found) if half else found


def _weighted_cross_entropy_steps(t: Tape, labels: Any, logits: Any, pos_weight: Any) -> Any:
    weight = t.add(t.multiply(t.subtract(pos_weight, 1.0), labels), 1.0)
    loss = t.add(t.log1p(t.exp(t.neg(t.abs(logits)))), t.relu(t.neg(logits)))
    return t.add(t.multiply(t.subtract(1.0, labels), logits), t.multiply(weight, loss))


def _log_poisson_steps(t: Tape, targets: Any, log_input: Any, compute_full_loss: Any) -> Any:
    """The full loss takes Stirling's approximation for targets above 1."""
    loss = t.subtract(t.exp(log_input), t.multiply(log_input, targets))
    if not compute_full_loss:
        return loss
    tail = t.multiply(t.log(t.multiply(targets, 2 * math.pi)), 0.5)
    stirling = t.add(t.subtract(t.multiply(targets, t.log(targets)), targets), tail)
    z = value_of(targets)
    return t.add(loss, t.where((z >= 0) & (z <= 1), np.zeros_like(z), stirling))


def _clip_by_norm_steps(t: Tape, x: Any, clip_norm: Any, axes: Any) -> Any:
    """A zero vector passes no square root."""
    limit = t.maximum(clip_norm, 0.0)
    squares = t.reduce_sum(t.multiply(x, x), axis=axes, keepdims=True)
    positive = value_of(squares) > 0
    safe = t.where(positive, squares, np.ones_like(value_of(squares)))
    return t.divide(t.multiply(x, limit), t.maximum(t.where(positive, t.sqrt(safe), squares), limit))


def _global_norm_steps(t: Tape, *xs: Any) -> Any:
    return t.sqrt(t.multiply(t.reduce_sum(t.stack(*(t.l2_loss(x) for x in xs))), 2.0))


def _clipped_and_norm_steps(t: Tape, *xs: Any, clip_norm: Any, use_norm: Any) -> Any:
    """An infinite norm makes all of them NaN. A bound that is not known is taken to be 1."""
    clip_norm = 1.0 if clip_norm is None else clip_norm
    norm = t.global_norm(*xs) if use_norm is None else use_norm
    scale = t.multiply(t.minimum(t.divide(1.0, norm), 1.0 / clip_norm), clip_norm)
    scale = t.add(scale, t.subtract(norm, norm))
    return *(t.multiply(x, scale) for x in xs), norm


_CLIPPED_AND_NORM = composed(_clipped_and_norm_steps)


def _clip_by_global_norm(*xs: Any, **attrs: Any) -> Any:
    """(the list of what is clipped, its norm)."""
    *clipped, norm = _CLIPPED_AND_NORM["run"](*xs, **attrs)
    return clipped, norm


def _pull_clip_by_global_norm(grad: Any, result: Any, *xs: Any, **attrs: Any) -> Any:
    clipped = (None,) * len(xs) if grad[0] is None else tuple(grad[0])
    return _CLIPPED_AND_NORM["pull"]((*clipped, grad[1]), (*result[0], result[1]), *xs, **attrs)


def _distinct(name: str, graph: str, run: Any) -> Op:
    """The numbers that occur in a vector, and where; TensorFlow has no gradient of that."""
    return row(
        name,
        spelled(f"tf.{name}", "x out_idx name"),
        graph=graph,
        attrs={"out_idx": None},
        takes={"x": "vector"},
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        run=run,
    )


ROWS: tuple[Op, ...] = (
    row(
        "softmax",
        spelled("tf.nn.softmax tf.math.softmax", SOFTMAX_KEYWORDS),
        spelled("ops.softmax K.softmax keras.activations.softmax", "x axis"),
        graph="Softmax",
        attrs={"axis": -1},
        transfer=bounded(0.0, 1.0),
        reason="a softmax, exactly 0 where another logit is much larger",
        elementwise=False,
        **kernels.both("softmax"),
    ),
    row(
        "local_response_normalization",
        spelled("tf.nn.local_response_normalization tf.nn.lrn", "x:input depth_radius=5 bias=1 alpha=1 beta=0.5 name"),
        graph="LRN",
        attrs={"depth_radius": 5, "bias": 1, "alpha": 1, "beta": 0.5},
        takes={"x": "image"},
        transfer=_responded,
        elementwise=False,
        **kernels.both("local_response_normalization"),
    ),
    row(
        "log_softmax",
        spelled("tf.nn.log_softmax tf.math.log_softmax", SOFTMAX_KEYWORDS),
        spelled("ops.log_softmax keras.activations.log_softmax", "x axis"),
        graph="LogSoftmax",
        attrs={"axis": -1},
        transfer=bounded(-INF, 0.0),
        reason="a log-softmax, 0 for a class with probability 1",
        elementwise=False,
        **kernels.both("log_softmax"),
    ),
    row(
        "sparsemax",
        spelled("ops.sparsemax keras.activations.sparsemax", "x axis"),
        attrs={"axis": -1},
        elementwise=False,
        **composed(_sparsemax_steps),
    ),
    row(
        "l2_normalize",
        spelled("tf.nn.l2_normalize tf.math.l2_normalize tf.linalg.l2_normalize", "x axis epsilon name | axis:dim"),
        spelled("K.l2_normalize", "x axis"),
        attrs={"axis": None, "epsilon": 1e-12},
        transfer=bounded(-1.0000002, 1.0000002),
        reason="a normalized vector",
        elementwise=False,
        **composed(_l2_normalize_steps),
    ),
    row(
        "normalize",
        spelled("ops.normalize", "x axis order epsilon"),
        attrs={"axis": -1, "order": 2, "epsilon": None},
        transfer=lambda x, attrs: Interval() if attrs else Interval(-1.0000002, 1.0000002),
        reason="a normalized vector",
        elementwise=False,
        **composed(_normalize_steps),
    ),
    row(
        "norm_and_normalized",
        spelled("tf.linalg.normalize", "x:tensor ord axis name"),
        attrs={"ord": "euclidean", "axis": None},
        elementwise=False,
        breaks=(value_at("x", 0.0, of=EVERY),),
        **composed(_norm_and_normalized_steps),
    ),
    row(
        "moments",
        spelled("tf.nn.moments", "x axes shift | keepdims name keepdims:keep_dims"),
        attrs={"axes": None, "shift": None, "keepdims": False},
        several=True,
        elementwise=False,
        **composed(_moments_steps),
    ),
    row(
        "softmax_cross_entropy_with_logits",
        spelled("tf.nn.softmax_cross_entropy_with_logits", "labels logits | axis name axis:dim"),
        spelled("tf.nn.softmax_cross_entropy_with_logits_v2", "labels logits axis name | axis:dim"),
        operands="labels logits",
        attrs={"axis": -1},
        takes={"labels": "shares"},
        reason="a cross-entropy on logits",
        elementwise=False,
        **kernels.both("softmax_cross_entropy_with_logits"),
    ),
    row(
        "sparse_softmax_cross_entropy_with_logits",
        spelled("tf.nn.sparse_softmax_cross_entropy_with_logits", "labels logits name"),
        operands="labels logits",
        graph="SparseSoftmaxCrossEntropyWithLogits",
        takes={"labels": "index"},
        transfer=bounded(0.0, INF),
        blocked=("labels",),
        reason="a cross-entropy on logits",
        elementwise=False,
        same_dtype=False,
        **kernels.both("sparse_softmax_cross_entropy_with_logits"),
    ),
    row(
        "ctc_loss",
        # The two generations agree on the first two places only; what else one of them has does not change a logit.
        spelled(
            "tf.nn.ctc_loss",
            "labels logits label_length logit_length | logits:inputs label_length:sequence_length name unique "
            "logit_length:preprocess_collapse_repeated merge_repeated:ctc_merge_repeated time_major blank_index "
            "ignore_longer:ignore_longer_outputs_than_inputs time_major:logits_time_major",
        ),
        operands="labels logits",
        attrs={
            "label_length": None,
            "logit_length": None,
            "merge_repeated": True,
            "ignore_longer": False,
            "time_major": True,
            "unique": None,
            "blank_index": None,
        },
        takes={"labels": "symbols", "logits": "matrix"},
        blocked=("labels",),
        reason="a CTC loss on logits",
        elementwise=False,
        same_dtype=False,
        **Kernels("ctc").both("ctc_loss"),
    ),
    row(
        "sigmoid_cross_entropy_with_logits",
        spelled("tf.nn.sigmoid_cross_entropy_with_logits", "labels logits name"),
        operands="labels logits",
        reason="a cross-entropy on logits",
        **kernels.both("sigmoid_cross_entropy_with_logits"),
    ),
    row(
        "weighted_cross_entropy_with_logits",
        spelled("tf.nn.weighted_cross_entropy_with_logits", "labels logits pos_weight name | labels:targets"),
        operands="labels logits pos_weight",
        reason="a cross-entropy on logits",
        **composed(_weighted_cross_entropy_steps),
    ),
    row(
        "log_poisson_loss",
        spelled("tf.nn.log_poisson_loss", "targets log_input compute_full_loss name"),
        operands="targets log_input",
        attrs={"compute_full_loss": False},
        breaks=(value_from("log_input", 88.72283905206835, untold=IN_A_TRACE),),
        **composed(_log_poisson_steps),
    ),
    row(
        "l2_loss",
        spelled("tf.nn.l2_loss", "x:t name"),
        graph="L2Loss",
        transfer=bounded(0.0, INF),
        reason="half a sum of squares, 0 when every term is 0",
        elementwise=False,
        run=kernels.l2_loss,
        pull=lambda g, y, x: x * g,
    ),
    row(
        "dropout",
        spelled("tf.nn.dropout", "x rate noise_shape seed name | rate:keep_prob"),
        spelled("K.dropout", "x rate:level noise_shape seed"),
        spelled("keras.random.dropout", "x:inputs rate noise_shape seed"),
        attrs={"rate": None, "noise_shape": None, "seed": None},
        random=True,
        transfer=_dropped,
        reason="a dropout, which sets elements to 0",
        **kernels.both("dropout"),
    ),
    row(
        "top_k",
        spelled("tf.math.top_k tf.nn.top_k", "x:input k sorted | name"),
        spelled("ops.top_k", "x k sorted"),
        graph="TopKV2",
        attrs={"k": 1, "sorted": True},
        elementwise=False,
        **kernels.both("top_k"),
    ),
    _distinct("unique", "Unique", lambda x, out_idx: kernels.unique_with_counts(x, out_idx)[:2]),
    _distinct("unique_with_counts", "UniqueWithCounts", kernels.unique_with_counts),
    row(
        "in_top_k",
        spelled("ops.in_top_k", "targets predictions k"),
        operands="targets predictions",
        attrs={"k": None},
        graph="InTopKV2 InTopK",
        takes={"targets": "index"},
        transfer=bounded(0.0, 1.0),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        run=kernels.in_top_k,
    ),
    row(
        "clip_by_norm",
        spelled("tf.clip_by_norm", "x:t clip_norm axes name"),
        operands="x clip_norm",
        attrs={"axes": None},
        elementwise=False,
        **composed(_clip_by_norm_steps),
    ),
    row(
        "clip_by_global_norm",
        spelled("tf.clip_by_global_norm", "*xs:t_list clip_norm use_norm name"),
        operands="*xs",
        attrs={"clip_norm": None, "use_norm": None},
        elementwise=False,
        breaks=(gradient_at("*xs", 0.0, of=EVERY),),
        run=_clip_by_global_norm,
        pull=_pull_clip_by_global_norm,
    ),
    row(
        "global_norm",
        spelled("tf.linalg.global_norm tf.global_norm", "*xs:t_list name"),
        operands="*xs",
        transfer=lambda *xs, attrs: Interval(0.0, INF),
        elementwise=False,
        reason="a norm, 0 for a zero vector",
        breaks=(gradient_at("*xs", 0.0, of=EVERY),),
        **composed(_global_norm_steps),
    ),
)
