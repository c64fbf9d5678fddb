"""the gradient of `reduce_euclidean_norm` at a zero vector is NaN

The derivative of a norm is x / norm(x), which is 0/0 for a zero vector. The gradient of this op is NaN there even if
the incoming gradient is 0. Write out the square root and keep its argument above 0. XLA has no kernel for this op, so
the finding applies to eager and graph mode.

https://github.com/tensorflow/tensorflow/issues/30199
"""
import tensorflow as tf

from tfnanlint.template import differentiated

code = "TFN402"
modes = ("eager", "graph")
dtypes = ("float32", "float64")


def before(x: differentiated = (0.0, 0.0), axis=-1, keepdims=False):
    return tf.math.reduce_euclidean_norm(x, axis=axis, keepdims=keepdims)


def guard(x, axis, keepdims):
    return tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x), axis=axis, keepdims=keepdims), 1e-12))


def before_normalized(x: differentiated = (0.0, 0.0), axis=-1):
    return x / (tf.math.reduce_euclidean_norm(x, axis=axis, keepdims=True) + 1e-7)


def quiet_of_a_constant_vector(x=(0.0, 0.0)):
    return x * tf.cast(tf.math.reduce_euclidean_norm(tf.constant((3.0, 4.0))), x.dtype)
