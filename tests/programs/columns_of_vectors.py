"""A vector that is made a column beside a matrix has one axis: what counts along the rows is counted over as many."""

import tensorflow as tf


def normal_scores(members, obs):
    below = tf.cast(members < obs[:, None], tf.float32)
    size = tf.cast(tf.shape(members)[1], tf.float32)
    return tf.math.ndtri((tf.reduce_sum(below, axis=1) + 0.5) / (size + 1.0))


def scores_that_reach_the_end(members, obs):
    below = tf.cast(members < obs[:, None], tf.float32)
    size = tf.cast(tf.shape(members)[1], tf.float32)
    return tf.math.ndtri(tf.reduce_sum(below, axis=1) / size)  # HAZARD quantile-at-edge
