"""Rows of a variable that TensorFlow 1 updates one by one, and what reads them afterwards."""

import tensorflow.compat.v1 as tf


def steps_of_rows(gradient, rows, decay=0.9):
    steps = tf.Variable(tf.zeros([10, 1]), trainable=False)
    seen = tf.scatter_add(steps, rows, tf.ones_like(tf.gather(steps, rows)))
    now = tf.gather(seen, rows)
    return gradient / (1.0 - decay**now)


def steps_of_rows_before(gradient, rows, decay=0.9):
    steps = tf.Variable(tf.zeros([10, 1]), trainable=False)
    now = tf.gather(steps, rows)
    update = tf.scatter_add(steps, rows, tf.ones_like(now))
    return gradient / (1.0 - decay**now), update  # HAZARD divide-by-zero


def after_a_dependency(gradient, rows):
    steps = tf.Variable(tf.zeros([10, 1]), trainable=False)
    update = tf.scatter_update(steps, rows, tf.ones_like(tf.gather(steps, rows)))
    with tf.control_dependencies([update]):
        return gradient / tf.gather(steps, rows)


def taken_away(gradient, rows):
    left = tf.Variable(tf.ones([10, 1]), trainable=False)
    now = tf.scatter_sub(left, rows, tf.ones_like(tf.gather(left, rows)))
    return gradient / tf.gather(now, rows)  # HAZARD divide-by-zero


class Counted(tf.Module):
    def __init__(self):
        self.seen = tf.Variable(tf.zeros([10, 1]), trainable=False)

    def scaled(self, gradient, rows):
        ones = tf.ones_like(tf.gather(self.seen, rows))
        self.seen.scatter_add(tf.IndexedSlices(ones, rows))
        return gradient / tf.gather(self.seen, rows)

    def scaled_before(self, gradient, rows):
        return gradient / tf.gather(self.seen, rows)  # HAZARD divide-by-zero
