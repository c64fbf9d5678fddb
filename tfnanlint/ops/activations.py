"""Activations: what a layer applies to each element of its output."""

from __future__ import annotations

import math

from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops.numeric import Kernels, composed, gated, np
from tfnanlint.ops.row import Attributes, Op, Transfer, bounded, rising, row, spelled, unary

kernels = Kernels("activations")

SELU_SCALE = 1.0507009873554805
SELU_FLOOR = -SELU_SCALE * 1.6732632423543772


def _sigmoid(v: float) -> float:
    return 0.0 if v < -700 else 1 / (1 + math.exp(-v))


def _log_sigmoid(v: float) -> float:
    return v if v < -700 else -math.log1p(math.exp(-v))


def _number(value: object, default: float) -> float | None:
    """A static parameter as a number; None where it is given but not known."""
    if value is None:
        return default
    return float(value) if isinstance(value, (int, float)) else None


def _elu(x: Interval, attrs: Attributes) -> Interval:
    alpha = _number(attrs.get("alpha"), 1.0)
    if alpha is None or alpha < 0:
        return UNKNOWN
    return x.rising(lambda v: v if v > 0 else alpha * math.expm1(v))


def _leaky(x: Interval, attrs: Attributes) -> Interval:
    slope = _number(attrs.get("alpha"), 0.2)
    return x.rising(lambda v: max(v, v * slope)) if slope is not None and 0 <= slope <= 1 else UNKNOWN


def _relu(x: Interval, attrs: Attributes) -> Interval:
    """A ReLU with the slope, cap and threshold that Keras gives it."""
    slope, threshold = _number(attrs.get("alpha"), 0.0), _number(attrs.get("threshold"), 0.0)
    cap = _number(attrs.get("max_value"), INF)
    if slope is None or threshold is None or cap is None or slope < 0:
        return UNKNOWN
    if threshold == 0:
        return x.rising(lambda v: min(v, cap) if v >= 0 else slope * v if slope else 0.0)
    if slope == 0:
        return Interval(0.0 if x.lo < threshold else min(x.lo, cap), min(max(x.hi, 0.0), cap))
    return UNKNOWN


def _dipping(floor: float) -> Transfer:
    """A function that falls to `floor` below 0, returns to 0, and stays between 0 and x above it."""

    def transfer(x: Interval, attrs: Attributes) -> Interval:
        return Interval(floor if x.lo < 0 else 0.0, max(x.hi, 0.0))

    return transfer


