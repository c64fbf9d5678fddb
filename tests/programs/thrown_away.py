"""Results of ops that a statement throws away: the values stay what they were."""

import contextlib

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.math import maximum


def clip(p):
    tf.clip_by_value(p, 1e-7, 1.0)  # HAZARD result-discarded
    return 2.0 * p


def clip_by_the_backend(p):
    K.clip(p, 1e-7, 1.0)  # HAZARD result-discarded
    return 2.0 * p


def clip_by_numpy(p):
    p = np.asarray(p)
    np.clip(p, 1e-7, 1.0)  # nothing of TensorFlow
    np.clip(p, 1e-7, 1.0, out=p)
    return p


def imported(p):
    if p.shape[0] > 1:
        maximum(p, 1e-7)  # HAZARD result-discarded
    p = maximum(p, 1e-7)
    return 2.0 * p


def over_lines(x):
    tf.where(  # HAZARD result-discarded
        tf.math.is_nan(x),
        tf.zeros_like(x),
        x,
    )
    print(
        tf.abs(x),
        tf.square(x),
    )
    y = \
        tf.abs(x)
    return x + y


class Layer(tf.keras.layers.Layer):
    def call(self, x):
        tf.cast(x, tf.float32)  # HAZARD result-discarded
        x = tf.cast(x, tf.float32)
        return self.kept(x)

    def kept(self, x):
        tf.debugging.check_numerics(x, "x")
        tf.debugging.assert_positive(x)
        tf.ensure_shape(x, (None, 4))
        tf.print(x)
        tf.identity(x, name="logits")
        return tf.identity(x, "other")


def clipped(p):
    return tf.clip_by_value(p, 1e-7, 1.0)


def through_a_function(p):
    clipped(p)
    return 2.0 * p


def probed(x):
    try:
        tf.cast(x, tf.float32)
    except ValueError:
        return False
    return True


def trained(x):
    try:
        y = 2.0 * x
        tf.clip_by_value(y, -1.0, 1.0)  # HAZARD result-discarded
        y = y + 1.0
        return tf.reduce_mean(y)
    except KeyboardInterrupt:
        return None


def warmed_up():
    tf.zeros((1, 1))
    tf.random.uniform((2,))


def suppressed(x):
    with contextlib.suppress(ValueError):
        tf.reshape(x, (4, -1))
    return x


def assigned(v, x):
    v.assign(tf.abs(x))
    return v


def called(x):
    rescaled = tf.keras.layers.Rescaling(0.5, offset=-1.0)
    rescaled(x)
    return x
