"""`log(1 - exp(x))` is -inf where exp(x) rounds to 1

In float32 the exponential of anything between -3e-8 and 0 is exactly 1. The difference is then exactly 0, and its log
-inf. `log(-expm1(x))` is exact there. Below -1, `log1p(-exp(x))` is the more exact of the two. A log-softmax is exactly
0 for a class with probability 1: keep it below 0 before taking its exponential.
"""
import tensorflow as tf

from tfnanlint.template import unbounded

code = "TFN110"


def before(x=-1e-8):
    return tf.math.log(1.0 - tf.exp(x))


def after(x):
    return tf.math.log(-tf.math.expm1(x))


def before_with_log1p(x=-1e-8):
    return tf.math.log1p(-tf.exp(x))


def before_negated(y=1e-8):
    return tf.math.log(1.0 - tf.exp(-y))


def after_negated(y):
    return tf.math.log(-tf.math.expm1(-y))


def before_of_log_softmax(logits: unbounded(17.0) = (200.0, 0.0), axis=-1):
    return tf.math.log(1.0 - tf.exp(tf.nn.log_softmax(logits, axis=axis)))


def guard_of_log_softmax(logits, axis):
    return tf.math.log(-tf.math.expm1(tf.minimum(tf.nn.log_softmax(logits, axis=axis), -1e-7)))


def quiet_away_from_zero(x=-1e-8):
    return tf.math.log(1.0 - tf.exp(-1.0 - tf.square(x)))


def quiet_with_expm1(x=-1.0):
    return tf.math.log(-tf.math.expm1(x))
