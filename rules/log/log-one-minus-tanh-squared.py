"""`log(1 - tanh(x)**2)` is -inf as soon as the tanh rounds to 1

In float32 the tanh of anything above 9.02 is exactly 1. The difference is then exactly 0, its log -inf and its gradient
NaN: the log-density of a squashed action fails where the policy is confident. `2 * (log(2) - x - softplus(-2x))` is the
same function without the subtraction.
"""
import tensorflow as tf

code = "TFN112"


def before(x=10.0):
    return tf.math.log(1.0 - tf.square(tf.tanh(x)))


def before_with_log1p(x=10.0):
    return tf.math.log1p(-tf.square(tf.tanh(x)))


def after(x):
    return 2.0 * (0.6931471805599453 - x - tf.nn.softplus(-2.0 * x))


def quiet_with_an_epsilon(x=10.0):
    return tf.math.log(1.0 - tf.square(tf.tanh(x)) + 1e-6)


def quiet_of_a_bounded_argument(x=10.0):
    return tf.math.log(1.0 - tf.square(tf.tanh(tf.sigmoid(x))))
