"""the square of a number beyond 255.9 is inf in float16

The largest float16 number is 65504, the square of 255.9. Prices, distances and other numbers that are not scaled
become inf. Compute squares in float32. A division before the square does not help under XLA, which squares first.
"""
import tensorflow as tf

from tfnanlint.template import above, below, float16

code = "TFN2002"
dtypes = ("float16",)


def before(x: above(256.0) & float16 = 300.0):
    return tf.square(x)


def before_negative(y: below(-256.0) & float16 = -300.0):
    return tf.square(y)


def quiet_clipped(x=300.0):
    return tf.square(tf.clip_by_value(x, -200.0, 200.0))


def quiet_in_float32(x=300.0):
    return tf.square(tf.cast(x, tf.float32))
