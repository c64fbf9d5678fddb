"""a hand-written softmax is inf / inf = NaN above 88, and 0/0 = NaN when all logits are below -104

In float32 exp(89) is inf, and the exponentials of a row of logits below -104 are all 0. Either way the quotient is NaN.
`softmax` subtracts the largest logit first. Without kept dimensions, exp(x - logsumexp(x)) is the same function. For a
softmax over segments, subtract the largest logit of each: `tf.gather(tf.math.unsorted_segment_max(x, ids, n), ids)`.

https://stackoverflow.com/questions/49845685
"""
import tensorflow as tf

from tfnanlint.template import literal, unbounded, within

code = "TFN601"
dtypes = ("float32", "float64")


def before(x: unbounded(88.0) = ((1000.0, 1.0),), axis=-1):
    return tf.exp(x) / tf.reduce_sum(tf.exp(x), axis=axis, keepdims=True)


def after(x, axis):
    return tf.nn.softmax(x, axis=axis)


def before_expanded(x: unbounded(88.0) = ((1000.0, 1.0),), axis=-1):
    return tf.exp(x) / tf.expand_dims(tf.reduce_sum(tf.exp(x), axis=axis), axis=axis)


def after_expanded(x, axis):
    return tf.nn.softmax(x, axis=axis)


def before_over_all_elements(z: unbounded(88.0) = (1000.0, 1.0), axis=None, keepdims=False):
    return tf.exp(z) / tf.reduce_sum(tf.exp(z), axis=axis, keepdims=keepdims)


def after_over_all_elements(z, axis, keepdims):
    return tf.exp(z - tf.reduce_logsumexp(z, axis=axis, keepdims=keepdims))


def before_of_segments(x: unbounded(88.0) = (1000.0, 1.0), segment_ids=(0, 0), num_segments=1):
    weights = tf.exp(x)
    return weights / tf.gather(tf.math.unsorted_segment_sum(weights, segment_ids, num_segments), segment_ids)


def quiet_of_segments_whose_maximum_is_taken_out(x=(1000.0, 1.0), segment_ids=(0, 0), num_segments=1):
    x = x - tf.gather(tf.math.unsorted_segment_max(x, segment_ids, num_segments), segment_ids)
    weights = tf.exp(x)
    return weights / tf.gather(tf.math.unsorted_segment_sum(weights, segment_ids, num_segments), segment_ids)


def before_plus_epsilon(x: unbounded(88.0) = ((1000.0, 1.0),), axis=-1, epsilon: literal & within(0.0, 1e-3) = 1e-7):
    return tf.exp(x) / (tf.reduce_sum(tf.exp(x), axis=axis, keepdims=True) + epsilon)


def rework_plus_epsilon(x, axis):
    return tf.nn.softmax(x, axis=axis)


def before_log(x: unbounded(88.0) = ((1000.0, 1.0),), axis=-1):
    return x - tf.math.log(tf.reduce_sum(tf.exp(x), axis=axis, keepdims=True))


def after_log(x, axis):
    return tf.nn.log_softmax(x, axis=axis)


def before_one_against_the_others(p: unbounded(88.0) = (1000.0, 1.0), n=((999.0, 1.0), (0.0, 1.0)), axis=-1):
    return tf.exp(p) / (tf.exp(p) + tf.reduce_sum(tf.exp(n), axis=axis))


def after_one_against_the_others(p, n, axis):
    return tf.sigmoid(p - tf.reduce_logsumexp(n, axis=axis))


def before_one_against_the_others_kept(
    p: unbounded(88.0) = ((1000.0,), (1.0,)), n=((999.0, 1.0), (0.0, 1.0)), axis=-1, keepdims=True
):
    return tf.exp(p) / (tf.exp(p) + tf.reduce_sum(tf.exp(n), axis=axis, keepdims=keepdims))


def after_one_against_the_others_kept(p, n, axis, keepdims):
    return tf.sigmoid(p - tf.reduce_logsumexp(n, axis=axis, keepdims=keepdims))


def before_diagonal(x: unbounded(88.0) = ((1000.0, 1.0), (1.0, 1000.0)), axis=-1):
    return tf.linalg.diag_part(tf.exp(x)) / tf.reduce_sum(tf.exp(x), axis=axis)


def after_diagonal(x, axis):
    return tf.linalg.diag_part(tf.nn.softmax(x, axis=axis))


def before_one_maximum(x=((2000.0, 0.0), (0.0, 1.0)), axis=-1):
    e = tf.exp(x - tf.reduce_max(x))
    return e / tf.reduce_sum(e, axis=axis, keepdims=True)


def after_one_maximum(x, axis):
    return tf.nn.softmax(x, axis=axis)


def before_no_nan(x: unbounded(88.0) = (1000.0, 1.0), axis=-1):
    return tf.math.divide_no_nan(tf.exp(x), tf.reduce_sum(tf.exp(x), axis=axis, keepdims=True))


def after_no_nan(x, axis):
    return tf.nn.softmax(x, axis=axis)


def quiet_shifted_by_the_maximum(x=(1000.0, 1.0)):
    e = tf.exp(x - tf.reduce_max(x, axis=-1, keepdims=True))
    return e / tf.reduce_sum(e, axis=-1, keepdims=True)


def quiet_bell_curve(x=(1000.0, 1.0)):
    bell = tf.exp(-0.5 * tf.square(x - 1.0))
    return bell / tf.reduce_sum(bell)


def quiet_of_cosines_against_the_others(x=(1000.0, 1.0), y=((1000.0, 1.0), (0.0, 1.0))):
    cosines = tf.linalg.matvec(tf.math.l2_normalize(y, axis=-1), tf.math.l2_normalize(x, axis=-1))
    p = tf.exp(tf.tanh(x) / 0.1)
    return p / (p + tf.reduce_sum(tf.exp(tf.tanh(cosines) / 0.1)))


def quiet_of_small_logits(x=(1000.0, 1.0)):
    e = tf.exp(tf.tanh(x))
    return e / tf.reduce_sum(e, axis=-1, keepdims=True)


def quiet_plain_softmax(x=((1000.0, 1.0),)):
    return tf.nn.softmax(x)
