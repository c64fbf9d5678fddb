"""a float16 sum beyond 65504 is inf

The largest float16 number is 65504. A sum of squared errors over the pixels of an image or over the features of a layer
soon exceeds it, and the loss is inf. On a CPU a mean overflows in the same way. Cast to float32 before the reduction.
"""
import tensorflow as tf

from tfnanlint.template import data, float16

code = "TFN2003"
dtypes = ("float16",)


def before(x: float16 & data = (40000.0, 40000.0), axis=None, keepdims=False):
    return tf.reduce_sum(x, axis=axis, keepdims=keepdims)


def quiet_in_float32(x=(40000.0, 40000.0)):
    return tf.reduce_sum(tf.cast(x, tf.float32))


def quiet_of_shares(x=(400.0, 300.0)):
    return tf.reduce_sum(tf.nn.softmax(x))
