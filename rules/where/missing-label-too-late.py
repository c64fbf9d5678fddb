"""masking the loss of a missing (NaN) label is too late; the weights still become NaN

`where` replaces a loss that is NaN because its label is NaN. In the backward pass the replaced loss gets a gradient of
0, and 0 times NaN is NaN for every weight. Replace the missing label before computing the loss, then mask the loss.
"""
import tensorflow as tf

from tfnanlint.template import differentiated, downstream

code = "TFN1102"


def before(p: differentiated = (1.0, 2.0), y=(float("nan"), 1.0), c=(0.0, 0.0)):
    return tf.where(tf.math.is_nan(y), c, tf.square(downstream(p - y)))


def after(p, y, c):
    return tf.where(tf.math.is_nan(y), c, tf.square(downstream(p - tf.where(tf.math.is_nan(y), tf.zeros_like(y), y))))


def before_of_the_rest(p: differentiated = (1.0, 2.0), y=(float("nan"), 1.0), c=(0.0, 0.0)):
    return tf.where(tf.math.is_nan(y), c, tf.square(downstream(y - p)))


def after_of_the_rest(p, y, c):
    return tf.where(tf.math.is_nan(y), c, tf.square(downstream(tf.where(tf.math.is_nan(y), tf.zeros_like(y), y) - p)))


def before_times_a_mask(p=(1.0, 2.0), y=(float("nan"), 1.0), dtype="float32"):
    return tf.square(downstream(p - y)) * tf.cast(tf.logical_not(tf.math.is_nan(y)), dtype)


def after_times_a_mask(p, y, dtype):
    return tf.square(downstream(p - tf.where(tf.math.is_nan(y), tf.zeros_like(y), y))) * tf.cast(tf.logical_not(tf.math.is_nan(y)), dtype)


def before_times_a_mask_of_the_rest(p=(1.0, 2.0), y=(float("nan"), 1.0), dtype="float32"):
    return tf.square(downstream(y - p)) * tf.cast(tf.logical_not(tf.math.is_nan(y)), dtype)


def after_times_a_mask_of_the_rest(p, y, dtype):
    return tf.square(downstream(tf.where(tf.math.is_nan(y), tf.zeros_like(y), y) - p)) * tf.cast(tf.logical_not(tf.math.is_nan(y)), dtype)


def before_absolute_times_a_mask(p=(1.0, 2.0), y=(float("nan"), 1.0), dtype="float32"):
    return tf.abs(downstream(p - y)) * tf.cast(tf.logical_not(tf.math.is_nan(y)), dtype)


def after_absolute_times_a_mask(p, y, dtype):
    return tf.abs(downstream(p - tf.where(tf.math.is_nan(y), tf.zeros_like(y), y))) * tf.cast(tf.logical_not(tf.math.is_nan(y)), dtype)


def quiet_replaced_before_the_mask(p=(1.0, 2.0), y=(float("nan"), 1.0)):
    known = tf.where(tf.math.is_nan(y), 0.0, y)
    return tf.square(p - known) * tf.cast(tf.logical_not(tf.math.is_nan(y)), tf.float32)


def quiet_replaced_before(p=(1.0, 2.0), y=(float("nan"), 1.0)):
    known = tf.where(tf.math.is_nan(y), 0.0, y)
    return tf.where(tf.math.is_nan(y), 0.0, tf.square(p - known))
