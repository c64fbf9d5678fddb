"""Losses of probabilities."""
import tensorflow as tf


def cross_entropy(labels, p):
    return -tf.reduce_sum(labels * tf.math.log(p))  # HAZARD log-softmax


def clipped_cross_entropy(labels, p):
    return -tf.reduce_sum(labels * tf.math.log(tf.clip_by_value(p, 1e-8, 1.0)))
