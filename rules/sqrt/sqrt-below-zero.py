"""`sqrt` of a negative number is NaN

The value and the gradient are NaN for every argument below 0. Rounding can make a difference of sums negative that
should be 0, such as the expanded distance between equal points. Keep the argument at 0 or above, and above 0 if a
gradient is taken.
"""
import tensorflow as tf

from tfnanlint.template import below, cancelling

code = "TFN303"
dtypes = ("float32", "float64")


def before(x: below(-1e-6) = -1.0):
    return tf.sqrt(x)


def guard(x):
    return tf.sqrt(tf.maximum(x, 1e-12))


def before_reciprocal(y: below(-1e-6) = -1.0):
    return tf.math.rsqrt(y)


def guard_reciprocal(y):
    return tf.math.rsqrt(tf.maximum(y, 1e-12))


def before_rounded(d: cancelling & below(-1e-30) = -1e-8):
    return tf.sqrt(d)


def guard_rounded(d):
    return tf.sqrt(tf.maximum(d, 1e-12))


def before_saturated(h=-30.0):
    return tf.sqrt(tf.tanh(h))


def quiet_shifted(h=-30.0):
    return tf.sqrt(tf.tanh(h) + 1.5)


def quiet_sum_of_both_signs(x=(1.0, 2.0)):
    return tf.sqrt(tf.reduce_sum(x))
