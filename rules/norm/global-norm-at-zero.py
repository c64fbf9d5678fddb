"""the gradient of `global_norm` is NaN where every tensor is zero

It is the root of a sum of squares, and the derivative of a root at 0 is infinite: a penalty on the norm of
gradients meets it as soon as they vanish. Add a small number to the squares under a root of your own.

https://github.com/tensorflow/tensorflow/issues/22048
"""
import tensorflow as tf

from tfnanlint.template import differentiated

dtypes = ("float32", "float64")


def before(x: differentiated = (0.0, 0.0)):
    return tf.linalg.global_norm([x])


def before_clipped(x: differentiated = (0.0, 0.0), bound=1.0):
    return tf.clip_by_global_norm([x], bound)


def quiet_behind_stop_gradient(x=(0.0, 0.0)):
    return x * tf.linalg.global_norm([tf.stop_gradient(x)])
