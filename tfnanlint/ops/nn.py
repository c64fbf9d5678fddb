"""Softmax and its kin, normalisations, and the losses that are stable by construction."""

from __future__ import annotations

from tfnanlint.interval import INF, Interval
from tfnanlint.ops.row import Op, always, bounded, row, spelled

SOFTMAX_KEYWORDS = "x:logits axis name | axis:dim"

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
        "log_softmax",
        spelled("tf.nn.log_softmax tf.math.log_softmax", SOFTMAX_KEYWORDS),
        spelled("ops.log_softmax keras.activations.log_softmax", "x axis"),
        graph="LogSoftmax",
        attrs={"axis": -1},
        transfer=bounded(-INF, 0.0),
        reason="a log-softmax",
        elementwise=False,
    ),
    row(
        "l2_normalize",
        spelled("tf.nn.l2_normalize tf.math.l2_normalize tf.linalg.l2_normalize", "x axis epsilon name | axis:dim"),
        spelled("K.l2_normalize", "x axis"),
        attrs={"axis": None, "epsilon": 1e-12},
        transfer=bounded(-1.0000002, 1.0000002),
        reason="a normalised vector",
        elementwise=False,
    ),
    row(
        "softmax_cross_entropy_with_logits",
        spelled("tf.nn.softmax_cross_entropy_with_logits", "labels logits axis name | axis:dim"),
        spelled("tf.nn.softmax_cross_entropy_with_logits_v2", "labels logits axis name | axis:dim"),
        operands="labels logits",
        graph="SoftmaxCrossEntropyWithLogits",
        attrs={"axis": -1},
        reason="a cross-entropy on logits",
        elementwise=False,
    ),
    row(
        "sparse_softmax_cross_entropy_with_logits",
        spelled("tf.nn.sparse_softmax_cross_entropy_with_logits", "labels logits name"),
        operands="labels logits",
        graph="SparseSoftmaxCrossEntropyWithLogits",
        transfer=bounded(0.0, INF),
        blocked=("labels",),
        reason="a cross-entropy on logits",
        elementwise=False,
    ),
    row(
        "sigmoid_cross_entropy_with_logits",
        spelled("tf.nn.sigmoid_cross_entropy_with_logits", "labels logits name"),
        operands="labels logits",
        reason="a cross-entropy on logits",
    ),
    row("l2_loss", spelled("tf.nn.l2_loss", "x:t name"), graph="L2Loss", transfer=bounded(0.0, INF),
        attained=always(0.0, 0.0), reason="half a sum of squares, 0 when every term is", elementwise=False),
    row("dropout", spelled("tf.nn.dropout", "x rate noise_shape seed name"), attrs={"rate": None, "noise_shape": None, "seed": None},
        random=True, transfer=lambda x, attrs: Interval(-INF if x.lo < 0 else 0.0, INF if x.hi > 0 else 0.0)),
)
