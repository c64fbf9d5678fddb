"""`rsqrt` of 0 is infinite

1 / sqrt(x) and its gradient are infinite at 0. A row of zeros becomes inf, or NaN once it is multiplied by 0. Keep the
argument above 0.
"""
import tensorflow as tf

from tfnanlint.template import reaches

code = "TFN301"
dtypes = ("float32", "float64")


def before(x: reaches(0) = 0.0):
    return tf.math.rsqrt(x)


def guard(x):
    return tf.math.rsqrt(tf.maximum(x, 1e-12))


def before_power(x: reaches(0) = 0.0):
    return x**-0.5


def quiet_of_a_variance_with_epsilon(x=(1.0, 1.0)):
    return tf.math.rsqrt(tf.math.reduce_variance(x) + 1e-3)


def quiet_where_not_zero(x=(0.0, 4.0)):
    degree = tf.math.square(tf.stop_gradient(x))
    return x * tf.where(degree > 0.0, tf.math.rsqrt(degree), 0.0)


def quiet_of_an_exponential(x=0.0):
    return tf.math.rsqrt(tf.exp(tf.minimum(x, 1.0)) + 1e-6)
