"""A loss takes the logarithm of what labels pick of a prediction: its parts hold probabilities, too."""

import tensorflow as tf
from keras import backend as K


def span_loss(y_true, y_pred):
    def of_one(both):
        span, start, end = both
        first = start[K.cast(span[0], dtype="int32")]
        last = end[K.cast(span[1], dtype="int32")]
        return K.log(first) + K.log(last)  # HAZARD log-reaches-zero log-reaches-zero

    y_true = K.squeeze(y_true, axis=1)
    picked = K.map_fn(of_one, (y_true, y_pred[:, 0, :], y_pred[:, 1, :]), dtype="float32")
    return -K.mean(picked, axis=0)


def guarded_span_loss(y_true, y_pred):
    def of_one(both):
        span, start, end = both
        first = start[K.cast(span[0], dtype="int32")]
        last = end[K.cast(span[1], dtype="int32")]
        return K.log(first + K.epsilon()) + K.log(last + K.epsilon())

    y_true = K.squeeze(y_true, axis=1)
    picked = K.map_fn(of_one, (y_true, y_pred[:, 0, :], y_pred[:, 1, :]), dtype="float32")
    return -K.mean(picked, axis=0)


def gaussian_loss(y_true, y_pred):
    mean, scale = y_pred[:, 0], tf.nn.softplus(y_pred[:, 1]) + 1e-3
    return tf.reduce_mean(tf.square((y_true - mean) / scale) + 2.0 * tf.math.log(scale))
