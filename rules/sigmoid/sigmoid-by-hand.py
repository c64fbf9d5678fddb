"""the gradient of `1 / (1 + exp(-x))` is NaN for inputs below -88

The value is right everywhere, because 1 / inf is 0. The gradient multiplies the infinite exponential by 1 / inf, which
is NaN. `sigmoid` computes its gradient from its own result.
"""
import tensorflow as tf

from tfnanlint.template import differentiated

code = "TFN703"
dtypes = ("float32", "float64")


def before(x: differentiated = -1000.0):
    return 1.0 / (1.0 + tf.exp(-x))


def after(x):
    return tf.sigmoid(x)


def before_reciprocal(x: differentiated = -1000.0):
    return tf.math.reciprocal(1.0 + tf.exp(-x))


def before_power(x: differentiated = -1000.0):
    return (1.0 + tf.exp(-x)) ** -1.0


def before_scaled(y=2.0, x: differentiated = -1000.0):
    return y / (1.0 + tf.exp(-x))


def after_scaled(y, x):
    return y * tf.sigmoid(x)


def before_mirrored(y=2.0, z: differentiated = 1000.0):
    return y / (1.0 + tf.exp(z))


def after_mirrored(y, z):
    return y * tf.sigmoid(-z)


def quiet_bounded(x=-1000.0):
    return 1.0 / (1.0 + tf.exp(-tf.clip_by_value(x, -30.0, 30.0)))


def quiet_behind_stop_gradient(x=-1000.0):
    return x / (1.0 + tf.exp(-tf.stop_gradient(tf.tanh(x))))


def quiet_plain_sigmoid(x=-1000.0):
    return tf.sigmoid(x) * 2.0 - 1.0
