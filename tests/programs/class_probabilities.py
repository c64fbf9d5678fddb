"""A prediction that a loss divides by its sum over the classes: probabilities that a softmax gave, rounded."""

import tensorflow as tf
from tensorflow.keras import backend as K


def weighted_crossentropy(weights):
    weights = K.variable(weights)

    def loss(y_true, y_pred):
        y_pred /= K.sum(y_pred, axis=-1, keepdims=True)
        y_pred = K.clip(y_pred, K.epsilon(), 1 - K.epsilon())
        return -K.sum(y_true * K.log(y_pred) * weights, -1)

    return loss


def crossentropy(target, output):
    output = output / tf.reduce_sum(output, axis=len(output.get_shape()) - 1, keepdims=True)
    output = tf.clip_by_value(output, 1e-7, 1.0 - 1e-7)
    return -tf.reduce_sum(target * tf.math.log(output), axis=-1)


def crossentropy_without_a_clip(y_true, y_pred):
    y_pred /= tf.reduce_sum(y_pred, axis=-1, keepdims=True)
    return -tf.reduce_sum(y_true * tf.math.log(y_pred), axis=-1)  # HAZARD log-reaches-zero


def share_of_a_total(y_true, y_pred):
    share = y_pred / tf.reduce_sum(y_pred)  # MISSED divide-by-zero
    return tf.reduce_mean(tf.abs(y_true - share))


def share_of_features(features):
    return features / tf.reduce_sum(tf.nn.relu(features), axis=-1, keepdims=True)  # HAZARD divide-by-zero


def crossentropy_of_either(y_true, y_pred, from_logits=False, axis=None):
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = K.cast(y_true, y_pred.dtype)
    if axis is None:
        axis = K.ndim(y_pred) - 1
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(labels=y_true, logits=y_pred)
    y_pred = y_pred / K.sum(y_pred, axis=axis, keepdims=True)
    epsilon = tf.convert_to_tensor(K.epsilon(), y_pred.dtype.base_dtype)
    return -K.sum(y_true * K.log(tf.clip_by_value(y_pred, epsilon, 1.0 - epsilon)), axis=axis)
