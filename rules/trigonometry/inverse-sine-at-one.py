"""the gradient of `acos` and `asin` is infinite at -1 and 1

Their derivative is 1 / sqrt(1 - x * x) up to the sign. It is infinite for a cosine of exactly 1, the cosine of two
equal directions. Keep the argument inside (-1, 1) by a margin that float32 resolves: the repair uses 2**-20.

https://github.com/GPflow/GPflow/issues/409
https://github.com/keras-team/keras/issues/17138
https://github.com/davidsandberg/facenet/issues/692
"""
import tensorflow as tf

from tfnanlint.template import differentiated, reaches

code = "TFN1506"
dtypes = ("float32", "float64")


def before(x: reaches(1) & differentiated = 1.0):
    return tf.acos(x)


def guard(x):
    return tf.acos(tf.clip_by_value(x, -0.999999, 0.999999))


def before_at_minus_one(x: reaches(-1) & differentiated = -1.0):
    return tf.acos(x)


def before_sine(y: reaches(1) & differentiated = 1.0):
    return tf.asin(y)


def guard_sine(y):
    return tf.asin(tf.clip_by_value(y, -0.999999, 0.999999))


def before_sine_at_minus_one(z: reaches(-1) & differentiated = -1.0):
    return tf.asin(z)


def guard_sine_at_minus_one(z):
    return tf.asin(tf.clip_by_value(z, -0.999999, 0.999999))


def before_rotation_angle(R: differentiated = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
    return tf.acos((tf.linalg.trace(R) - 1.0) / 2.0)


def guard_rotation_angle(R):
    return tf.acos(tf.clip_by_value((tf.linalg.trace(R) - 1.0) / 2.0, -0.999999, 0.999999))


def before_clipped_to_one(h: differentiated = 1.0):
    return tf.acos(tf.clip_by_value(h, -1.0, 1.0))


def quiet_clipped_inside(x=1.0):
    return tf.acos(tf.clip_by_value(x, -0.999, 0.999))


def quiet_without_gradient(x=1.0):
    return x * tf.acos(tf.clip_by_value(tf.stop_gradient(x), -1.0, 1.0))
