"""graph mode loses an epsilon that is added to `1 - p`, and the guard is 0 where p is 1

TensorFlow's graph optimizer rewrites (1 - p) + e to (1 + e) - p, and so does XLA. It runs in a `tf.function`, in Keras
`fit` and in a session. For an e below 6e-8 the sum 1 + e is 1 in float32, so the result is 0 where p is 1. Eager mode
keeps the epsilon, so a test in eager mode passes. `maximum` is not rewritten. The graph optimizer keeps a difference
that is used a second time, as in (1 - p) * log(1 - p + e); XLA does not. TensorFlow 1.15 keeps the epsilon in a run
that computes the gradient as well, and loses it where the value is computed alone.

https://github.com/tensorflow/tensorflow/issues/52045
https://github.com/tensorflow/tensorflow/issues/47548
https://github.com/tensorflow/tensorflow/issues/55814
"""
import tensorflow as tf

from tfnanlint.template import differentiated, literal, single_use, unbounded, within

code = "TFN1004"
modes = ("graph", "xla")


def before(p: unbounded(1.0) & single_use = 1.0, e: literal & within(1e-37, 2.9e-8) = 1e-8):
    return tf.math.log(1.0 - p + e)


def guard(p, e):
    return tf.math.log(tf.maximum(1.0 - p, e))


def before_divisor(y=1.0, p: unbounded(1.0) & single_use = 1.0, e: literal & within(1e-37, 2.9e-8) = 1e-8):
    return y / (1.0 - p + e)


def guard_divisor(y, p):
    return tf.math.divide_no_nan(y, 1.0 - p)


def before_root(p: unbounded(1.0) & single_use & differentiated = 1.0, e: literal & within(1e-37, 2.9e-8) = 1e-8):
    return tf.sqrt(1.0 - p + e)


def guard_root(p, e):
    return tf.sqrt(tf.maximum(1.0 - p, e))


def quiet_larger_epsilon(p=1.0):
    return tf.math.log(1.0 - tf.minimum(p, 1.0) + 1e-6)


def quiet_difference_away_from_zero(p=1.0):
    return tf.math.log(1.0 - 0.5 * tf.sigmoid(p) + 1e-8)


def quiet_maximum(p=1.0):
    return tf.math.log(tf.maximum(1.0 - p, 1e-8))


def quiet_sum_first(p=0.5):
    return tf.math.log(tf.abs(p) + 1e-8)
