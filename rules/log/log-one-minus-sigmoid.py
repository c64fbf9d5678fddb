"""`log(1 - sigmoid(x))` is -inf as soon as the sigmoid rounds to 1

In float32 the sigmoid of anything above 17 is exactly 1. The difference is then exactly 0, its log -inf and its
gradient NaN: one confident example is enough. `-softplus(x)` is the same function without the subtraction. If a layer
hides the logit, the fix keeps the difference above 0. The loss is then finite, but a saturated element gets no gradient
and does not train: return logits from the model and use a loss with `from_logits=True` instead.
"""
import tensorflow as tf

code = "TFN111"


def before(x=20.0):
    return tf.math.log(1.0 - tf.sigmoid(x))


def after(x):
    return -tf.nn.softplus(x)


def before_with_log1p(x=20.0):
    return tf.math.log1p(-tf.sigmoid(x))


def before_by_hand(x=20.0):
    return tf.math.log(1.0 - 1.0 / (1.0 + tf.exp(-x)))


def before_from_a_tanh(x=20.0):
    return tf.math.log(0.5 * (1.0 - tf.tanh(x)))


def after_from_a_tanh(x):
    return -tf.nn.softplus(2.0 * x)


def before_one_minus_tanh(x=20.0):
    return tf.math.log(1.0 - tf.tanh(x))


def after_one_minus_tanh(x):
    return 0.6931471805599453 - tf.nn.softplus(2.0 * x)


def before_log1p_of_a_tanh(x=20.0):
    return tf.math.log1p(-tf.tanh(x))


def after_log1p_of_a_tanh(x):
    return 0.6931471805599453 - tf.nn.softplus(2.0 * x)


def quiet_when_the_sigmoid_is_clipped(x=20.0):
    return tf.math.log(1.0 - tf.clip_by_value(tf.sigmoid(x), 0.0, 1.0 - 1e-6))


def quiet_when_bounded_away_from_zero(x=20.0):
    return tf.math.log(tf.maximum(1.0 - tf.sigmoid(x), 1e-7))


def quiet_when_the_sum_is_above_one(x=20.0):
    return tf.math.log(1.5 + tf.sigmoid(x))


def quiet_when_scaled_below_one(x=20.0):
    return tf.math.log(1.0 - 0.5 * tf.sigmoid(x))
