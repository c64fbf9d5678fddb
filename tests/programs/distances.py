"""The squared distance of equal points, expanded into products, is rounded: its root is NaN where that is below 0."""

import tensorflow as tf


def to_each_other(embeddings):
    squares = tf.reduce_sum(embeddings * embeddings, 1)
    squares = tf.reshape(squares, [-1, 1])
    products = tf.matmul(embeddings, tf.transpose(embeddings))
    return tf.sqrt(squares - 2 * products + tf.transpose(squares))  # HAZARD sqrt-below-zero


def between_two_sets(a, b):
    squares_a = tf.reduce_sum(a**2, axis=1, keepdims=True)
    squares_b = tf.reduce_sum(b**2, axis=1)
    return tf.sqrt(squares_a + squares_b - 2.0 * tf.matmul(a, b, transpose_b=True))  # HAZARD sqrt-below-zero


def with_an_epsilon_that_is_too_small(features):
    squares = tf.reduce_sum(tf.square(features), -1)
    products = features @ tf.transpose(features)
    distances = tf.expand_dims(squares, 0) + tf.expand_dims(squares, 1) - 2.0 * products
    return tf.sqrt(distances + 1e-12)  # HAZARD sqrt-below-zero


def sound_with_a_floor(embeddings):
    squares = tf.reduce_sum(embeddings * embeddings, 1, keepdims=True)
    products = tf.matmul(embeddings, embeddings, transpose_b=True)
    return tf.sqrt(tf.maximum(squares - 2 * products + tf.transpose(squares), 1e-12))


def sound_by_the_products_alone(embeddings):
    products = tf.matmul(embeddings, embeddings, transpose_b=True)
    squares = tf.linalg.diag_part(products)
    return tf.sqrt(tf.expand_dims(squares, 0) - 2.0 * products + tf.expand_dims(squares, 1) + 1e-6)


def sound_without_cancelling(features, kernel, bias):
    scores = tf.matmul(features, kernel) + bias
    return tf.sqrt(tf.reduce_max(scores, -1, keepdims=True) - scores)


def sound_of_counts(mask):
    mask = tf.cast(mask > 0.5, tf.float32)
    return tf.sqrt(tf.reduce_sum(mask) - tf.reduce_sum(mask * mask))
