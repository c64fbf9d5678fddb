"""Weights whose sizes a draw states, and indices of two columns as graphs have them."""

import tensorflow as tf

FEATURES, UNITS, CLASSES = 8, 16, 20


class Head(tf.Module):
    def __init__(self, limit):
        super().__init__()
        self.w = tf.Variable(tf.random.normal([UNITS, CLASSES]))
        self.limit = limit
        self.net = tf.keras.Sequential([tf.keras.layers.Input((FEATURES,)), tf.keras.layers.Dense(UNITS)])


loose, tight = Head(1.0), Head(1.0 - 1e-6)


def angles(head, x):
    e = tf.math.l2_normalize(head.net(x), axis=1)
    w = tf.math.l2_normalize(head.w, axis=0)
    return tf.acos(tf.clip_by_value(tf.matmul(e, w), -head.limit, head.limit))  # HAZARD inverse-sine-at-one


def step(x, labels):
    weights = loose.net.trainable_variables + [loose.w]
    with tf.GradientTape() as tape:
        logits = tf.cos(angles(loose, x) + 0.5 * tf.one_hot(labels, CLASSES))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return tape.gradient(loss, weights)


def sound_step(x, labels):
    weights = tight.net.trainable_variables + [tight.w]
    with tf.GradientTape() as tape:
        logits = tf.cos(angles(tight, x) + 0.5 * tf.one_hot(labels, CLASSES))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return tape.gradient(loss, weights)


kernel = tf.Variable(tf.random.normal([FEATURES, UNITS]))
attention = tf.Variable(tf.random.normal([UNITS]))


def shares_of_neighbours(x, edges):
    src, dst = edges[:, 0], edges[:, 1]
    h = tf.matmul(x, kernel)
    scores = tf.nn.leaky_relu(tf.linalg.matvec(tf.gather(h, src) + tf.gather(h, dst), attention))
    weights = tf.exp(scores - tf.reduce_max(scores))
    return weights / tf.gather(tf.math.unsorted_segment_sum(weights, dst, tf.shape(x)[0]), dst)  # HAZARD divide-by-zero


def shares_of_sorted_neighbours(x, edges):
    scores = tf.linalg.matvec(tf.gather(tf.matmul(x, kernel), edges[:, 0]), attention)
    weights = tf.exp(scores - tf.reduce_max(scores))
    total = tf.tensor_scatter_nd_add(tf.zeros([tf.shape(x)[0]]), edges[:, 1:], weights)
    return weights / tf.gather(total, edges[:, 1])  # HAZARD divide-by-zero


def sound_shares_of_neighbours(x, edges):
    src, dst = edges[:, 0], edges[:, 1]
    h = tf.matmul(x, kernel)
    scores = tf.nn.leaky_relu(tf.linalg.matvec(tf.gather(h, src) + tf.gather(h, dst), attention))
    highest = tf.gather(tf.math.unsorted_segment_max(scores, dst, tf.shape(x)[0]), dst)
    weights = tf.exp(scores - highest)
    return weights / (tf.gather(tf.math.unsorted_segment_sum(weights, dst, tf.shape(x)[0]), dst) + 1e-9)
