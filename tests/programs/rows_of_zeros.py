"""Rows that consist of zeros: the program itself tells them from others, and hides what it computes of them too late."""

import tensorflow as tf


def sizes(boxes):
    y1, x1, y2, x2 = tf.unstack(boxes, axis=-1)
    real = tf.reduce_max(boxes, axis=-1) > 0.0
    scale = tf.math.log((y2 - y1) * (x2 - x1))  # POSSIBLE log-reaches-zero
    return scale * tf.cast(real, tf.float32)


def sizes_kept_above_zero(boxes):
    y1, x1, y2, x2 = tf.unstack(boxes, axis=-1)
    real = tf.reduce_max(boxes, axis=-1) > 0.0
    scale = tf.math.log(tf.where(real, (y2 - y1) * (x2 - x1), 1.0))
    return scale * tf.cast(real, tf.float32)


def sizes_in_each_image(boxes):
    return tf.map_fn(lambda some: sizes(some), boxes)


def directions(offsets):
    moving = tf.cast(tf.not_equal(tf.reduce_sum(tf.abs(offsets), -1, keepdims=True), 0.0), tf.float32)
    length = tf.sqrt(tf.reduce_sum(tf.square(offsets), -1, keepdims=True))
    return offsets / length * moving  # HAZARD divide-by-norm


def directions_guarded(offsets):
    moving = tf.not_equal(tf.reduce_sum(tf.abs(offsets), -1, keepdims=True), 0.0)
    squared = tf.reduce_sum(tf.square(offsets), -1, keepdims=True)
    return tf.where(moving, offsets / tf.sqrt(tf.where(moving, squared, 1.0)), 0.0)
