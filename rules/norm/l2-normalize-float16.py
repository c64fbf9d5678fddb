"""the epsilon of `l2_normalize` is 0 in float16: a zero vector becomes NaN

The default epsilon is 1e-12, and the smallest positive float16 number is 6e-8. Pass an epsilon of 1e-4, or normalize in
float32.
"""
import tensorflow as tf

from tfnanlint.template import float16

code = "TFN404"
dtypes = ("float16",)


def before(x: float16 = ((0.0, 0.0),), axis=-1):
    return tf.math.l2_normalize(x, axis=axis)


def guard(x, axis):
    return tf.math.l2_normalize(x, axis=axis, epsilon=1e-4)


def quiet_larger_epsilon(x=((0.0, 0.0),)):
    return tf.math.l2_normalize(x, axis=-1, epsilon=1e-4)
