"""A NaN that the program sets to 0 at once does no harm, and an infinity that it writes may go on."""

import numpy as np
import tensorflow as tf

IMPOSSIBLE = -np.inf


def nan_to_zero(values):
    return tf.where(tf.math.is_nan(values), tf.zeros_like(values), values)


def started(blank, lengths, longest):
    first = tf.one_hot(lengths - 1, depth=longest + 1)
    return tf.expand_dims(blank, axis=1) * first + nan_to_zero(IMPOSSIBLE * (1.0 - first))


def started_with_nan(blank, lengths, longest):
    first = tf.one_hot(lengths - 1, depth=longest + 1)
    return tf.expand_dims(blank, axis=1) * first + IMPOSSIBLE * (1.0 - first)  # HAZARD infinite-mask


def centroid(mask, grid):
    inside = tf.expand_dims(tf.cast(mask >= 0.5, tf.float32), axis=4)
    return tf.reduce_sum(inside * grid, [1, 2, 3]) / (tf.reduce_sum(inside, [1, 2, 3]) + 1e-5)


def centroid_loss(y_true, y_pred, grid):
    difference = centroid(y_pred, grid) - centroid(y_true, grid)
    return tf.sqrt(tf.reduce_sum(difference**2, axis=1))


def shares_of_rows(adjacency):
    return tf.constant(np.nan_to_num(np.asarray(adjacency) / np.sum(adjacency, axis=1, keepdims=True)))
