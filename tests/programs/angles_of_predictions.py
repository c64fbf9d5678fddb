"""The cosine of two equal unit vectors is 1, and rounding decides on which side: beyond it, the angle is NaN."""

import tensorflow as tf


def angular_loss(y_true, y_pred):
    true = tf.math.l2_normalize(y_true, axis=-1)
    predicted = tf.math.l2_normalize(y_pred, axis=-1)
    return tf.reduce_mean(tf.acos(tf.reduce_sum(true * predicted, axis=-1)))  # HAZARD inverse-sine-outside


def clipped_angular_loss(y_true, y_pred):
    true = tf.math.l2_normalize(y_true, axis=-1)
    predicted = tf.math.l2_normalize(y_pred, axis=-1)
    cosine = tf.clip_by_value(tf.reduce_sum(true * predicted, axis=-1), -1.0, 1.0)
    return tf.reduce_mean(tf.acos(cosine))  # HAZARD inverse-sine-at-one


def bounded_angular_loss(y_true, y_pred):
    true = tf.math.l2_normalize(y_true, axis=-1)
    predicted = tf.math.l2_normalize(y_pred, axis=-1)
    cosine = tf.clip_by_value(tf.reduce_sum(true * predicted, axis=-1), -0.999999, 0.999999)
    return tf.reduce_mean(tf.acos(cosine))
