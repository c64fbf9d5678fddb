"""`lgamma` is inf and `digamma` is NaN at 0 and at negative whole numbers

The gamma function has poles there. A concentration, a count or a rate of 0 is enough. Keep the argument above 0.
"""
import tensorflow as tf

from tfnanlint.template import float32, float64, reaches, within

code = "TFN1801"
dtypes = ("float32", "float64")


def before(x: reaches(0) & within(0.0, 1e999) = 0.0):
    return tf.math.lgamma(x)


def guard(x):
    return tf.math.lgamma(tf.maximum(x, 1e-6))


def before_digamma_from_zero(x: reaches(0) & within(0.0, 1e999) & float32 & float64 = 0.0):
    return tf.math.digamma(x)


def guard_digamma_from_zero(x):
    return tf.math.digamma(tf.maximum(x, 1e-6))


def before_of_any_sign(a: reaches(0) = 0.0):
    return tf.math.lgamma(a)


def before_digamma(a: reaches(0) = 0.0):
    return tf.math.digamma(a)


def quiet_kept_above_zero(x=0.0):
    return tf.math.lgamma(tf.maximum(x, 1e-3)) + tf.math.digamma(1.0 + tf.square(x))
