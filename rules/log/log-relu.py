"""`log` of a ReLU is -inf for every negative input

A ReLU is exactly 0 for every input that is not positive. The log is -inf there, and its gradient NaN. Keep the input
above 0 instead, or use `log1p` if log(1 + relu(x)) was intended.
"""
import tensorflow as tf

code = "TFN116"


def before(x=-1.0):
    return tf.math.log(tf.nn.relu(x))


def before_as_a_maximum(x=-1.0):
    return tf.math.log(tf.maximum(x, 0.0))


def guard(x):
    return tf.math.log(tf.maximum(x, 1e-30))


def before_relu6(x=-1.0):
    return tf.math.log(tf.nn.relu6(x))


def guard_relu6(x):
    return tf.math.log(tf.maximum(tf.nn.relu6(x), 1e-30))


def quiet_of_a_softplus(x=-1.0):
    return tf.math.log(tf.nn.softplus(x))


def quiet_with_one_inside(x=-1.0):
    return tf.math.log1p(tf.nn.relu(x))


def quiet_with_an_epsilon_inside(x=-1.0):
    return tf.math.log(tf.nn.relu(x) + 1e-6)


def quiet_when_bounded_away_from_zero(x=-1.0):
    return tf.math.log(tf.maximum(tf.nn.relu(x), 1e-6))
