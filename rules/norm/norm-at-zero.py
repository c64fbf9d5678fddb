"""the gradient of a norm at a zero vector is NaN

The derivative of a norm is x / norm(x), which is 0 / 0 for a vector of zeros.
"""
import tensorflow as tf

from tfnanlint.template import differentiated


def before(x: differentiated = (0.0, 0.0), axis=-1, keepdims=False):
    return tf.norm(x, axis=axis, keepdims=keepdims)


def guard(x, axis, keepdims):
    return tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x), axis=axis, keepdims=keepdims), 1e-12))
