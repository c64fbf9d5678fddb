"""Softmax and its kin, normalisations, dropout, pooling, and cross-entropies that take logits."""

from __future__ import annotations

from tfnanlint.interval import INF, Interval
from tfnanlint.ops.row import (
    EVERY,
    Attributes,
    Op,
    always,
    bounded,
    gradient_at,
    never,
    row,
    spelled,
    value_at,
    value_from,
)

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


def _dropped_attained(x: Interval | None, attrs: Attributes) -> Interval | None:
    """What is seen of the operand, and 0."""
    return None if x is None else _dropped(x, attrs)


ROWS: tuple[Op, ...] = (
    row(
        "softmax",
        spelled("tf.nn.softmax tf.math.softmax", SOFTMAX_KEYWORDS),
        spelled("ops.softmax K.softmax keras.activations.softmax", "x axis"),
        graph="Softmax",
        attrs={"axis": -1},
        transfer=bounded(0.0, 1.0),
        attained=always(0.0, 1.0),
        reason="a softmax, exactly 0 where another logit is far above",
        saturates=True,
        elementwise=False,
    ),
    row(
        "local_response_normalization",
        spelled("tf.nn.local_response_normalization tf.nn.lrn", "x:input depth_radius=5 bias=1 alpha=1 beta=0.5 name"),
        graph="LRN",
        attrs={"depth_radius": 5, "bias": 1, "alpha": 1, "beta": 0.5},
        takes={"x": "image"},
        transfer=_responded,
        attained=never,
        elementwise=False,
    ),
    row(
        "log_softmax",
        spelled("tf.nn.log_softmax tf.math.log_softmax", SOFTMAX_KEYWORDS),
        spelled("ops.log_softmax keras.activations.log_softmax", "x axis"),
        graph="LogSoftmax",
        attrs={"axis": -1},
        transfer=bounded(-INF, 0.0),
        attained=always(-1.0, -0.5),
        reason="a log-softmax, negative for every class but a certain one",
        elementwise=False,
    ),
    row(
        "sparsemax",
        spelled("ops.sparsemax keras.activations.sparsemax", "x axis"),
        attrs={"axis": -1},
        attained=never,
        elementwise=False,
    ),
    row(
        "l2_normalize",
        spelled("tf.nn.l2_normalize tf.math.l2_normalize tf.linalg.l2_normalize", "x axis epsilon name | axis:dim"),
        spelled("K.l2_normalize", "x axis"),
        attrs={"axis": None, "epsilon": 1e-12},
        transfer=bounded(-1.0000002, 1.0000002),
        attained=never,
        reason="a normalised vector",
        elementwise=False,
    ),
    row(
        "normalize",
        spelled("ops.normalize", "x axis order epsilon"),
        attrs={"axis": -1, "order": 2, "epsilon": None},
        transfer=lambda x, attrs: Interval() if attrs else Interval(-1.0000002, 1.0000002),
        attained=never,
        reason="a normalised vector",
        elementwise=False,
    ),
    row(
        "norm_and_normalized",
        spelled("tf.linalg.normalize", "x:tensor ord axis name"),
        attrs={"ord": "euclidean", "axis": None},
        attained=never,
        elementwise=False,
        breaks=(value_at("x", 0.0, of=EVERY),),
    ),
    row(
        "moments",
        spelled("tf.nn.moments", "x axes shift | keepdims name keepdims:keep_dims"),
        attrs={"axes": None, "shift": None, "keepdims": False},
        several=True,
        attained=never,
        elementwise=False,
    ),
    row(
        "softmax_cross_entropy_with_logits",
        spelled("tf.nn.softmax_cross_entropy_with_logits", "labels logits | axis name axis:dim"),
        spelled("tf.nn.softmax_cross_entropy_with_logits_v2", "labels logits axis name | axis:dim"),
        operands="labels logits",
        attrs={"axis": -1},
        takes={"labels": "shares"},
        attained=never,
        reason="a cross-entropy on logits",
        elementwise=False,
    ),
    row(
        "sparse_softmax_cross_entropy_with_logits",
        spelled("tf.nn.sparse_softmax_cross_entropy_with_logits", "labels logits name"),
        operands="labels logits",
        graph="SparseSoftmaxCrossEntropyWithLogits",
        takes={"labels": "index"},
        transfer=bounded(0.0, INF),
        attained=never,
        blocked=("labels",),
        reason="a cross-entropy on logits",
        elementwise=False,
        same_dtype=False,
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
        attained=never,
        reason="a CTC loss on logits",
        elementwise=False,
        same_dtype=False,
    ),
    row(
        "sigmoid_cross_entropy_with_logits",
        spelled("tf.nn.sigmoid_cross_entropy_with_logits", "labels logits name"),
        operands="labels logits",
        attained=never,
        reason="a cross-entropy on logits",
    ),
    row(
        "weighted_cross_entropy_with_logits",
        spelled("tf.nn.weighted_cross_entropy_with_logits", "labels logits pos_weight name | labels:targets"),
        operands="labels logits pos_weight",
        attained=never,
        reason="a cross-entropy on logits",
    ),
    row(
        "log_poisson_loss",
        spelled("tf.nn.log_poisson_loss", "targets log_input compute_full_loss name"),
        operands="targets log_input",
        attrs={"compute_full_loss": False},
        attained=never,
        breaks=(value_from("log_input", 88.72283905206835, untold=IN_A_TRACE),),
    ),
    row(
        "l2_loss",
        spelled("tf.nn.l2_loss", "x:t name"),
        graph="L2Loss",
        transfer=bounded(0.0, INF),
        attained=always(0.0, 0.0),
        from_zero=True,
        reason="half a sum of squares, 0 when every term is",
        elementwise=False,
    ),
    row(
        "dropout",
        spelled("tf.nn.dropout", "x rate noise_shape seed name | rate:keep_prob"),
        spelled("K.dropout", "x rate:level noise_shape seed"),
        spelled("keras.random.dropout", "x:inputs rate noise_shape seed"),
        attrs={"rate": None, "noise_shape": None, "seed": None},
        random=True,
        transfer=_dropped,
        attained=_dropped_attained,
        saturates=True,  # single elements are dropped, never all of them
        reason="a dropout, which sets elements to 0",
    ),
    row(
        "top_k",
        spelled("tf.math.top_k tf.nn.top_k", "x:input k sorted | name"),
        spelled("ops.top_k", "x k sorted"),
        graph="TopKV2",
        attrs={"k": 1, "sorted": True},
        attained=never,
        elementwise=False,
    ),
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
    ),
    row(
        "clip_by_norm",
        spelled("tf.clip_by_norm", "x:t clip_norm axes name"),
        operands="x clip_norm",
        attrs={"axes": None},
        attained=never,
        elementwise=False,
    ),
    row(
        "clip_by_global_norm",
        spelled("tf.clip_by_global_norm", "*xs:t_list clip_norm use_norm name"),
        operands="*xs",
        attrs={"clip_norm": None, "use_norm": None},
        attained=never,
        elementwise=False,
        breaks=(gradient_at("*xs", 0.0, of=EVERY),),
    ),
    row(
        "global_norm",
        spelled("tf.linalg.global_norm tf.global_norm", "*xs:t_list name"),
        operands="*xs",
        transfer=lambda *xs, attrs: Interval(0.0, INF),
        attained=always(0.0, 0.0),
        elementwise=False,
        reason="a norm, 0 when every component is",
        breaks=(gradient_at("*xs", 0.0, of=EVERY),),
    ),
)
