"""Two lists of indices, such as the atoms or the nodes of each pair, name different ones on an ordinary batch."""

import tensorflow as tf


def distances(positions, idx_i, idx_j, offsets=None):
    first, second = tf.gather(positions, idx_i), tf.gather(positions, idx_j)
    second = second + offsets if offsets is not None else second
    return tf.sqrt(tf.reduce_sum((first - second) ** 2, -1))


def forces(positions, charges, idx_i, idx_j):
    energy = tf.gather(charges, idx_i) * tf.gather(charges, idx_j) * distances(positions, idx_i, idx_j)
    return tf.gradients(tf.math.segment_sum(energy, idx_i), positions)
