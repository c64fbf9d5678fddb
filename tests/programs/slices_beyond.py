"""Slices that begin behind the few rows of a trial: the program has more."""

import tensorflow as tf


def of_the_rest(logits):
    return tf.math.log(1.0 - tf.sigmoid(tf.slice(logits, [64, 0], [-1, -1])))  # HAZARD log-one-minus-sigmoid


def sound_of_the_rest(logits):
    return -tf.nn.softplus(tf.slice(logits, [64, 0], [-1, -1]))


def of_both_parts(logits):
    real = tf.sigmoid(tf.slice(logits, [0, 0], [64, -1]))
    fake = tf.sigmoid(logits[64:])
    return tf.reduce_mean(tf.math.log(real) + tf.math.log(1.0 - fake))  # HAZARD log-sigmoid log-one-minus-sigmoid
