"""Weights of examples, which may all be 0, and weights that data is multiplied by, which are those of a layer."""

import tensorflow as tf


def sound_class_scores(features, weights):
    return tf.matmul(features, weights / tf.norm(weights, axis=0, keepdims=True))


def weighted_mean(values, weights):
    return tf.reduce_sum(values * weights) / tf.reduce_sum(weights)  # HAZARD divide-by-mask-sum


def laplace_loss(y_true, parameters):
    mean, scale = parameters[:, 0], parameters[:, 1]
    return tf.reduce_mean(tf.math.log(2.0 * scale) + tf.abs(y_true - mean) / scale)
