"""the gradient of a power with an exponent below 1 is infinite at 0

The derivative of x**p is p * x**(p - 1), which is infinite at 0 for any p between 0 and 1. Gamma curves, cube roots,
focal losses with a small gamma and generalized means use such powers. For a negative p the value is infinite as well.
Keep the base above 0.

https://github.com/tensorflow/tensorflow/issues/2295
https://github.com/tensorflow/tensorflow/issues/35011
"""
import tensorflow as tf

from tfnanlint.template import below, differentiated, literal, reaches, within

code = "TFN1302"
dtypes = ("float32", "float64")


def before(x: reaches(0) & differentiated = 0.0, p: literal & within(0.001, 0.999) = 0.3):
    return tf.pow(x, p)


def guard(x, p):
    return tf.pow(tf.maximum(x, 1e-12), p)


def before_of_a_share(
    x: reaches(0) & within(0.0, 1e999) & differentiated = 0.0, q: within(0.0, 1.0) & below(0.999) = 0.3
):
    return tf.pow(x, q)


def guard_of_a_share(x, q):
    return tf.pow(tf.maximum(x, 1e-12), q)


def before_with_the_operator(x: reaches(0) & differentiated = 0.0, p: literal & within(0.001, 0.999) = 0.3):
    return x**p


def guard_with_the_operator(x, p):
    return tf.maximum(x, 1e-12) ** p


def before_reciprocal(x: reaches(0) & within(0.0, 1e999) = 0.0, p: literal & within(-1.999, -0.001) = -0.25):
    return tf.pow(x, p)


def before_with_a_negative_exponent(b: reaches(0) = 0.0, q: literal & within(-100.0, -2.0) = -3.0):
    return tf.pow(b, q)


def before_negative(x: reaches(0) & within(0.0, 1e999) = 0.0, q: below(-0.001) = -0.4):
    return tf.pow(x, q)


def before_clamped(h: differentiated = 0.0, p: literal & within(0.001, 0.999) = 0.3):
    return tf.pow(tf.maximum(h, 0.0), p)


def before_root(x: reaches(0) & differentiated = 0.0, n=3.0):
    return tf.pow(x, 1.0 / n)


def guard_root(x, n):
    return tf.pow(tf.maximum(x, 1e-12), 1.0 / n)


def before_root_with_the_operator(x: reaches(0) & differentiated = 0.0, n=3.0):
    return x ** (1.0 / n)


def guard_root_with_the_operator(x, n):
    return tf.maximum(x, 1e-12) ** (1.0 / n)


def before_generalised_mean(h: reaches(0) & differentiated = (0.0, 0.0), n=3.0, axis=None, keepdims=False):
    return tf.pow(tf.reduce_mean(tf.pow(h, n), axis=axis, keepdims=keepdims), 1.0 / n)


def guard_generalised_mean(h, n, axis, keepdims):
    return tf.pow(tf.maximum(tf.reduce_mean(tf.pow(h, n), axis=axis, keepdims=keepdims), 1e-12), 1.0 / n)


def before_generalised_mean_operator(h: reaches(0) & differentiated = (0.0, 0.0), n=3.0, axis=None, keepdims=False):
    return tf.reduce_mean(h**n, axis=axis, keepdims=keepdims) ** (1.0 / n)


def guard_generalised_mean_operator(h, n, axis, keepdims):
    return tf.maximum(tf.reduce_mean(h**n, axis=axis, keepdims=keepdims), 1e-12) ** (1.0 / n)


def before_with_an_exponent_of_zero(x: reaches(0) & differentiated = 0.0, z: literal & within(0.0, 0.0) = 0.0):
    return tf.pow(x, z)


def before_of_a_number_to_itself(x: reaches(0) & differentiated = 0.0):
    return x**x


def quiet_square_and_cube(x=0.0):
    return x**2.0 + x**3


def quiet_power_above_one(x=0.0):
    return tf.nn.relu(x) ** 1.5


def quiet_kept_above_zero(x=0.0):
    return tf.maximum(x, 1e-6) ** 0.3
