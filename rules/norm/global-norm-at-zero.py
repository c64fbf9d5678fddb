"""the gradient of `global_norm` is NaN when all tensors are zero

`global_norm` is the square root of a sum of squares, and the derivative of a root at 0 is infinite. A penalty on the
norm of gradients meets this as soon as they vanish. Write out the square root and add a small number under it.

https://github.com/tensorflow/tensorflow/issues/22048
"""
import tensorflow as tf

from tfnanlint.template import differentiated

code = "TFN403"
dtypes = ("float32", "float64")


def before(x: differentiated = (0.0, 0.0)):
    return tf.linalg.global_norm([x])


def before_clipped(x: differentiated = (0.0, 0.0), bound=1.0):
    return tf.clip_by_global_norm([x], bound)


def quiet_behind_stop_gradient(x=(0.0, 0.0)):
    return x * tf.linalg.global_norm([tf.stop_gradient(x)])
