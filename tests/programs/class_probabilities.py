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
    share = y_pred / tf.reduce_sum(y_pred)  # HAZARD divide-by-zero
    return tf.reduce_mean(tf.abs(y_true - share))


def share_of_features(features):
    return features / tf.reduce_sum(tf.nn.relu(features), axis=-1, keepdims=True)  # HAZARD divide-by-zero
