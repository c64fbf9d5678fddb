"""a softmax over one unit is always 1, and its gradient is 0

A softmax divides by the sum over its axis. If that axis has one element, the quotient is 1. The model learns nothing,
and its accuracy stays at the share of one class. For a single unit use a sigmoid and binary cross-entropy.
"""
import tensorflow as tf

from tfnanlint.template import single

code = "TFN602"
severity = "warning"


def before(x: single = ((5.0,), (-3.0,))):
    return tf.nn.softmax(x)


def rework(x):
    return tf.sigmoid(x)


def quiet_two_units(x=((5.0, 0.0), (-3.0, 0.0))):
    return tf.nn.softmax(x)


def quiet_along_another_axis(x=((5.0,), (-3.0,))):
    return tf.nn.softmax(x, axis=0)
