"""clipping the result of `log` leaves its gradient infinite at 0

Where the clip is active it passes back a gradient of 0. The backward pass multiplies that by 1 / 0, and the product is
NaN. The loss stays finite while the weights become NaN. Clip the argument instead.
"""
import tensorflow as tf

from tfnanlint.template import differentiated, literal, reaches

code = "TFN103"


def before(p: reaches(0) & differentiated = 0.0, least: literal = -20.0):
    return tf.maximum(tf.math.log(p), least)


def guard(p, least):
    return tf.maximum(tf.math.log(tf.maximum(p, 1e-30)), least)


def before_with_clip_by_value(p: reaches(0) & differentiated = 0.0, least: literal = -20.0, most: literal = 0.0):
    return tf.clip_by_value(tf.math.log(p), least, most)


def guard_with_clip_by_value(p, least, most):
    return tf.clip_by_value(tf.math.log(tf.maximum(p, 1e-30)), least, most)


def quiet_when_the_argument_is_bounded(p=(0.0, 1.0)):
    return tf.maximum(tf.math.log(tf.maximum(tf.nn.softmax(p), 1e-7)), -20.0)


def quiet_when_the_argument_is_unknown(p=1.0):
    return tf.maximum(tf.math.log(p), -20.0)
