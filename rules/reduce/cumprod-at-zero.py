"""the gradient of `cumprod` is wrong where a factor is 0

The gradient divides the running products by the factors and replaces a division by 0 with 0. For (2, 0, 3) it returns
(1, 0, 0) instead of (1, 8, 0). No value is NaN, but a factor that has become 0 never recovers, such as the
transmittance of a blocked ray. Adding a tiny number to the factors restores the gradient.

https://github.com/tensorflow/tensorflow/issues/3862
https://github.com/tensorflow/tensorflow/issues/119430
"""
import tensorflow as tf

from tfnanlint.template import differentiated, numbers, reaches

code = "TFN1401"
severity = "warning"


def before(x: differentiated & reaches(0) & numbers = (2.0, 0.0, 3.0), axis=0, exclusive=False, reverse=False):
    return tf.math.cumprod(x, axis=axis, exclusive=exclusive, reverse=reverse)


def rework(x, axis, exclusive, reverse):
    return tf.math.cumprod(x + 1e-20, axis=axis, exclusive=exclusive, reverse=reverse)


def quiet_of_positive_factors(x=(2.0, 0.0, 3.0)):
    return tf.math.cumprod(1.0 + tf.square(x))


def quiet_of_a_sigmoid_which_hands_nothing_back_at_zero(h=(2.0, -200.0, 3.0)):
    return tf.math.cumprod(tf.sigmoid(h))


def quiet_of_a_mask(x=(2.0, 0.0, 3.0)):
    return x * tf.math.cumprod(tf.cast(x > 1.0, tf.float32))
