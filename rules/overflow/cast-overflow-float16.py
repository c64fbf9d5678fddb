"""a cast to float16 turns numbers beyond 65504 into inf

The largest float16 number is 65504, and a cast does not stop there. Among scores, -1e9 becomes -inf, and a softmax is
NaN where a whole row is masked. Scale the numbers down before the cast, clip them, or leave them in float32.
"""
import tensorflow as tf

from tfnanlint.template import above, below, float32

code = "TFN2001"
dtypes = ("float32",)


def before(x: above(65520.0) & float32 = 1e6):
    return tf.cast(x, dtype=tf.float16)


def guard(x):
    return tf.cast(tf.minimum(x, 65504.0), dtype=tf.float16)


def before_negative(y: below(-65520.0) & float32 = -1e9):
    return tf.cast(y, dtype=tf.float16)


def guard_negative(y):
    return tf.cast(tf.maximum(y, -65504.0), dtype=tf.float16)


def quiet_clipped(x=1e6):
    return tf.cast(tf.clip_by_value(x, -6e4, 6e4), tf.float16)


def quiet_to_float32(x=1e6):
    return tf.cast(x, tf.float32)
