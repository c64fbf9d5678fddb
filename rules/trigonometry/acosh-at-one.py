"""`acosh` is NaN below 1, and its gradient is infinite at 1

Hyperbolic distances take the `acosh` of a value that is 1 for equal points, or less than 1 after rounding. Keep the
argument above 1.
"""
import tensorflow as tf

from tfnanlint.template import below, differentiated, reaches

code = "TFN1501"
dtypes = ("float32", "float64")


def before(x: reaches(1) & differentiated = 1.0):
    return tf.acosh(x)


def guard(x):
    return tf.acosh(tf.maximum(x, 1.000001))


def before_below_one(x: below(0.999999) = 0.5):
    return tf.acosh(x)


def before_clamped_at_one(h: differentiated = 1.0):
    return tf.acosh(tf.maximum(h, 1.0))


def quiet_above_one(x=1.0):
    return tf.acosh(1.01 + tf.square(x))


def quiet_kept_off_one(x=1.0):
    return tf.acosh(tf.maximum(x, 1.001))
