"""`-inf - -inf` is NaN, as in a log-sum-exp or a softmax by hand of a row that holds only -inf

The scores of what is masked, and the log-probabilities of what cannot happen, are -inf. If all of a row are, their
maximum is -inf as well, and subtracting it gives NaN. `tf.reduce_logsumexp` gives -inf for such a row, but its gradient
is NaN. Use a large finite number such as -1e9 instead of -inf.
"""
import tensorflow as tf

from tfnanlint.template import bfloat16, differentiated, float32, float64, reaches

code = "TFN906"
dtypes = ("float32", "float64")


def before(
    x: reaches(-1e999) & float32 & float64 & bfloat16 = (-1e999, 1.0),
    y: reaches(-1e999) & float32 & float64 & bfloat16 = (-1e999, 0.5),
):
    return x - y


def before_log_sum_exp(x: reaches(-1e999) & differentiated = ((-1e999, -1e999),), axis=-1, keepdims=False):
    return tf.reduce_logsumexp(x, axis=axis, keepdims=keepdims)


def quiet_finite(x=((-1e9, -1e9), (1.0, 2.0))):
    return x - tf.reduce_max(x, axis=-1, keepdims=True)


def quiet_log_sum_exp_of_one_path(x=((1.0, 2.0),), mask=((True, False),)):
    return tf.reduce_logsumexp(tf.where(mask, x, float("-inf")), axis=-1)


def quiet_where_one_path_is_possible(x=(1.0, 2.0), mask=(True, False)):
    scores = tf.where(mask, x, float("-inf"))
    return tf.exp(scores - 2.0)
