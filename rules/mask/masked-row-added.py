"""a softmax of scores plus a mask of -inf is NaN for a row that is fully masked

Every score of the row plus -inf is -inf, and the softmax of that row is 0/0. So is the gradient of its log-sum-exp. A
padded example or an empty set makes such a row. With a large finite number instead of -inf, its softmax is finite.
"""
import tensorflow as tf

from tfnanlint.template import data, differentiated, reaches

code = "TFN904"
dtypes = ("float32",)
severity = "warning"


def before(mask: reaches(0) & data = ((False, False),), x=((1.0, 2.0),)):
    return tf.nn.softmax(x + tf.where(mask, 0.0, float("-inf")))


def rework(mask, x):
    return tf.nn.softmax(x + tf.where(mask, 0.0, -1e9))


def before_expanded(mask: reaches(0) & data = ((False, False),), x=(((1.0, 2.0),),), axis=1):
    return tf.nn.softmax(x + tf.expand_dims(tf.where(mask, 0.0, float("-inf")), axis))


def rework_expanded(mask, x, axis):
    return tf.nn.softmax(x + tf.expand_dims(tf.where(mask, 0.0, -1e9), axis))


def before_expanded_twice(mask: reaches(0) & data = ((False, False),), x=((((1.0, 2.0),),),), outer=1, inner=1):
    return tf.nn.softmax(x + tf.expand_dims(tf.expand_dims(tf.where(mask, 0.0, float("-inf")), inner), outer))


def rework_expanded_twice(mask, x, outer, inner):
    return tf.nn.softmax(x + tf.expand_dims(tf.expand_dims(tf.where(mask, 0.0, -1e9), inner), outer))


def before_log_sum_exp(mask: reaches(0) & data = ((False, False),), x: differentiated = ((1.0, 2.0),)):
    return tf.reduce_logsumexp(x + tf.where(mask, 0.0, float("-inf")))


def rework_log_sum_exp(mask, x):
    return tf.reduce_logsumexp(x + tf.where(mask, 0.0, -1e9))


def quiet_finite(mask=((False, False),), x=((1.0, 2.0),)):
    return tf.nn.softmax(x + tf.where(mask, 0.0, -1e9))


def quiet_causal(x=((1.0, 2.0), (3.0, 4.0))):
    at = tf.range(2)
    return tf.nn.softmax(x + tf.where(at[:, None] >= at[None, :], 0.0, float("-inf")))
