"""a maximum over a masked selection is -inf when the mask selects no element

`boolean_mask` then returns an empty tensor. Its maximum is -inf, its minimum inf and its log-sum-exp -inf. Use
`tf.where` instead of dropping elements, and give the masked ones a finite value.
"""
import tensorflow as tf

code = "TFN1402"
dtypes = ("float32", "float64")


def before(x=(1.0, 2.0), mask=(False, False), axis=None, keepdims=False):
    return tf.reduce_max(tf.boolean_mask(x, mask), axis=axis, keepdims=keepdims)


def before_minimum(x=(1.0, 2.0), mask=(False, False), axis=None, keepdims=False):
    return tf.reduce_min(tf.boolean_mask(x, mask), axis=axis, keepdims=keepdims)


def before_log_sum_exp(x=(1.0, 2.0), mask=(False, False), axis=None, keepdims=False):
    return tf.reduce_logsumexp(tf.boolean_mask(x, mask), axis=axis, keepdims=keepdims)


def quiet_chosen(x=(1.0, 2.0), mask=(False, False)):
    return tf.reduce_max(tf.where(mask, x, tf.zeros_like(x)))
