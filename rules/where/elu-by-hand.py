"""the gradient of a hand-written ELU is NaN for inputs above 88

The exponential in the branch that is not selected overflows, and its gradient is 0 times inf = NaN. `tf.nn.elu` is the
same function.
"""
import tensorflow as tf

from tfnanlint.template import differentiated

code = "TFN1101"


def before(x: differentiated = (200.0, -1.0)):
    return tf.where(x > 0.0, x, tf.exp(x) - 1.0)


def after(x):
    return tf.nn.elu(x)


def before_with_expm1(x: differentiated = (200.0, -1.0)):
    return tf.where(x > 0.0, x, tf.math.expm1(x))


def before_with_the_branches_exchanged(x: differentiated = (200.0, -1.0)):
    return tf.where(x < 0.0, tf.exp(x) - 1.0, x)


def before_scaled(x: differentiated = (200.0, -1.0), alpha=0.5):
    return tf.where(x > 0.0, x, alpha * (tf.exp(x) - 1.0))


def after_scaled(x, alpha):
    return tf.where(x > 0.0, x, alpha * tf.math.expm1(tf.minimum(x, 0.0)))


def before_sum(h: differentiated = 200.0):
    return tf.nn.relu(h) + tf.minimum(0.0, tf.exp(h) - 1.0)


def quiet_bounded(x=200.0):
    return tf.where(x > 0.0, x, tf.math.expm1(tf.minimum(x, 0.0)))


def quiet_elu(x=200.0):
    return tf.nn.elu(x)
