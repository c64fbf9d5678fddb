"""`x == nan` is always false and `x != nan` always true, even where x is NaN; use `is_nan`

In floating-point arithmetic NaN is unequal to every number and to itself, so the comparison tests nothing. `is_nan`
performs the intended test.
"""
import tensorflow as tf

code = "TFN1202"


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
