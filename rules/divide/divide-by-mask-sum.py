"""a masked mean is 0/0 = NaN when the mask selects no element

The numerator sums the selected elements and the divisor sums the mask. When a row or a batch is fully masked, both are
0. The NaN then spreads through the mean of the batch. `divide_no_nan` returns 0 in that case. Older versions of
TensorFlow 1 do not have it: there, keep the sum of a mask that is never negative above 0.

https://github.com/keras-team/keras/pull/11643
https://github.com/keras-team/keras/issues/3270
"""
import tensorflow as tf

from tfnanlint.template import within

code = "TFN201"
dtypes = ("float32", "float64")


def before(x=((1.0, 2.0),), mask=((0.0, 0.0),), axis=None, keepdims=False):
    return tf.reduce_sum(x * mask, axis=axis, keepdims=keepdims) / tf.reduce_sum(mask, axis=axis, keepdims=keepdims)


def guard(x, mask, axis, keepdims):
    return tf.math.divide_no_nan(
        tf.reduce_sum(x * mask, axis=axis, keepdims=keepdims), tf.reduce_sum(mask, axis=axis, keepdims=keepdims)
    )


def before_with_the_masked_values_named(x=((1.0, 2.0),), mask=((0.0, 0.0),), axis=None, keepdims=False):
    masked = x * mask
    total = tf.reduce_sum(masked, axis=axis, keepdims=keepdims)
    count = tf.reduce_sum(mask, axis=axis, keepdims=keepdims)
    return total / count


def guard_with_the_masked_values_named(total, count):
    return tf.math.divide_no_nan(total, count)


def before_of_flags(x=((1.0, 2.0),), mask: within(0.0, 1e999) = ((0.0, 0.0),), axis=None, keepdims=False):
    return tf.reduce_sum(x * mask, axis=axis, keepdims=keepdims) / tf.reduce_sum(mask, axis=axis, keepdims=keepdims)


def guard_of_flags(x, mask, axis, keepdims):
    return tf.reduce_sum(x * mask, axis=axis, keepdims=keepdims) / tf.maximum(
        tf.reduce_sum(mask, axis=axis, keepdims=keepdims), 1e-12
    )


def quiet_at_least_one(x=((1.0, 2.0),), mask=((0.0, 0.0),)):
    return tf.reduce_sum(x * mask) / tf.maximum(tf.reduce_sum(mask), 1.0)


def quiet_plus_epsilon(x=((1.0, 2.0),), mask=((0.0, 0.0),)):
    return tf.reduce_sum(x * mask) / (tf.reduce_sum(tf.abs(mask)) + 1e-6)


def quiet_positive_weights(x=((1.0, 2.0),), mask=((0.0, 0.0),)):
    w = tf.nn.softmax(mask)
    return tf.reduce_sum(x * w, axis=-1) / tf.reduce_sum(w, axis=-1)
