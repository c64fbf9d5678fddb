"""dividing by a standard deviation is NaN when all elements are equal

The standard deviation of a constant row, or of a row with one element, is 0. The standardized value is then 0/0, and
its gradient is NaN. Divide by the square root of a variance that is kept above 0.
"""
import tensorflow as tf

code = "TFN205"
dtypes = ("float32", "float64")


def before(y=(0.0, 0.0), x=(1.0, 1.0), axis=-1, keepdims=False):
    return y / tf.math.reduce_std(x, axis=axis, keepdims=keepdims)


def guard(y, x, axis, keepdims):
    return y / tf.sqrt(tf.maximum(tf.math.reduce_variance(x, axis=axis, keepdims=keepdims), 1e-12))


def before_standardized(h=(1.0, 1.0)):
    return (h - tf.reduce_mean(h)) / tf.math.reduce_std(h)


def quiet_root_of_a_variance_with_epsilon(x=(1.0, 1.0)):
    return (x - tf.reduce_mean(x)) / tf.sqrt(tf.math.reduce_variance(x) + 1e-6)


def quiet_behind_stop_gradient(x=(1.0, 1.0)):
    return x / (tf.math.reduce_std(tf.stop_gradient(x)) + 1e-6)
