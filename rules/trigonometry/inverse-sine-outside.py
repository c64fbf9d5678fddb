"""`acos` and `asin` are NaN outside [-1, 1]

Rounding can make a cosine 1.0000001, which has no angle. Clip the argument. If a gradient is taken, clip it inside the
ends, where the derivative is infinite.

https://github.com/ronghuaiyang/arcface-pytorch/issues/68
"""
import tensorflow as tf

from tfnanlint.template import above, below

code = "TFN1507"
dtypes = ("float32", "float64")


def before(x: above(1.0000001) = 2.0):
    return tf.acos(x)


def guard(x):
    return tf.acos(tf.clip_by_value(x, -0.999999, 0.999999))


def before_below_minus_one(x: below(-1.0000001) = -2.0):
    return tf.acos(x)


def before_sine(y: above(1.0000001) = 2.0):
    return tf.asin(y)


def guard_sine(y):
    return tf.asin(tf.clip_by_value(y, -0.999999, 0.999999))


def before_sine_below(z: below(-1.0000001) = -2.0):
    return tf.asin(z)


def guard_sine_below(z):
    return tf.asin(tf.clip_by_value(z, -0.999999, 0.999999))


def quiet_clipped_inside(x=2.0):
    return tf.acos(tf.clip_by_value(x, -0.999, 0.999))


def quiet_of_a_tanh(x=2.0):
    return tf.asin(0.9 * tf.tanh(x))
