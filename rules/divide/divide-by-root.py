"""a quotient is infinite or NaN where the root it is divided by is 0

The divisor is the square root of something that reaches 0: its value is infinite, or NaN where the dividend
is 0 too, and its gradient is as well. Keep the argument of the root above 0.
"""
import tensorflow as tf

from tfnanlint.template import reaches

dtypes = ("float32", "float64")


def before(y=2.0, x: reaches(0) = 0.0):
    return y / tf.sqrt(x)


def guard(y, x):
    return y / tf.sqrt(tf.maximum(x, 1e-12))


def before_reciprocal(x: reaches(0) = 0.0):
    return 1.0 / tf.sqrt(x)


def guard_reciprocal(x):
    return tf.math.rsqrt(tf.maximum(x, 1e-12))


def before_times(y=2.0, x: reaches(0) = 0.0):
    return y * tf.math.rsqrt(x)


def guard_times(y, x):
    return y * tf.math.rsqrt(tf.maximum(x, 1e-12))


def quiet_with_an_epsilon(y=2.0, x=0.0):
    return y / tf.sqrt(tf.square(x) + 1e-6)


def quiet_of_a_number(y=2.0):
    return y / 64.0**0.5
