"""`exp(x) - 1` loses precision for small x

For an x below 6e-8, exp(x) rounds to 1 and the difference is exactly 0. At 1e-4, three digits are left. `expm1`
computes the same function at full precision.
"""
import tensorflow as tf

from tfnanlint.template import reaches

code = "TFN503"
severity = "info"
modes = ("eager", "xla")


def before(x: reaches(0) = 1e-8):
    return tf.exp(x) - 1.0


def after(x):
    return tf.math.expm1(x)


def before_one_minus_the_exponential(x: reaches(0) = 1e-8):
    return 1.0 - tf.exp(x)


def after_one_minus_the_exponential(x):
    return -tf.math.expm1(x)


def quiet_expm1(x=1e-8):
    return tf.math.expm1(tf.square(x))


def quiet_of_an_unknown_value(x=1e-8):
    return tf.exp(x) - 1.0
