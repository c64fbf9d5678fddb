"""the odds of a sigmoid are infinite as soon as it rounds to 1

In float32 the sigmoid of anything above 17 is exactly 1, and what it leaves to 1 exactly 0. The odds are `exp(x)`,
which holds up to 88, and their logarithm is x itself.
"""
import tensorflow as tf


def before(x=20.0):
    return tf.sigmoid(x) / (1.0 - tf.sigmoid(x))


def after(x):
    return tf.exp(x)


def before_logarithm(x=20.0):
    return tf.math.log(tf.sigmoid(x) / (1.0 - tf.sigmoid(x)))


def after_logarithm(x):
    return tf.identity(x)


def quiet_of_a_bounded_logit(x=20.0):
    p = tf.sigmoid(tf.tanh(x))
    return p / (1.0 - p)


def quiet_of_the_other_side(x=20.0):
    return tf.sigmoid(x) / (1.0 + tf.sigmoid(x))
