"""the gradient of `sqrt` of a ReLU is NaN for every negative input

A ReLU is exactly 0 for every negative input. There the derivative of the root is infinite and that of the ReLU is 0, so
their product is NaN: for half of all inputs, not at a single point. Keep the argument above 0. XLA selects instead of
multiplying, so the finding applies to eager and graph mode.

https://github.com/tensorflow/tensorflow/issues/30199
"""
import tensorflow as tf

from tfnanlint.template import differentiated

code = "TFN304"
modes = ("eager", "graph")
dtypes = ("float32", "float64")


def before(x: differentiated = -1.0):
    return tf.sqrt(tf.nn.relu(x))


def guard(x):
    return tf.sqrt(tf.maximum(x, 1e-12))


def before_power(x: differentiated = -1.0):
    return tf.nn.relu(x) ** 0.5


def quiet_with_an_epsilon(x=-1.0):
    return tf.sqrt(tf.nn.relu(x) + 1e-6)


def quiet_of_softplus(x=-1.0):
    return tf.sqrt(tf.nn.softplus(x))
