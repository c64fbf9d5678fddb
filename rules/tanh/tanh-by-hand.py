"""a tanh written with exponentials is inf / inf = NaN for inputs above 88

Numerator and denominator both overflow. `tanh` is the same function and saturates at 1.
"""
import tensorflow as tf

code = "TFN1601"
dtypes = ("float32", "float64")


def before(x=1000.0):
    return (tf.exp(x) - tf.exp(-x)) / (tf.exp(x) + tf.exp(-x))


def after(x):
    return tf.tanh(x)


def before_hyperbolic(x=1000.0):
    return tf.sinh(x) / tf.cosh(x)


def before_doubled(x=1000.0):
    return (tf.exp(2.0 * x) - 1.0) / (tf.exp(2.0 * x) + 1.0)


def before_halved(y=1000.0):
    return (tf.exp(y) - 1.0) / (tf.exp(y) + 1.0)


def after_halved(y):
    return tf.tanh(y / 2.0)


def before_mirrored(x=-1000.0):
    return (1.0 - tf.exp(-2.0 * x)) / (1.0 + tf.exp(-2.0 * x))


def quiet_bounded(x=1000.0):
    b = tf.clip_by_value(x, -20.0, 20.0)
    return (tf.exp(b) - tf.exp(-b)) / (tf.exp(b) + tf.exp(-b))


def quiet_plain_tanh(x=1000.0):
    return tf.tanh(x)
