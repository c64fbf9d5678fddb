"""a maximum over the elements that a mask selects is -inf where it selects none

`boolean_mask` leaves an empty tensor, whose maximum is -inf and whose minimum is inf; the log-sum-exp is -inf
as well. Choose with `tf.where` instead of dropping, and give the rest a value of your own.
"""
import tensorflow as tf

dtypes = ("float32", "float64")


def before(x=(1.0, 2.0), mask=(False, False), axis=None, keepdims=False):
    return tf.reduce_max(tf.boolean_mask(x, mask), axis=axis, keepdims=keepdims)


def before_minimum(x=(1.0, 2.0), mask=(False, False), axis=None, keepdims=False):
    return tf.reduce_min(tf.boolean_mask(x, mask), axis=axis, keepdims=keepdims)


def before_log_sum_exp(x=(1.0, 2.0), mask=(False, False), axis=None, keepdims=False):
    return tf.reduce_logsumexp(tf.boolean_mask(x, mask), axis=axis, keepdims=keepdims)


def quiet_chosen(x=(1.0, 2.0), mask=(False, False)):
    return tf.reduce_max(tf.where(mask, x, tf.zeros_like(x)))
