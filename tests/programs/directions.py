"""Angles between directions, volumes, and slopes: what is exactly 1 or 0 for what is parallel or flat."""

import tensorflow as tf


def sine_to_centres_loss(features, centres):
    cosine = tf.matmul(tf.math.l2_normalize(features, axis=1), tf.math.l2_normalize(centres, axis=0))
    return tf.reduce_mean(tf.sqrt(1.0 - tf.square(cosine)))  # HAZARD sqrt-at-zero


def sine_to_centres_with_a_floor_loss(features, centres):
    cosine = tf.matmul(tf.math.l2_normalize(features, axis=1), tf.math.l2_normalize(centres, axis=0))
    return tf.reduce_mean(tf.sqrt(tf.maximum(1.0 - tf.square(cosine), 1e-6)))


def product_of_rows(features, centres):
    return tf.reduce_mean(tf.sqrt(1.0 + tf.square(tf.matmul(features, centres))))


def volume(a):
    return tf.math.log(tf.linalg.det(a))  # HAZARD log-det


def volume_with_a_ridge(a):
    return tf.linalg.logdet(tf.matmul(a, a, transpose_b=True) + tf.eye(3))


def slope_loss(x):
    right, down = x[:, :-1, 1:] - x[:, :-1, :-1], x[:, 1:, :-1] - x[:, :-1, :-1]
    return tf.reduce_mean(tf.sqrt(right**2 + down**2))  # HAZARD sqrt-at-zero


def slope_with_epsilon_loss(x):
    right, down = x[:, :-1, 1:] - x[:, :-1, :-1], x[:, 1:, :-1] - x[:, :-1, :-1]
    return tf.reduce_mean(tf.sqrt(right**2 + down**2 + 1e-8))


def share_of_a_width(x, boxes):
    return x / (boxes[:, 2] - boxes[:, 0])


def remaining(x):
    return tf.math.log(1e-10 + 1.0 - x)  # HAZARD epsilon-absorbed


def remaining_of_a_share(x):
    return tf.math.log(1e-4 + 1.0 - tf.clip_by_value(x, 0.0, 1.0))
