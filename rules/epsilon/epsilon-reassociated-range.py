"""an epsilon added to max - min is lost once the program is compiled to a graph

A `tf.function`, a Keras `fit` or a session rewrites (highest - lowest) + e to (highest + e) - lowest, and where
the values are large beside e the sum is `highest` again: for a constant input the quotient is 0 / 0. Eager code
keeps the epsilon, so that no test in eager mode sees this. `maximum` is not rewritten.
"""
import tensorflow as tf

from tfnanlint.template import literal, within

modes = ("graph",)


def before(y=(0.0, 0.0), x=(1.0, 1.0), e: literal & within(1e-37, 2.9e-8) = 1e-8, axis=None, keepdims=False):
    spread = tf.reduce_max(x, axis=axis, keepdims=keepdims) - tf.reduce_min(x, axis=axis, keepdims=keepdims)
    return y / (spread + e)


def guard(y, spread, e):
    return y / tf.maximum(spread, e)


def quiet_maximum(x=(1.0, 1.0)):
    return (x - tf.reduce_min(x)) / tf.maximum(tf.reduce_max(x) - tf.reduce_min(x), 1e-8)


def quiet_no_nan(x=(1.0, 1.0)):
    return tf.math.divide_no_nan(x - tf.reduce_min(x), tf.reduce_max(x) - tf.reduce_min(x))
