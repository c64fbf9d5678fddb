"""clipping the result of `exp` leaves its gradient NaN where `exp` overflows

Where the clip is active it passes back a gradient of 0. The backward pass multiplies that by the infinite `exp`, and 0
times inf is NaN. The value stays finite while the weights become NaN. Clip the argument instead.
"""
import tensorflow as tf

from tfnanlint.template import differentiated, float32, literal, within

code = "TFN502"


def before(x: differentiated & float32 = 100.0, most: literal & within(1e3, 1e38) = 1e6):
    return tf.minimum(tf.exp(x), most)


def guard(x, most):
    return tf.minimum(tf.exp(tf.minimum(x, 80.0)), most)


def before_with_clip_by_value(x: differentiated & float32 = 100.0, least: literal = 0.0, most: literal & within(1e3, 1e38) = 1e6):
    return tf.clip_by_value(tf.exp(x), least, most)


def guard_with_clip_by_value(x, least, most):
    return tf.clip_by_value(tf.exp(tf.minimum(x, 80.0)), least, most)


def quiet_when_the_argument_is_bounded(x=100.0):
    return tf.minimum(tf.exp(tf.minimum(x, 20.0)), 1e6)


def quiet_ratio_of_probabilities(x=0.1):
    return tf.clip_by_value(tf.exp(x), 0.8, 1.2)
