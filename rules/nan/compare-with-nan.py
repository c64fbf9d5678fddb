"""nothing equals NaN, not even NaN: the comparison is false everywhere

By the rules of floating-point numbers `x == nan` is false and `x != nan` true for every x. `is_nan` asks the question
that was meant.
"""
import tensorflow as tf


def before(x=(1.0, float("nan"))):
    return tf.equal(x, float("nan"))


def after(x):
    return tf.math.is_nan(x)


def before_unequal(x=(1.0, float("nan"))):
    return tf.not_equal(x, float("nan"))


def after_unequal(x):
    return tf.logical_not(tf.math.is_nan(x))


def quiet_is_nan(x=(1.0, 2.0)):
    return tf.where(tf.math.is_nan(x), 0.0, x)
