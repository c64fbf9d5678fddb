"""the gradient of a standard deviation is NaN when all elements are equal

A standard deviation is the root of a variance, which is 0 for a constant row and for a row of one element. The
derivative of the root is infinite there and that of the variance is 0, so their product is NaN. Take the root of a
variance that is kept above 0.

https://github.com/tensorflow/tensorflow/issues/56830
https://github.com/keras-team/keras/issues/2960
"""
import tensorflow as tf

from tfnanlint.template import differentiated, literal, within

code = "TFN306"
dtypes = ("float32", "float64")


def before(x: differentiated = (1.0, 1.0), axis=-1, keepdims=False):
    return tf.math.reduce_std(x, axis=axis, keepdims=keepdims)


def guard(x, axis, keepdims):
    return tf.sqrt(tf.maximum(tf.math.reduce_variance(x, axis=axis, keepdims=keepdims), 1e-12))


def before_plus_epsilon(
    v: differentiated = (1.0, 1.0), axis=-1, keepdims=False, epsilon: literal & within(1e-30, 1.0) = 1e-7
):
    return tf.math.reduce_std(v, axis=axis, keepdims=keepdims) + epsilon


def quiet_variance(x=(1.0, 1.0)):
    return tf.math.reduce_variance(x)


def quiet_root_of_a_variance_with_epsilon(x=(1.0, 1.0)):
    return tf.sqrt(tf.math.reduce_variance(x, axis=-1) + 1e-6)


def quiet_behind_stop_gradient(x=(1.0, 1.0)):
    return x * tf.math.reduce_std(tf.stop_gradient(x))
