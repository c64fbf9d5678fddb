"""`log` of a product is -inf where the product underflows to 0; sum the logs instead

A product of sixty probabilities of 0.1 underflows to 0 in float32, and its log is -inf. The sum of their logs is -138.
"""
import tensorflow as tf

from tfnanlint.template import within

code = "TFN114"


def before(x: within(0.0, 1e38) = (1e-30, 1e-30), axis=-1, keepdims=False):
    return tf.math.log(tf.reduce_prod(x, axis=axis, keepdims=keepdims))


def after(x, axis, keepdims):
    return tf.reduce_sum(tf.math.log(x), axis=axis, keepdims=keepdims)


def before_of_a_cumulative_product(x: within(0.0, 1e38) = (1e-30, 1e-30), axis=-1):
    return tf.math.log(tf.math.cumprod(x, axis=axis))


def after_of_a_cumulative_product(x, axis):
    return tf.cumsum(tf.math.log(x), axis=axis)


def quiet_of_both_signs(x=(2.0, 3.0)):
    return tf.math.log(tf.reduce_prod(x))


def quiet_of_bounded_factors(x=(2.0, 3.0)):
    return tf.math.log(1.5 + tf.reduce_prod(tf.sigmoid(x)))