ROWS: tuple[Op, ...] = (
    row(
        "sigmoid",
        *unary("tf.sigmoid tf.math.sigmoid tf.nn.sigmoid", "ops.sigmoid K.sigmoid keras.activations.sigmoid"),
        graph="Sigmoid",
        transfer=rising(_sigmoid),
        reason="a sigmoid, which saturates at 0 and 1",
        run=lambda x: kernels.logistic(x),
        pull=lambda g, y, x: g * y.conjugate() * (1 - y.conjugate()),
    ),
    row(
        "log_sigmoid",
        *unary("tf.math.log_sigmoid tf.log_sigmoid", "ops.log_sigmoid keras.activations.log_sigmoid"),
        transfer=rising(_log_sigmoid),
        reason="a log-sigmoid",
        **composed(lambda t, x: t.neg(t.softplus(t.neg(x)))),
    ),
    row(
        "relu",
        spelled("tf.nn.relu", "x:features name"),
        spelled("ops.relu", "x"),
        spelled("keras.activations.relu", "x alpha:negative_slope max_value threshold | alpha"),
        spelled("K.relu", "x alpha max_value threshold"),
        graph="Relu",
        attrs={"alpha": 0.0, "max_value": None, "threshold": 0.0},
        transfer=_relu,
        reason="a ReLU, 0 for every negative input",
        **kernels.both("relu"),
    ),
    row(
        "relu6",
        spelled("tf.nn.relu6", "x:features name"),
        spelled("ops.relu6 keras.activations.relu6", "x"),
        graph="Relu6",
        transfer=rising(lambda v: min(max(v, 0.0), 6.0)),
        reason="a ReLU6, 0 for every negative input",
        run=lambda x: np.minimum(np.maximum(x, 0), 6),
        pull=lambda g, y, x: gated(g, (x > 0) & (x < 6)),
    ),
    row(
        "leaky_relu",
        spelled("tf.nn.leaky_relu", "x:features alpha name"),
        spelled("ops.leaky_relu keras.activations.leaky_relu", "x alpha:negative_slope | alpha"),
        graph="LeakyRelu",
        attrs={"alpha": 0.2},
        transfer=_leaky,
        run=lambda x, alpha: np.where(x > 0, x, kernels.number(alpha, 0.2) * x),
        pull=lambda g, y, x, alpha: np.where(x > 0, g, kernels.number(alpha, 0.2) * g),
    ),
    row(
        "elu",
        spelled("tf.nn.elu", "x:features name"),
        spelled("ops.elu K.elu keras.activations.elu", "x alpha"),
        graph="Elu",
        attrs={"alpha": 1.0},
        transfer=_elu,
        reason="an ELU, which saturates at -1",
        run=lambda x, alpha: np.where(x < 0, kernels.number(alpha, 1.0) * (np.exp(x) - 1), x),
        pull=lambda g, y, x, alpha: np.where(x > 0, g, g * (np.where(y < 0, y, 0) + kernels.number(alpha, 1.0))),
    ),
    row(
        "celu",
        spelled("ops.celu keras.activations.celu", "x alpha"),
        attrs={"alpha": 1.0},
        transfer=_elu,
        reason="a CELU, which saturates at -1",
        **composed(kernels.celu),
    ),
    row(
        "selu",
        spelled("tf.nn.selu", "x:features name"),
        spelled("ops.selu keras.activations.selu", "x"),
        graph="Selu",
        transfer=lambda x, attrs: Interval(SELU_FLOOR if x.lo < 0 else 0.0, INF if x.hi > 0 else 0.0),
        reason="a SELU",
        run=lambda x: np.where(x < 0, -SELU_FLOOR * (np.exp(x) - 1), SELU_SCALE * x),
        pull=lambda g, y, x: np.where(y < 0, g * (y - SELU_FLOOR), g * SELU_SCALE),
    ),
    row(
        "hard_sigmoid",
        *unary("", "ops.hard_sigmoid keras.activations.hard_sigmoid K.hard_sigmoid"),
        transfer=bounded(0.0, 1.0),
        reason="a hard sigmoid, exactly 0 or 1 outside [-3, 3]",
        **composed(kernels.hard_sigmoid),
    ),
    row(
        "sparse_sigmoid",
        *unary("", "ops.sparse_sigmoid keras.activations.sparse_sigmoid"),
        transfer=bounded(0.0, 1.0),
        reason="a sparse sigmoid, exactly 0 or 1 outside [-1, 1]",
        run=lambda x: np.clip(0.5 * (x + 1), 0, 1),
        pull=lambda g, y, x: np.where((x <= -1) | (x >= 1), 0, 0.5 * g),
    ),
    row(
        "hard_tanh",
        *unary("", "ops.hard_tanh keras.activations.hard_tanh"),
        transfer=bounded(-1.0, 1.0),
        reason="a hard tanh, exactly -1 or 1 outside [-1, 1]",
        run=lambda x: np.clip(x, -1, 1),
        pull=lambda g, y, x: np.where(np.abs(x) <= 1, g, 0),
    ),
    row(
        "gelu",
        spelled("tf.nn.gelu", "x:features approximate name"),
        spelled("keras.activations.gelu", "x approximate"),
        spelled("ops.gelu", "x approximate=True"),
        attrs={"approximate": False},
        transfer=_dipping(-0.1701),
        reason="a GELU",
        **composed(kernels.gelu),
    ),
    row(
        "silu",
        spelled("tf.nn.silu tf.nn.swish", "x:features beta"),
        *unary("", "ops.silu ops.swish keras.activations.silu keras.activations.swish"),
        attrs={"beta": 1.0},
        transfer=lambda x, attrs: _dipping(-0.2785)(x, attrs) if "beta" not in attrs else UNKNOWN,
        reason="a SiLU",
        run=lambda x, beta: x * kernels.logistic(kernels.number(beta, 1.0) * x),
        pull=kernels.pull_silu,
    ),
    row(
        "hard_silu",
        *unary("", "ops.hard_silu ops.hard_swish keras.activations.hard_silu keras.activations.hard_swish"),
        transfer=_dipping(-0.375),
        reason="a hard SiLU",
        **composed(lambda t, x: t.multiply(x, kernels.hard_sigmoid(t, x))),
    ),
    row(
        "mish",
        *unary("", "keras.activations.mish"),
        transfer=_dipping(-0.309),
        reason="a Mish",
        **composed(lambda t, x: t.multiply(x, t.tanh(t.softplus(x)))),
    ),
    row(
        "softsign",
        spelled("tf.nn.softsign tf.math.softsign", "x:features name"),
        *unary("", "ops.softsign K.softsign keras.activations.softsign"),
        graph="Softsign",
        transfer=rising(lambda v: math.copysign(1.0, v) if math.isinf(v) else v / (1 + abs(v))),
        reason="a softsign",
        run=lambda x: x / (1 + np.abs(x)),
        pull=lambda g, y, x: g / np.square(1 + np.abs(x)),
    ),
    row(
        "tanh_shrink",
        *unary("", "ops.tanh_shrink keras.activations.tanh_shrink"),
        transfer=rising(lambda v: v - math.tanh(v)),
        **composed(lambda t, x: t.subtract(x, t.tanh(x))),
    ),
    row(
        "soft_shrink",
        spelled("ops.soft_shrink keras.activations.soft_shrink", "x threshold"),
        attrs={"threshold": 0.5},
        transfer=lambda x, attrs: x.hull(Interval.point(0.0)),
        run=kernels.soft_shrink,
        pull=lambda g, y, x, threshold: np.where(np.abs(x) > kernels.number(threshold, 0.5), g, 0),
    ),
    row(
        "hard_shrink",
        spelled("ops.hard_shrink keras.activations.hard_shrink", "x threshold"),
        attrs={"threshold": 0.5},
        transfer=lambda x, attrs: x.hull(Interval.point(0.0)),
        run=lambda x, threshold: np.where(np.abs(x) > kernels.number(threshold, 0.5), x, 0),
        pull=lambda g, y, x, threshold: np.where(np.abs(x) > kernels.number(threshold, 0.5), g, 0),
    ),
    row(
        "squareplus",
        spelled("ops.squareplus keras.activations.squareplus", "x b"),
        attrs={"b": 4},
        transfer=lambda x, attrs: Interval(0.0, INF),
        reason="a squareplus",
        **composed(lambda t, x, b: t.divide(t.add(x, t.sqrt(t.add(t.square(x), kernels.number(b, 4)))), 2)),
    ),
    row(
        "linear",
        *unary("", "keras.activations.linear"),
        transfer=lambda x, attrs: x,
        transparent=True,
        run=lambda x: x,
        pull=lambda g, y, x: g,
    ),
)
