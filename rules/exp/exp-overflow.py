"""`exp` overflows to inf above 88.7

In float32 exp(88.8) is inf, and so is its gradient. A quotient, a difference or a product with 0 then turns the inf
into NaN. Compute in log space, or bound the argument where it is computed. A clip at 80 leaves room for sums and
products of the result, but no gradient passes above it: to a loss it is offered only where another term leads back
below it.

https://stackoverflow.com/questions/57350120
"""
import tensorflow as tf
from keras import ops

from tfnanlint.template import above, below, float32

code = "TFN505"


def before(x: above(88.8) & float32 = 100.0):
    return tf.exp(x)


def rework(x):
    return tf.exp(tf.minimum(x, 80.0))


def before_minus_one(y: above(88.8) & float32 = 100.0):
    return tf.math.expm1(y)


def rework_minus_one(y):
    return tf.math.expm1(tf.minimum(y, 80.0))


def before_hyperbolic_sine(z: above(89.5) & float32 = 100.0):
    return tf.sinh(z)


def rework_hyperbolic_sine(z):
    return tf.sinh(tf.clip_by_value(z, -80.0, 80.0))


def before_hyperbolic_cosine(z: above(89.5) & float32 = 100.0):
    return tf.cosh(z)


def rework_hyperbolic_cosine(z):
    return tf.cosh(tf.clip_by_value(z, -80.0, 80.0))


def before_hyperbolic_sine_below(z: below(-89.5) & float32 = -100.0):
    return tf.sinh(z)


def before_hyperbolic_cosine_below(z: below(-89.5) & float32 = -100.0):
    return tf.cosh(z)


def before_of_base_two(p: above(128.5) & float32 = 200.0):
    return ops.exp2(p)


def rework_of_base_two(p):
    return ops.exp2(ops.minimum(p, 115.0))


def before_wide_clip(h=100.0):
    return tf.exp(tf.clip_by_value(h, -100.0, 100.0))


def quiet_clipped(x=100.0):
    return tf.exp(tf.clip_by_value(x, -20.0, 20.0))


def quiet_of_a_negative_number(x=100.0):
    return tf.exp(-tf.square(x)) + tf.exp(-tf.abs(x))


def quiet_of_a_tanh(x=100.0):
    return tf.exp(10.0 * tf.tanh(x))
