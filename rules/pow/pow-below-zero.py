"""a fractional power of a negative number is NaN

(-8) ** (1 / 3) is NaN in TensorFlow, and so is any non-integer power of a negative number. Keep the base above 0, or
take the power of the magnitude and restore the sign.

https://github.com/tensorflow/tfjs/issues/346
"""
import tensorflow as tf

from tfnanlint.template import below, literal, within

code = "TFN1303"
dtypes = ("float32", "float64")


def before(x: below(-1e-6) = -8.0, p: literal & within(0.001, 0.999) = 0.3):
    return tf.pow(x, p)


def before_above_one(x: below(-1e-6) = -8.0, p: literal & within(1.001, 1.999) = 1.5):
    return tf.pow(x, p)


def before_above_two(x: below(-1e-6) = -8.0, p: literal & within(2.001, 2.999) = 2.5):
    return tf.pow(x, p)


def before_reciprocal(x: below(-1e-6) = -8.0, p: literal & within(-0.999, -0.001) = -0.25):
    return tf.pow(x, p)


def quiet_whole_power(x=-8.0):
    return tf.tanh(x) ** 3 + x**2.0


def quiet_of_the_magnitude(x=-8.0):
    return tf.sign(x) * (tf.abs(x) + 1e-6) ** 0.3
