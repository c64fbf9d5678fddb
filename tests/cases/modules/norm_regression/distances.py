"""Distances between targets and predictions."""
import tensorflow as tf


def column_lengths(target, prediction):
    return tf.norm(target - prediction, axis=0)  # HAZARD norm-at-zero


def safe_lengths(target, prediction):
    return tf.sqrt(tf.reduce_sum(tf.square(target - prediction), axis=0) + 1e-12)
