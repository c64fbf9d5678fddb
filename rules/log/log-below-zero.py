"""`log` of a negative number is NaN

The argument is negative for ordinary data, and adding an epsilon does not change that. If the sign does not matter,
take the absolute value. If the argument stands for a probability or a variance, make it positive (softmax, softplus)
before the log.
"""
import tensorflow as tf

from tfnanlint.template import below

code = "TFN101"


def before(x: below(-1e-30) = -1.0):
    return tf.math.log(x)


def before_log1p(h: below(-1.001) = -2.0):
    return tf.math.log1p(h)


def before_leaky(h=-1.0):
    return tf.math.log(tf.nn.leaky_relu(h))


def quiet_of_an_absolute_value(x=-1.0):
    return tf.math.log(tf.abs(tf.tanh(x)) + 1e-6)


def quiet_when_shifted_above_zero(x=-1.0):
    return tf.math.log(tf.tanh(x) + 1.5)


def quiet_of_an_unknown_value(x=1.0):
    return tf.math.log(x)
