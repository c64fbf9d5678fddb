"""Hazards behind a formula that made-up numbers break: there the program has other numbers, and goes on."""

import tensorflow as tf

w = tf.Variable(tf.random.normal([3, 3]))


def train(x, foo, labels):
    with tf.GradientTape() as tape:
        probabilities = tf.nn.softmax(tf.matmul(x, w))
        scale = tf.sqrt(tf.square(foo[:, :1]) - tf.square(foo[:, 1:2]) - 1.0)  # POSSIBLE sqrt-below-zero
        total = tf.reduce_sum(scale) * tf.norm(tf.matmul(x, w), axis=-1)  # HAZARD norm-at-zero
        loss = tf.reduce_mean(total - tf.reduce_sum(labels * probabilities, -1))
    return tape.gradient(loss, w)


def train_soundly(x, foo, labels):
    with tf.GradientTape() as tape:
        probabilities = tf.nn.softmax(tf.matmul(x, w))
        scale = tf.sqrt(tf.square(foo[:, :1]) - tf.square(foo[:, 1:2]) - 1.0)  # POSSIBLE sqrt-below-zero
        total = tf.reduce_sum(scale) * tf.reduce_sum(tf.square(tf.matmul(x, w)), axis=-1)
        loss = tf.reduce_mean(total - tf.reduce_sum(labels * probabilities, -1))
    return tape.gradient(loss, w)
