"""a softmax over a single unit is 1 whatever the unit says, and its gradient 0

A softmax divides by the sum over its axis; where that axis has one element the quotient is 1. Nothing is learnt, and
the accuracy stays the share of one class. One unit wants a sigmoid, and the binary cross-entropy.
"""
import tensorflow as tf

from tfnanlint.template import single

severity = "warning"


def before(x: single = ((5.0,), (-3.0,))):
    return tf.nn.softmax(x)


def rework(x):
    return tf.sigmoid(x)


def quiet_two_units(x=((5.0, 0.0), (-3.0, 0.0))):
    return tf.nn.softmax(x)


def quiet_along_another_axis(x=((5.0,), (-3.0,))):
    return tf.nn.softmax(x, axis=0)
