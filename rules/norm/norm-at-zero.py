"""the gradient of a norm at a zero vector is NaN

The derivative of a norm is x / norm(x), which is 0/0 for a zero vector. The value there is a harmless 0, so the problem
shows only when the weights behind the vector are NaN. Keep the argument of the root above 0. Orders 1 and infinity and
the spectral norm of a matrix have finite gradients.

https://github.com/tensorflow/tensorflow/issues/12071
https://github.com/tensorflow/tensorflow/issues/42889
https://github.com/tensorflow/tensorflow/pull/109329
https://github.com/tensorflow/tensorflow/pull/108761
https://github.com/keras-team/keras-io/issues/910
https://github.com/keras-team/keras-io/pull/2364
"""
import tensorflow as tf

from tfnanlint.template import differentiated, literal, within

code = "TFN405"
dtypes = ("float32", "float64")


def before(x: differentiated = (0.0, 0.0), axis=-1, keepdims=False):
    return tf.norm(x, axis=axis, keepdims=keepdims)


def guard(x, axis, keepdims):
    return tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x), axis=axis, keepdims=keepdims), 1e-12))


def before_of_a_matrix(x: differentiated = ((0.0, 0.0), (0.0, 0.0))):
    return tf.norm(x, ord="fro", axis=(0, 1))


def before_plus_epsilon(
    v: differentiated = (0.0, 0.0), axis=-1, keepdims=False, epsilon: literal & within(1e-30, 1.0) = 1e-7
):
    return tf.norm(v, axis=axis, keepdims=keepdims) + epsilon


def before_higher_order(v: differentiated = (0.0, 0.0), p: within(2.01, 100.0) = 3.0, axis=-1, keepdims=False):
    return tf.norm(v, ord=p, axis=axis, keepdims=keepdims)


def before_lower_order(v: differentiated = (0.0, 0.0), p: within(1.01, 1.99) = 1.5, axis=-1, keepdims=False):
    return tf.norm(v, ord=p, axis=axis, keepdims=keepdims)


def quiet_order_1(x=(0.0, 0.0)):
    return tf.norm(x, ord=1, axis=-1)


def quiet_order_infinity(x=(0.0, 0.0)):
    return tf.norm(x, ord=float("inf"), axis=-1)


def quiet_of_a_constant_vector(x=(0.0, 0.0)):
    return x * tf.cast(tf.norm(tf.constant((3.0, 4.0))), x.dtype)


def quiet_behind_stop_gradient(x=(0.0, 0.0)):
    return x * tf.norm(tf.stop_gradient(x))


def quiet_away_from_zero(x=(0.0, 0.0)):
    return tf.norm(tf.exp(tf.minimum(x, 1.0)) + 1.0, axis=-1)


def quiet_safe_norm(x=(0.0, 0.0)):
    return tf.sqrt(tf.reduce_sum(tf.square(x), axis=-1) + 1e-12)


def quiet_normalized(x=(0.0, 0.0)):
    return tf.math.l2_normalize(x, axis=-1)
