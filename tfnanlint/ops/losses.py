"""Losses as functions: those of Keras, which clip what they take the logarithm of, and those of TF 1."""

from __future__ import annotations

from typing import Any

from tfnanlint.interval import INF, Interval
from tfnanlint.ops.numeric import Kernels, composed
from tfnanlint.ops.row import (
    EMPTY,
    EVERY,
    Attributes,
    Op,
    bounded,
    row,
    spelled,
    value_at,
    value_from,
    value_of,
    value_up_to,
)

kernels = Kernels("losses")

PAIR = "y_true y_pred"
V1 = "weights scope loss_collection reduction"
V1_ATTRS = {"scope": None, "loss_collection": "losses", "reduction": "weighted_sum_by_nonzero_weights"}


def _loss(
    name: str, short: str, extra: str = "", attrs: Attributes | None = None, metric: bool = True, **rest: Any
) -> Op:
    """A Keras loss, under its long name (also that of the metric) and its short ones; its kernel has the long one."""
    names = [f"keras.losses.{name}"] + ([f"keras.metrics.{name}"] if metric else [])
    names += [module + other for other in short.split() for module in ("keras.losses.", "keras.metrics.", "tf.losses.")]
    return row(
        name,
        spelled(" ".join(names), f"{PAIR} {extra}"),
        operands=PAIR,
        attrs=attrs,
        elementwise=False,
        **composed(getattr(kernels, name)),
        **rest,
    )


def _v1(
    name: str,
    signature: str,
    operands: str = "labels predictions",
    attrs: Attributes | None = None,
    takes: dict[str, str] | None = None,
    **rest: Any,
) -> Op:
    """A loss of TF 1, reduced to a number; the weights of its elements may be left out."""
    return row(
        f"v1_{name}",
        spelled(f"tf.losses.{name}", signature),
        operands=f"{operands} weights",
        least=2,
        attrs={**V1_ATTRS, **(attrs or {})},
        takes={"weights": "weights", **(takes or {})},
        elementwise=False,
        **composed(getattr(kernels, f"v1_{name}")),
        **rest,
    )


def class_of(function: str) -> str:
    """The class of a Keras loss, by the name of its function."""
    parts = ("KL" if part == "kl" else part.capitalize() for part in function.split("_"))
    return "".join(parts)


POSITIVE = Interval(0.0, INF)
NON_NEGATIVE = bounded(0.0, INF)
CROSS = {"from_logits": False, "label_smoothing": 0.0, "axis": -1}
INSIDE = "in a trace the logarithm inside is an op of its own, and that is reported"
NO_SHARES = (
    value_at(
        "y_pred",
        0.0,
        of=EVERY,
        untold="a softmax has single zeros, which are harmless here, and never a row of zeros",
    ),
)
"""Predictions are divided by their sum first."""
NO_MEAN = (value_of("y_pred", EMPTY),)
"""What a mask selects element by element may be a row of no elements, which has no mean."""


def _share(x: Interval, y: Interval, attrs: Attributes) -> Interval:
    return Interval(-1.0000003, 1.0000003)


def _weighted_positive(
    labels: Interval, scores: Interval, weights: Interval = POSITIVE, *, attrs: Attributes
) -> Interval:
    """A mean of what is not negative, unless a weight is."""
    return POSITIVE if weights.lo >= 0 else Interval()


