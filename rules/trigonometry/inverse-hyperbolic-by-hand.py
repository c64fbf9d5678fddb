"""an inverse hyperbolic function written with `log` loses precision or overflows

`log(x + sqrt(x * x + 1))` is -inf below -5e3 in float32, where the sum cancels, and infinite above 1.8e19, where the
square overflows. `0.5 * log((1 + x) / (1 - x))` loses precision for small x. `asinh`, `acosh` and `atanh` do not.
"""
import tensorflow as tf

code = "TFN1505"
severity = "warning"


def before_sine(x=-1e4):
    return tf.math.log(x + tf.sqrt(tf.square(x) + 1.0))


def after_sine(x):
    return tf.asinh(x)


def before_cosine(x=1e25):
    return tf.math.log(x + tf.sqrt(tf.square(x) - 1.0))


def after_cosine(x):
    return tf.acosh(x)


def before_tangent(x=1e-8):
    return 0.5 * tf.math.log((1.0 + x) / (1.0 - x))


def after_tangent(x):
    return tf.atanh(x)


def quiet_by_its_name(x=-1e4):
    return tf.asinh(x)


def quiet_with_another_radius(x=1.0):
    return tf.math.log(2.0 * tf.abs(x) + tf.sqrt(tf.square(x) + 1.0))
