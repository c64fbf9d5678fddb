"""the gradient of `sqrt` at 0 is infinite

The derivative of a square root is 1 / (2 sqrt(x)). One row of zeros makes it infinite, the chain rule
multiplies that by the 0 of the row's own gradient, and the NaN reaches every weight the row touched.
Keep the argument away from 0.
"""
import tensorflow as tf

from tfnanlint.template import differentiated, reaches


def before(x: reaches(0) & differentiated = 0.0):
    return tf.sqrt(x)


def guard(x):
    return tf.sqrt(tf.maximum(x, 1e-12))


def before_sum_of_squares(h: differentiated = (0.0, 0.0)):
    return tf.sqrt(tf.reduce_sum(tf.square(h), axis=-1))


def quiet_with_an_epsilon_inside(h=(0.0, 0.0)):
    return tf.sqrt(tf.reduce_sum(tf.square(h), axis=-1) + 1e-12)
