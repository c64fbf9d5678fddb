"""A batch of a loader, or one that is fed, may hold a row of padding; what a caller passes may be any mask."""

import tensorflow as tf


def train(dataset, model):
    for batch in dataset:
        errors = tf.square(model(batch["x"]) - batch["y"])
        mask = batch["mask"]
        print(tf.reduce_sum(tf.where(mask, errors, 0.0)) / tf.reduce_sum(tf.cast(mask, tf.float32)))


def fed(errors):
    mask = tf.compat.v1.placeholder(tf.bool, [None, 8])
    return tf.reduce_sum(tf.where(mask, errors, 0.0)) / tf.reduce_sum(tf.cast(mask, tf.float32))


def passed(errors, mask):
    selected = tf.where(mask, errors, 0.0)
    return tf.reduce_sum(selected) / tf.reduce_sum(tf.cast(mask, tf.float32))  # HAZARD divide-by-zero


def row_by_row(errors):
    mask = tf.compat.v1.placeholder(tf.bool, [None, 8])
    selected = tf.where(mask, errors, 0.0)
    return tf.reduce_sum(selected, 1) / tf.reduce_sum(tf.cast(mask, tf.float32), 1)  # POSSIBLE divide-by-zero
