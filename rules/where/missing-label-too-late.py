"""masking the loss of a missing (NaN) label is too late; the weights still become NaN

`where` or a mask removes a loss that is NaN because its label is NaN. In the backward pass the removed
loss gets a gradient of 0, and 0 times NaN is NaN for every weight. A product with a mask does not even remove it from
the loss: NaN times 0 is NaN. Replace the missing label before computing the loss, then mask the loss.
"""
import tensorflow as tf

from tfnanlint.template import downstream, missing, nonlinear

code = "TFN1102"


def before(y: missing = (float("nan"), 1.0), c=(0.0, 0.0)):
    return tf.where(downstream(tf.math.is_nan(y)), c, nonlinear(y))


def after(y, c):
    return tf.where(downstream(tf.math.is_nan(y)), c, nonlinear(tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)))


def before_with_the_condition_negated(y: missing = (float("nan"), 1.0), c=(0.0, 0.0)):
    return tf.where(downstream(tf.logical_not(tf.math.is_nan(y))), nonlinear(y), c)


def after_with_the_condition_negated(y, c):
    return tf.where(downstream(tf.logical_not(tf.math.is_nan(y))), nonlinear(tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)), c)


def before_with_is_finite(y: missing = (float("nan"), 1.0), c=(0.0, 0.0)):
    return tf.where(downstream(tf.math.is_finite(y)), nonlinear(y), c)


def after_with_is_finite(y, c):
    return tf.where(downstream(tf.math.is_finite(y)), nonlinear(tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)), c)


def before_times_a_mask(y: missing = (float("nan"), 1.0), dtype="float32"):
    return nonlinear(y) * tf.cast(downstream(tf.logical_not(tf.math.is_nan(y))), dtype)


def after_times_a_mask(y, dtype):
    return nonlinear(tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)) * tf.cast(downstream(tf.logical_not(tf.math.is_nan(y))), dtype)


def before_times_a_mask_of_finite(y: missing = (float("nan"), 1.0), dtype="float32"):
    return nonlinear(y) * tf.cast(downstream(tf.math.is_finite(y)), dtype)


def after_times_a_mask_of_finite(y, dtype):
    return nonlinear(tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)) * tf.cast(downstream(tf.math.is_finite(y)), dtype)


def before_times_one_minus_the_mask(y: missing = (float("nan"), 1.0), dtype="float32"):
    return nonlinear(y) * (1.0 - tf.cast(downstream(tf.math.is_nan(y)), dtype))


def after_times_one_minus_the_mask(y, dtype):
    return nonlinear(tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)) * (1.0 - tf.cast(downstream(tf.math.is_nan(y)), dtype))


def quiet_replaced_before_the_mask(p=(1.0, 2.0), y=(float("nan"), 1.0)):
    known = tf.where(tf.math.is_nan(y), 0.0, y)
    return tf.square(p - known) * tf.cast(tf.logical_not(tf.math.is_nan(y)), tf.float32)


def quiet_replaced_before(p=(1.0, 2.0), y=(float("nan"), 1.0)):
    known = tf.where(tf.math.is_nan(y), 0.0, y)
    return tf.where(tf.math.is_nan(y), 0.0, tf.square(p - known))


def quiet_where_of_the_label(y=(float("nan"), 1.0)):
    return tf.square(tf.where(tf.math.is_nan(y), 0.0, y))


def quiet_checked_prediction(p=(1.0, 2.0), y=(0.5, 1.0)):
    return tf.where(tf.math.is_nan(p), 0.0, tf.square(p - y))
