"""dividing by a square root is inf or NaN where the root is 0

The value is inf where the divisor is 0, and NaN where the dividend is 0 too. The gradient is not finite either. Keep
the argument of the root above 0. If it is a product, as in a correlation, bound each factor: a bound on the product
would change the result for small but ordinary numbers.
"""
import tensorflow as tf

from tfnanlint.template import data, reaches, within

code = "TFN204"
dtypes = ("float32", "float64")


def before(y=2.0, x: reaches(0) = 0.0):
    return y / tf.sqrt(x)


def guard(y, x):
    return y / tf.sqrt(tf.maximum(x, 1e-12))


def before_reciprocal(x: reaches(0) = 0.0):
    return 1.0 / tf.sqrt(x)


def guard_reciprocal(x):
    return tf.math.rsqrt(tf.maximum(x, 1e-12))


def before_by_rsqrt(y=2.0, x: reaches(0) = 0.0):
    return y * tf.math.rsqrt(x)


def guard_by_rsqrt(y, x):
    return y * tf.math.rsqrt(tf.maximum(x, 1e-12))


def before_of_a_product(y=2.0, a: reaches(0) & within(0, 1e400) & data = 0.0, b: within(0, 1e400) & data = 3.0):
    return y / tf.sqrt(a * b)


def guard_of_a_product(y, a, b):
    return y / (tf.sqrt(tf.maximum(a, 1e-12)) * tf.sqrt(tf.maximum(b, 1e-12)))


def quiet_with_an_epsilon(y=2.0, x=0.0):
    return y / tf.sqrt(tf.square(x) + 1e-6)


def quiet_of_a_number(y=2.0):
    return y / 64.0**0.5
