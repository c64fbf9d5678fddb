"""`exp` overflows to inf above 11.1 in float16

The largest float16 number is 65504, and exp(11.1) is above it. Activations that are ordinary in float32 overflow here.
Clip the argument from above, or compute the exponential in float32.
"""
import tensorflow as tf

from tfnanlint.template import above, float16

code = "TFN504"
dtypes = ("float16",)


def before(x: above(11.1) & float16 = 12.0):
    return tf.exp(x)


def guard(x):
    return tf.exp(tf.minimum(x, 11.0))


def quiet_clipped(x=12.0):
    return tf.exp(tf.clip_by_value(x, -5.0, 5.0))
