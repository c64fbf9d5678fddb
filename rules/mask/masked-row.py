"""a softmax over a row that is fully masked with -inf is NaN

The softmax of a row that holds only -inf is 0/0, and so is the gradient of its log-sum-exp. A padded example or an
empty set makes such a row. With a large finite number instead of -inf, the softmax of that row is uniform.
"""
import tensorflow as tf

from tfnanlint.template import bfloat16, data, differentiated, float32, float64, reaches

code = "TFN903"
dtypes = ("float32", "float64")
severity = "warning"


def before(mask: reaches(0) & data = ((False, False),), x: float32 & float64 & bfloat16 = ((1.0, 2.0),)):
    return tf.nn.softmax(tf.where(mask, x, float("-inf")))


def rework(mask, x):
    return tf.nn.softmax(tf.where(mask, x, -1e9))


def before_log_sum_exp(mask: reaches(0) & data = ((False, False),), x: differentiated = ((1.0, 2.0),)):
    return tf.reduce_logsumexp(tf.where(mask, x, float("-inf")))


def rework_log_sum_exp(mask, x):
    return tf.reduce_logsumexp(tf.where(mask, x, -1e9))


def quiet_finite(k=(0, 0), x=(1.0, 2.0)):
    return tf.nn.softmax(tf.where(tf.not_equal(k, 0), x, tf.zeros_like(x) - 1e9))


def quiet_causal(x=((1.0, 2.0), (3.0, 4.0))):
    at = tf.range(2)
    return tf.nn.softmax(tf.where(at[:, None] >= at[None, :], x, float("-inf")))
