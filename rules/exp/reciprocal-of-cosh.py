"""the gradient of `1 / cosh(x)` is NaN where cosh overflows, and so is the value of cosh / sinh

In float32 `cosh` and `sinh` of anything above 89.4 are inf. The reciprocal is correctly 0 there, but its gradient is 0
times inf = NaN. The quotient cosh / sinh is inf / inf = NaN. Written with exp(-|x|), nothing overflows.
"""
import tensorflow as tf

from tfnanlint.template import differentiated

code = "TFN507"


def before(x: differentiated = 100.0):
    return 1.0 / tf.cosh(x)


def after(x):
    return 2.0 * tf.exp(-tf.abs(x)) / (1.0 + tf.exp(-2.0 * tf.abs(x)))


def before_cotangent(x=100.0):
    return tf.cosh(x) / tf.sinh(x)


def after_cotangent(x):
    return 1.0 / tf.tanh(x)


def quiet_of_a_bounded_argument(x=100.0):
    return 1.0 / tf.cosh(tf.tanh(x))
