"""the gradient of `sqrt` at 0 is infinite

The derivative of a square root is 1 / (2 sqrt(x)), which is infinite for a row of zeros. The backward pass multiplies
it by the row's own gradient of 0, and the NaN reaches every weight behind the row. A clamp at 0 removes the NaN of
negative arguments but not this one. Keep the argument above 0.

https://github.com/tensorflow/tensorflow/issues/4914
https://github.com/tensorflow/tensorflow/issues/5562
https://github.com/keras-team/keras-io/issues/910
https://github.com/tensorflow/tensorflow/issues/118673
"""
import tensorflow as tf

from tfnanlint.template import differentiated, literal, reaches, within

code = "TFN302"
dtypes = ("float32", "float64")


def before(x: reaches(0) & differentiated = 0.0):
    return tf.sqrt(x)


def guard(x):
    return tf.sqrt(tf.maximum(x, 1e-12))


def before_power(x: reaches(0) & differentiated = 0.0):
    return x**0.5


def before_sum_of_squares(h: differentiated = (0.0, 0.0)):
    return tf.sqrt(tf.reduce_sum(tf.square(h), axis=-1))


def before_root_mean_square(a: differentiated = (1.0, 2.0), b=(1.0, 2.0)):
    return tf.sqrt(tf.reduce_mean(tf.square(a - b)))


def before_distance(a: differentiated = (1.0, 2.0), b=(1.0, 2.0)):
    return tf.sqrt(tf.reduce_sum(tf.math.squared_difference(a, b), axis=-1, keepdims=True))


def before_clamped_at_zero(h: differentiated = 0.0):
    return tf.sqrt(tf.maximum(h, 0.0))


def before_sum_of_magnitudes(h: differentiated = (0.0, 0.0)):
    return tf.sqrt(tf.reduce_sum(tf.abs(h), axis=-1))


def before_clipped(h: differentiated = 0.0):
    return tf.sqrt(tf.clip_by_value(h, 0.0, 1.0))


def before_variance(h: differentiated = (1.0, 1.0)):
    return tf.sqrt(tf.math.reduce_variance(h, axis=-1))


def before_epsilon_outside(x: reaches(0) & differentiated = 0.0, epsilon: literal & within(1e-30, 1.0) = 1e-7):
    return tf.sqrt(x) + epsilon


def guard_epsilon_outside(x, epsilon):
    return tf.sqrt(tf.maximum(x, 1e-12)) + epsilon


def before_denormal_epsilon(h: differentiated = (0.0, 0.0)):
    return tf.sqrt(tf.reduce_sum(tf.square(h), axis=-1) + 1e-38)


def quiet_with_an_epsilon_inside(h=(0.0, 0.0)):
    return tf.sqrt(tf.reduce_sum(tf.square(h), axis=-1) + 1e-12)


def quiet_above_an_epsilon(h=(0.0, 0.0)):
    return tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(h), axis=-1), 1e-12))


def quiet_of_softplus(x=-5.0):
    return tf.sqrt(tf.nn.softplus(x) + 1e-6)


def quiet_one_plus_a_square(x=0.0):
    return tf.sqrt(1.0 + tf.square(x))


def quiet_behind_stop_gradient(x=0.0):
    return x * tf.sqrt(tf.stop_gradient(tf.square(x)))


def quiet_of_a_number(x=0.0):
    return x * 64.0**-0.5
