"""graph mode loses an epsilon that is added to `max - min`: a constant input is 0/0 = NaN

TensorFlow's graph optimizer rewrites (highest - lowest) + e to (highest + e) - lowest. It runs in a `tf.function`, in
Keras `fit` and in a session. Where the values are large compared to e, the sum rounds to `highest`, and the quotient of
a constant input is 0/0. Eager mode keeps the epsilon, so a test in eager mode passes. `maximum` is not rewritten.
"""
import tensorflow as tf

from tfnanlint.template import literal, within

code = "TFN1003"
modes = ("graph",)


def before(y=(0.0, 0.0), x=(1.0, 1.0), e: literal & within(1e-37, 2.9e-8) = 1e-8, axis=None, keepdims=False):
    spread = tf.reduce_max(x, axis=axis, keepdims=keepdims) - tf.reduce_min(x, axis=axis, keepdims=keepdims)
    return y / (spread + e)


def guard(y, spread, e):
    return y / tf.maximum(spread, e)


def quiet_maximum(x=(1.0, 1.0)):
    return (x - tf.reduce_min(x)) / tf.maximum(tf.reduce_max(x) - tf.reduce_min(x), 1e-8)


def quiet_no_nan(x=(1.0, 1.0)):
    return tf.math.divide_no_nan(x - tf.reduce_min(x), tf.reduce_max(x) - tf.reduce_min(x))
