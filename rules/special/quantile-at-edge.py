"""`ndtri` and `erfinv` are infinite at the ends of their domain and NaN beyond

The quantile of a probability of exactly 0 or 1 is infinite, and its gradient is NaN or infinite. A uniform draw, a
saturated sigmoid and a rank divided by the count all reach 0 or 1. Keep the argument away from both ends.
"""
import tensorflow as tf

from tfnanlint.template import above, below

code = "TFN1802"


def before(p: below(0.0) = 0.0):
    return tf.math.ndtri(p)


def guard(p):
    return tf.math.ndtri(tf.clip_by_value(p, 9.5367431640625e-07, 0.9999990463256836))


def before_at_one(p: above(1.0) = 1.0):
    return tf.math.ndtri(p)


def before_error_function(x: above(1.0) = 1.0):
    return tf.math.erfinv(x)


def guard_error_function(x):
    return tf.math.erfinv(tf.clip_by_value(x, -0.9999990463256836, 0.9999990463256836))


def before_error_function_below(y: below(-1.0) = -1.0):
    return tf.math.erfinv(y)


def guard_error_function_below(y):
    return tf.math.erfinv(tf.clip_by_value(y, -0.9999990463256836, 0.9999990463256836))


def before_complement(z: below(0.0) = 0.0):
    return tf.math.erfcinv(z)


def guard_complement(z):
    return tf.math.erfcinv(tf.clip_by_value(z, 9.5367431640625e-07, 1.9999990463256836))


def before_complement_above(v: above(2.0) = 2.0):
    return tf.math.erfcinv(v)


def guard_complement_above(v):
    return tf.math.erfcinv(tf.clip_by_value(v, 9.5367431640625e-07, 1.9999990463256836))


def quiet_clipped(p=0.0):
    return tf.math.ndtri(tf.clip_by_value(p, 1e-5, 1.0 - 1e-5))


def quiet_inside(x=1.0):
    return tf.math.erfinv(0.99 * tf.tanh(x))
