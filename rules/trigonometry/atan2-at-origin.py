"""the gradient of `atan2` at the origin is NaN

The angle of (0, 0) has no derivative: the kernel divides by x * x + y * y. Where both are 0, use another point before
taking the angle. At (0, 1) the angle is 0 as well, and its gradient is finite.

https://github.com/tensorflow/tensorflow/issues/50854
https://github.com/NEGU93/cvnn/issues/12
"""
import tensorflow as tf

from tfnanlint.template import differentiated, reaches

code = "TFN1503"
dtypes = ("float32", "float64")


def before(y: reaches(0) & differentiated = 0.0, x: reaches(0) = 0.0):
    return tf.atan2(y, x)


def guard(y, x):
    return tf.atan2(y, tf.where(tf.square(y) + tf.square(x) > 0.0, x, tf.ones_like(x)))


def quiet_away_from_the_axis(y=0.0, x=0.0):
    return tf.atan2(y, tf.abs(x) + 1e-3)


def quiet_unknown_point(y=1.0, x=2.0):
    return tf.atan2(y, x)
