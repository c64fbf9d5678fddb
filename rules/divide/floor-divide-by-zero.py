"""a floor division or remainder of floats is inf or NaN where the divisor is 0

The divisor is a count or a difference that is 0 for some data. Replace it before dividing, with `tf.where` or
`tf.maximum`. Integer tensors are not affected: TensorFlow raises an error for them.
"""
import tensorflow as tf

from tfnanlint.template import float32, float64, reaches

code = "TFN207"
dtypes = ("float32", "float64")


def before(x=1.0, y: reaches(0) & float32 & float64 = 0.0):
    return tf.math.floormod(x, y)


def before_floor(x=1.0, y: reaches(0) & float32 & float64 = 0.0):
    return tf.math.floordiv(x, y)


def quiet_at_least_one(x=1.0, y=0.0):
    return tf.math.floormod(x, tf.maximum(tf.stop_gradient(tf.abs(y)), 1.0))


def quiet_whole_numbers(x=1.0, n=(2, 3)):
    step = tf.cast(tf.cast(tf.equal(n, 2), tf.int32), tf.int32) + 1
    return x * tf.cast(n // step, x.dtype)
