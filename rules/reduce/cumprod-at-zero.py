"""the gradient of `cumprod` is wrong where a factor is 0

It divides the running products by the factors, and takes a quotient by 0 for 0: of (2, 0, 3) the gradient is
(1, 0, 0) instead of (1, 8, 0). Nothing is NaN, and a factor that has become 0 (a ray that a sample blocks, a stick
that is broken off whole) never recovers. A tiny number added to the factors brings the gradient back.

https://github.com/tensorflow/tensorflow/issues/3862
https://github.com/tensorflow/tensorflow/issues/119430
"""
import tensorflow as tf

from tfnanlint.template import differentiated, reaches

severity = "warning"


def before(x: differentiated & reaches(0) = (2.0, 0.0, 3.0), axis=0, exclusive=False, reverse=False):
    return tf.math.cumprod(x, axis=axis, exclusive=exclusive, reverse=reverse)


def rework(x, axis, exclusive, reverse):
    return tf.math.cumprod(x + 1e-20, axis=axis, exclusive=exclusive, reverse=reverse)


def quiet_of_positive_factors(x=(2.0, 0.0, 3.0)):
    return tf.math.cumprod(1.0 + tf.square(x))


def quiet_of_a_mask(x=(2.0, 0.0, 3.0)):
    return x * tf.math.cumprod(tf.cast(x > 1.0, tf.float32))
