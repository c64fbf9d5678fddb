"""`atanh` is infinite at -1 and 1, and NaN beyond

A tanh saturates: in float32 it is exactly 1 from 9 on, where its inverse is infinite. Keep the argument inside (-1, 1),
or keep the value from before the tanh.
"""
import tensorflow as tf

from tfnanlint.template import above, below

code = "TFN1504"
dtypes = ("float32", "float64")


def before(x: above(1.0) = 1.0):
    return tf.atanh(x)


def guard(x):
    return tf.atanh(tf.clip_by_value(x, -0.9999999, 0.9999999))


def before_at_minus_one(x: below(-1.0) = -1.0):
    return tf.atanh(x)


def before_of_a_tanh(h=30.0):
    return tf.atanh(tf.tanh(h))


def quiet_clipped_inside(x=1.0):
    return tf.atanh(tf.clip_by_value(x, -0.999, 0.999))


def quiet_scaled(x=1.0):
    return tf.atanh(0.99 * tf.tanh(x))
