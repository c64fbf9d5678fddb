"""What a dropout or a shuffle hands on is what it was: the logits of a softmax."""

import tensorflow as tf


def cross_entropy(x, y):
    p = tf.nn.softmax(tf.nn.dropout(x, 0.5))
    return -tf.reduce_sum(y * tf.math.log(p))  # HAZARD log-softmax


def shuffled(x):
    return tf.math.log(tf.sigmoid(tf.random.shuffle(x)))  # HAZARD log-sigmoid


def stable(x, y):
    return -tf.reduce_sum(y * tf.nn.log_softmax(tf.nn.dropout(x, 0.5)))
