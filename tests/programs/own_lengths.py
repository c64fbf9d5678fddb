"""Vectors that are divided by their own lengths: a product of two is a cosine, which is 1 where they align."""

import tensorflow as tf


def margins(embedding, labels, units):
    embedding = tf.math.divide(embedding, tf.norm(embedding, axis=1, keepdims=True) + 1e-9)
    weights = tf.Variable(tf.random.normal([embedding.shape[-1], units]))
    weights = weights / tf.norm(weights, axis=0, keepdims=True)
    cosine = tf.matmul(embedding, weights, name="cosine")
    sine = tf.sqrt(1.0 - tf.square(cosine))  # HAZARD sqrt-at-zero
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=64.0 * (cosine - sine))
    return tf.compat.v1.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(loss))


def margins_of_sums(embedding, labels, units):
    embedding = embedding / tf.sqrt(tf.reduce_sum(tf.square(embedding), 1, keepdims=True) + 1e-9)
    weights = tf.Variable(tf.random.normal([embedding.shape[-1], units]))
    weights = weights / tf.norm(weights, axis=0, keepdims=True)
    angle = tf.acos(tf.matmul(embedding, weights))  # HAZARD inverse-sine-at-one
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.cos(angle + 0.5))
    return tf.compat.v1.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(loss))


def sound(embedding, labels, units):
    embedding = embedding / (tf.norm(embedding, axis=1, keepdims=True) + 1e-9)
    weights = tf.Variable(tf.random.normal([embedding.shape[-1], units]))
    weights = weights / tf.norm(weights, axis=0, keepdims=True)
    cosine = tf.clip_by_value(tf.matmul(embedding, weights), -0.999, 0.999)
    sine = tf.sqrt(1.0 - tf.square(cosine))
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=64.0 * (cosine - sine))
    return tf.compat.v1.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(loss))
