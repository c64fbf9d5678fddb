"""a sigmoid written as exp(x) / (1 + exp(x)) is inf / inf = NaN above 88

In float32 exp(89) is inf, and so is 1 + exp(89): a confident unit becomes NaN. The same holds for the probability that
one of two scores wins, exp(a) / (exp(a) + exp(b)), which is 0/0 where both are below -104 as well. `sigmoid` is the
same function without overflow.
"""
import tensorflow as tf

code = "TFN702"
dtypes = ("float32", "float64")


def before(x=1000.0):
    return tf.exp(x) / (1.0 + tf.exp(x))


def after(x):
    return tf.sigmoid(x)


def before_density(x=-1000.0):
    return tf.exp(-x) / tf.square(1.0 + tf.exp(-x))


def after_density(x):
    return tf.sigmoid(x) * tf.sigmoid(-x)


def before_of_two_scores(a=1000.0, b=990.0):
    return tf.exp(a) / (tf.exp(a) + tf.exp(b))


def after_of_two_scores(a, b):
    return tf.sigmoid(a - b)


def before_minus_of_two_scores(a=1000.0, b=990.0):
    return -tf.exp(a) / (tf.exp(a) + tf.exp(b))


def after_minus_of_two_scores(a, b):
    return -tf.sigmoid(a - b)


def before_scaled_of_two_scores(y=2.0, a=1000.0, b=990.0):
    return y * tf.exp(a) / (tf.exp(a) + tf.exp(b))


def after_scaled_of_two_scores(y, a, b):
    return y * tf.sigmoid(a - b)


def quiet_bounded(x=1000.0):
    e = tf.exp(tf.clip_by_value(x, -30.0, 30.0))
    return e / (1.0 + e)


def quiet_of_a_negative_number(x=1000.0):
    e = tf.exp(-tf.abs(x))
    return e / (1.0 + e)


def quiet_of_two_bounded_scores(a=1.0, b=1.0):
    first, second = tf.exp(tf.tanh(a)), tf.exp(tf.tanh(b))
    return first / (first + second)
