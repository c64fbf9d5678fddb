"""Functions that TensorFlow composes of others: an affine map, a grid of coordinates, and windows of other ranks."""

import tensorflow as tf


def head(hidden, labels):
    w = tf.get_variable("w", [8, 1])
    b = tf.get_variable("b", [1])
    p = tf.nn.sigmoid(tf.nn.xw_plus_b(hidden, w, b))
    loss = -tf.reduce_mean(labels * tf.log(p))  # HAZARD log-sigmoid
    return tf.train.AdamOptimizer().minimize(loss)


def distances(height, width):
    x, y = tf.meshgrid(tf.range(width, dtype=tf.float32), tf.range(height, dtype=tf.float32))
    radius = tf.sqrt(tf.square(x) + tf.square(y))
    return x / radius  # HAZARD divide-by-root


def sound_distances(height, width):
    x, y = tf.meshgrid(tf.range(1.0, width), tf.range(1.0, height), indexing="ij")
    return x / tf.sqrt(tf.square(x) + tf.square(y))


def pooled(x):
    rectified = tf.nn.relu(x)
    return tf.math.log(tf.nn.max_pool(rectified, 2, 2, "SAME"))  # HAZARD log-reaches-zero


def sound_pooled(x):
    return tf.math.log(tf.nn.avg_pool(tf.nn.softplus(tf.clip_by_value(x, -5.0, 5.0)), 2, 2, "SAME"))


def filtered(sequence):
    w = tf.get_variable("w", [3, 8, 1])
    p = tf.nn.sigmoid(tf.nn.conv1d(sequence, w, stride=1, padding="SAME"))
    loss = -tf.reduce_mean(tf.log(1.0 - p))  # HAZARD log-one-minus-sigmoid
    return tf.train.AdamOptimizer().minimize(loss)
