"""`x * log(x)` is 0 * -inf = NaN at 0, where its limit is 0

One probability of exactly 0 makes the whole entropy NaN. `xlogy` is 0 where its first argument is 0, and so is its
gradient. A `where` around the product repairs only the value.
"""
import tensorflow as tf

from tfnanlint.template import numbers, reaches

code = "TFN120"


def before(x: reaches(0) = (0.0, 0.5)):
    return x * tf.math.log(x)


def guard(x):
    return tf.math.xlogy(x, x)


def before_negated(x: reaches(0) & numbers = (0.0, 0.5)):
    return -x * tf.math.log(x)


def guard_negated(x):
    return -tf.math.xlogy(x, x)


def before_negated_log(x: reaches(0) & numbers = (0.0, 0.5)):
    return x * -tf.math.log(x)


def guard_negated_log(x):
    return -tf.math.xlogy(x, x)


def before_scaled(x: reaches(0) & numbers = (0.0, 0.5), c=2.0):
    return c * x * tf.math.log(x)


def guard_scaled(x, c):
    return c * tf.math.xlogy(x, x)


def before_log_of_quotient(x: reaches(0) & numbers = (0.0, 0.5), q=(0.5, 0.5)):
    return x * tf.math.log(x / q)


def guard_log_of_quotient(x, q):
    return tf.math.xlogy(x, x / q)


def before_scaled_log(x: reaches(0) & numbers = (0.0, 0.5), c=2.0):
    return x * (tf.math.log(x) / c)


def guard_scaled_log(x, c):
    return tf.math.xlogy(x, x) / c


def quiet_xlogy(x=(0.0, 0.5)):
    return tf.math.xlogy(x, x)


def quiet_from_logits(logits=(200.0, 0.0, -200.0)):
    return -tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), axis=-1)


def quiet_with_an_epsilon_inside(logits=(200.0, 0.0, -200.0)):
    p = tf.nn.softmax(logits)
    return -tf.reduce_sum(p * tf.math.log(p + 1e-8), axis=-1)


def quiet_of_an_unknown_value(x=1.0):
    return x * tf.math.log(x)
