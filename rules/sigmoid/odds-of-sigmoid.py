"""`p / (1 - p)` of a sigmoid is infinite as soon as the sigmoid rounds to 1

In float32 the sigmoid of anything above 17 is exactly 1, so 1 - p is exactly 0. The odds are `exp(x)`, which is finite
up to 88. The log of the odds is x itself.
"""
import tensorflow as tf

code = "TFN701"


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
