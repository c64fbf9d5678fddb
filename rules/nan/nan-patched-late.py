"""replacing NaN after trainable layers hides it; the weights still become NaN

Replacing the results that are NaN stops the NaN in the forward pass only. In the backward pass the replaced element
gets a gradient of 0, which is multiplied by the NaN in the layer. 0 * NaN is NaN, so one bad example makes every weight
NaN. From then on every output is the replacement value. Clean the inputs before the first layer, or repair the op that
produces the NaN.

https://stackoverflow.com/questions/42043488
https://github.com/mehta-lab/microDL/pull/102
"""
import tensorflow as tf
from keras import ops

from tfnanlint.template import differentiated, downstream

code = "TFN1204"


def before(x: differentiated = ((1e999, -1e999),)):
    y = downstream(tf.keras.layers.Dense(1, kernel_initializer="ones")(x))
    return tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)


def rework(x):
    return downstream(
        tf.keras.layers.Dense(1, kernel_initializer="ones")(tf.where(tf.math.is_finite(x), x, tf.zeros_like(x)))
    )


def before_with_a_constant(x: differentiated = ((1e999, -1e999),), c=0.5):
    y = downstream(tf.keras.layers.Dense(1, kernel_initializer="ones")(x))
    return tf.where(tf.math.is_nan(y), c, y)


def before_with_is_finite(x: differentiated = ((1e999, -1e999),), c=0.5):
    y = downstream(tf.keras.layers.Dense(1, kernel_initializer="ones")(x))
    return tf.where(tf.math.is_finite(y), y, c)


def before_with_is_nan_negated(x: differentiated = ((1e999, -1e999),), c=0.5):
    y = downstream(tf.keras.layers.Dense(1, kernel_initializer="ones")(x))
    return tf.where(tf.logical_not(tf.math.is_nan(y)), y, c)


def before_matmul(x: differentiated = ((1e999, -1e999),), c=0.5):
    w = tf.Variable(((1.0,), (1.0,)))
    y = downstream(tf.matmul(x, w))
    return tf.where(tf.math.is_nan(y), c, y)


def rework_matmul(x, w):
    return downstream(tf.matmul(tf.where(tf.math.is_finite(x), x, tf.zeros_like(x)), w))


def before_matmul_finite(x: differentiated = ((1e999, -1e999),), c=0.5):
    w = tf.Variable(((1.0,), (1.0,)))
    y = downstream(tf.matmul(x, w))
    return tf.where(tf.math.is_finite(y), y, c)


def rework_matmul_finite(x, w):
    return downstream(tf.matmul(tf.where(tf.math.is_finite(x), x, tf.zeros_like(x)), w))


def before_weighted(x: differentiated = (1e999, -1e999), c=0.5):
    w = tf.Variable((1.0, 1.0))
    y = downstream(tf.reduce_sum(x * w))
    return tf.where(tf.math.is_nan(y), c, y)


def rework_weighted(x, w):
    return downstream(tf.reduce_sum(tf.where(tf.math.is_finite(x), x, tf.zeros_like(x)) * w))


def before_replaced(x: differentiated = ((1e999, -1e999),)):
    y = downstream(tf.keras.layers.Dense(1, kernel_initializer="ones")(x))
    return ops.nan_to_num(y)


def quiet_inputs_cleaned(x=((1e999, 1.0),)):
    w = tf.Variable(((1.0,), (1.0,)))
    return tf.matmul(tf.where(tf.math.is_finite(x), x, 0.0), w)


def quiet_outputs_masked_like_the_inputs(x=((1e999, 1.0),)):
    w = tf.Variable(((1.0,), (1.0,)))
    bad = tf.logical_not(tf.math.is_finite(x))
    y = tf.matmul(tf.where(bad, 0.0, x), w)
    return tf.where(tf.reduce_any(bad, axis=-1, keepdims=True), 0.0, y)


def quiet_patch_of_a_constant(x=((1.0, 2.0),)):
    y = tf.stop_gradient(tf.math.log(x))
    return x * tf.where(tf.math.is_nan(y), 0.0, y)
