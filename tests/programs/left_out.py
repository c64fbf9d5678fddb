"""What a program computes beside its loss: a penalty that it leaves out is not differentiated."""

import tensorflow.compat.v1 as tf


class Discriminator:
    def __init__(self, expert, policy, weights):
        mixed = 0.5 * expert + 0.5 * policy
        score = tf.matmul(tf.nn.relu(tf.matmul(mixed, weights)), weights, transpose_b=True)
        (slope,) = tf.gradients(score, mixed)
        (other,) = tf.gradients(score, expert)
        length = tf.sqrt(tf.reduce_sum(tf.square(slope), axis=1))  # HAZARD sqrt-at-zero
        monitored = tf.sqrt(tf.reduce_sum(tf.square(other), axis=1))
        self.monitored = tf.reduce_mean(tf.square(monitored - 1.0))
        total = tf.reduce_mean(score) + tf.reduce_mean(tf.square(length - 1.0))
        self.updates = tf.gradients(total, weights)