ROWS: tuple[Op, ...] = (
    _loss("binary_crossentropy", "", "from_logits label_smoothing axis", CROSS),
    _loss(
        "categorical_crossentropy",
        "",
        "from_logits label_smoothing axis",
        CROSS,
        takes={"y_true": "shares", "y_pred": "nonnegative"},
        breaks=NO_SHARES,
    ),
    _loss(
        "sparse_categorical_crossentropy",
        "",
        "from_logits | ignore_class axis",
        {"from_logits": False, "ignore_class": None, "axis": -1},
        takes={"y_true": "index"},
        blocked=("y_true",),
    ),
    _loss("mean_squared_error", "mse MSE", transfer=NON_NEGATIVE, reason="a mean of squares", breaks=NO_MEAN),
    _loss(
        "mean_absolute_error",
        "mae MAE",
        transfer=NON_NEGATIVE,
        reason="a mean of absolute values",
        breaks=NO_MEAN,
    ),
    _loss("mean_absolute_percentage_error", "mape MAPE", transfer=NON_NEGATIVE),
    _loss("mean_squared_logarithmic_error", "msle MSLE", transfer=NON_NEGATIVE),
    _loss("kl_divergence", "kld KLD kullback_leibler_divergence"),
    _loss("poisson", "", breaks=(value_up_to("y_pred", -1e-7, untold=INSIDE),)),
    _loss(
        "cosine_similarity",
        "",
        "axis",
        {"axis": -1},
        transfer=_share,
        reason="a cosine, 1 or -1 for parallel vectors",
        metric=False,
    ),
    _loss("hinge", "", transfer=NON_NEGATIVE),
    _loss("squared_hinge", "", transfer=NON_NEGATIVE),
    _loss("categorical_hinge", "", transfer=NON_NEGATIVE),
    _loss("huber", "", "delta", {"delta": 1.0}, transfer=NON_NEGATIVE),
    _loss("log_cosh", "", transfer=NON_NEGATIVE),
    row(
        "backend_binary_crossentropy",
        spelled("K.binary_crossentropy ops.binary_crossentropy", "y_true:target y_pred:output from_logits"),
        operands=PAIR,
        attrs={"from_logits": False},
        **composed(kernels.backend_binary_crossentropy),
    ),
    row(
        "backend_categorical_crossentropy",
        spelled(
            "K.categorical_crossentropy ops.categorical_crossentropy", "y_true:target y_pred:output from_logits axis"
        ),
        operands=PAIR,
        attrs={"from_logits": False, "axis": -1},
        takes={"y_true": "shares", "y_pred": "nonnegative"},
        elementwise=False,
        breaks=NO_SHARES,
        **composed(kernels.backend_categorical_crossentropy),
    ),
    row(
        "backend_sparse_categorical_crossentropy",
        spelled(
            "K.sparse_categorical_crossentropy ops.sparse_categorical_crossentropy",
            "y_true:target y_pred:output from_logits axis",
        ),
        operands=PAIR,
        attrs={"from_logits": False, "axis": -1},
        takes={"y_true": "index"},
        blocked=("y_true",),
        elementwise=False,
        **composed(kernels.backend_sparse_categorical_crossentropy),
    ),
    _v1("absolute_difference", f"labels predictions {V1}", transfer=_weighted_positive),
    _v1(
        "cosine_distance",
        "labels predictions axis weights scope loss_collection reduction | axis:dim",
        attrs={"axis": None},
    ),
    _v1("hinge_loss", f"labels logits {V1}", "labels logits"),
    _v1(
        "huber_loss",
        "labels predictions weights delta scope loss_collection reduction",
        attrs={"delta": 1.0},
        transfer=_weighted_positive,
    ),
    _v1(
        "log_loss",
        "labels predictions weights epsilon scope loss_collection reduction",
        attrs={"epsilon": 1e-7},
        breaks=(
            value_up_to("predictions", -1e-7, untold=INSIDE),
            value_from("predictions", 1 + 2.0**-23, untold=INSIDE),
        ),
    ),
    _v1(
        "mean_squared_error",
        f"labels predictions {V1} | labels:y_true predictions:y_pred",
        transfer=_weighted_positive,
        reason="a mean of squares",
    ),
    _v1(
        "sigmoid_cross_entropy",
        "labels:multi_class_labels logits weights label_smoothing scope loss_collection reduction",
        "labels logits",
        attrs={"label_smoothing": 0},
    ),
    _v1(
        "softmax_cross_entropy",
        "labels:onehot_labels logits weights label_smoothing scope loss_collection reduction",
        "labels logits",
        attrs={"label_smoothing": 0},
        blocked=("labels",),
    ),
    _v1(
        "sparse_softmax_cross_entropy",
        f"labels logits {V1}",
        "labels logits",
        takes={"labels": "index"},
        blocked=("labels",),
    ),
)

CLASSES = {
    f"keras.losses.{class_of(op.name)}": f"keras.losses.{op.name}"
    for op in ROWS
    if not op.name.startswith(("v1_", "backend_"))
}
"""What the Keras loss classes compute, before they take the mean of it."""
