"""Losses of what a mask selects: their mean over no element is NaN, and one over rows that are left out is not."""

import tensorflow as tf

crossentropy = tf.keras.losses.BinaryCrossentropy()


def masked_squared_error(y_true, y_pred):
    mask = tf.not_equal(y_true, -1.0)
    return tf.keras.losses.mse(tf.boolean_mask(y_true, mask), tf.boolean_mask(y_pred, mask))  # HAZARD mean-of-nothing


def masked_absolute_error(y_true, y_pred):
    known = y_true >= 0.0
    return tf.keras.losses.MAE(y_true[known], y_pred[known])  # HAZARD mean-of-nothing


def confidence_of_positives(overlaps, probability):
    positive = tf.boolean_mask(probability, overlaps > 0.7)
    return crossentropy(tf.ones_like(positive), positive)  # MISSED mean-of-nothing


def squared_error_of_rows(labels, features):
    known = labels >= 0
    rows = tf.boolean_mask(tf.keras.layers.Dense(8)(features), known)
    return tf.reduce_sum(tf.keras.losses.mse(tf.zeros_like(rows), rows))


def summed_error(y_true, y_pred):
    mask = tf.not_equal(y_true, -1.0)
    return tf.reduce_sum(tf.square(tf.boolean_mask(y_true - y_pred, mask)))


def masked_squared_error_of_some(y_true, y_pred):
    mask = tf.not_equal(y_true, -1.0)
    known, predicted = tf.boolean_mask(y_true, mask), tf.boolean_mask(y_pred, mask)
    return tf.cond(tf.size(known) > 0, lambda: tf.keras.losses.mse(known, predicted), lambda: 0.0)
