"""`== None` asks what `is None` asks."""

import tensorflow as tf


def layer(x, weights, activation=None):
    hidden = tf.nn.dropout(tf.matmul(x, weights), rate=0.5)
    if activation == None:  # noqa: E711
        return hidden
    return activation(hidden)


def loss(x, labels, w):
    hidden = layer(x, w, activation=tf.nn.tanh)
    p = layer(hidden, w, activation=tf.nn.softmax)
    return -tf.reduce_sum(labels * tf.math.log(p))  # HAZARD log-softmax


def sound_loss(x, labels, w):
    logits = layer(layer(x, w, activation=tf.nn.tanh), w)
    return tf.nn.softmax_cross_entropy_with_logits(labels, logits)


def floored(x, floor=None):
    if floor != None:  # noqa: E711
        x = tf.maximum(x, floor)
    return tf.math.log(tf.nn.relu(x))  # HAZARD log-relu
