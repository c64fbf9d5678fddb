"""a sigmoid written as exp(x) / (1 + exp(x)) is inf / inf = NaN above 88

In float32 exp(89) is inf, and so is 1 + exp(89): a confident unit becomes NaN. `sigmoid` is the same function without
overflow.
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


def quiet_bounded(x=1000.0):
    e = tf.exp(tf.clip_by_value(x, -30.0, 30.0))
    return e / (1.0 + e)


def quiet_of_a_negative_number(x=1000.0):
    e = tf.exp(-tf.abs(x))
    return e / (1.0 + e)
