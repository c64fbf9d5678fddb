"""a division is inf or NaN where its divisor is 0

The divisor is a sum, a count, a mean or a difference that is 0 for some data: no element is selected, all elements are
equal, or all of them are padding. The repair depends on what is known of the dividend and the divisor:

- The dividend is 0 too, or the program replaces the result there: `divide_no_nan` returns 0 with a gradient of 0, and
  the same quotient everywhere else.
- The divisor is a count: keep it at 1 or above.
- The divisor is never negative: keep it above 0. The quotient is then large, where a 0 would hide the limit.
- The divisor has either sign: no repair is offered, because only you know the right value.

https://github.com/tensorflow/tensorflow/issues/38349
https://github.com/tensorflow/tensorflow/issues/27684
https://github.com/tensorflow/tensorflow/issues/20091
https://github.com/tensorflow/tensorflow/issues/20355
https://github.com/tensorflow/tensorflow/issues/2540
https://github.com/tensorflow/tensorflow/pull/38467
"""
import tensorflow as tf

from tfnanlint.template import count, reaches, within, zero_there

code = "TFN206"
dtypes = ("float32", "float64")


def before_zero_by_zero(x: zero_there = 0.0, y: reaches(0) = 0.0):
    return x / y


def guard_zero_by_zero(x, y):
    return tf.math.divide_no_nan(x, y)


def before_by_a_count(x=1.0, n: count & reaches(0) = 0.0):
    return x / n


def guard_by_a_count(x, n):
    return x / tf.maximum(n, 1.0)


def before_by_a_number_from_zero_up(x=1.0, d: reaches(0) & within(0.0, 1e999) = 0.0):
    return x / d


def guard_by_a_number_from_zero_up(x, d):
    return x / tf.maximum(d, 1e-12)


def before_reciprocal_from_zero(d: reaches(0) & within(0.0, 1e999) = 0.0):
    return tf.math.reciprocal(d)


def guard_reciprocal_from_zero(d):
    return tf.math.reciprocal(tf.maximum(d, 1e-12))


def before(x=1.0, y: reaches(0) = 0.0):
    return x / y


def before_reciprocal(d: reaches(0) = 0.0):
    return tf.math.reciprocal(d)


def before_guarded_at_zero_over_zero(n=1.0, e: reaches(0) = 0.0):
    return tf.math.xdivy(n, e)


def before_count(h=(1.0, 2.0), k=(1, 2)):
    selected = tf.cast(tf.equal(k, 0), h.dtype)
    return h / tf.reduce_sum(selected)


def before_scaled_between_minimum_and_maximum(h=(3.0, 3.0)):
    return (h - tf.reduce_min(h)) / (tf.reduce_max(h) - tf.reduce_min(h))


def before_share(h=(0.0, 0.0)):
    a = tf.abs(h)
    return a / tf.reduce_sum(a)


def before_heatmap(h=(0.0, 0.0), axis=None, keepdims=False):
    return tf.maximum(h, 0.0) / tf.reduce_max(h, axis=axis, keepdims=keepdims)


def guard_heatmap(h, axis, keepdims):
    return tf.math.divide_no_nan(tf.maximum(h, 0.0), tf.reduce_max(h, axis=axis, keepdims=keepdims))


def quiet_at_least_one(h=(1.0, 2.0), k=(1, 2)):
    selected = tf.cast(tf.equal(k, 0), h.dtype)
    return h / tf.maximum(tf.reduce_sum(selected), 1.0)


def quiet_with_an_epsilon(h=(0.0, 0.0)):
    a = tf.abs(h)
    return a / (tf.reduce_sum(a) + 1e-6)


def quiet_no_nan(h=(0.0, 0.0)):
    return tf.math.divide_no_nan(h, tf.reduce_sum(tf.abs(h)))


def quiet_by_a_number_of_elements(h=(1.0, 2.0)):
    return tf.reduce_sum(h) / tf.cast(tf.size(h), h.dtype)


def quiet_chosen_where_not_zero(x=(0.0, 0.0)):
    total = tf.stop_gradient(tf.reduce_sum(tf.abs(x)))
    return tf.stop_gradient(tf.where(total > 0.0, 1.0 / total, 1.0)) * x


def quiet_double_where(h=(0.0, 0.0)):
    total = tf.reduce_sum(tf.abs(h))
    safe = tf.where(total > 0.0, total, 1.0)
    return tf.where(total > 0.0, h / safe, 0.0)


def quiet_of_a_softmax(h=(0.0, 200.0)):
    p = tf.nn.softmax(h)
    return p / tf.reduce_sum(p, axis=-1, keepdims=True)
