"""What NumPy or Python computes, beside what TensorFlow does: Python raises an error, and NumPy's numbers are no tensors."""

import numpy as np
import tensorflow as tf


def mean_of_each(sums, labels, smallest):
    counts = np.zeros((3,)) + smallest
    for label in labels:
        counts[label] += 1
    return sums / counts


def mean_precision(precisions, instances):
    return sum(precisions) / sum(count > 0 for count in instances)


def share(found, of):
    return float(found) / float(of)


def batches(examples, batch_size):
    whole = examples // batch_size
    return examples % (batch_size * whole)


def linear_scale(levels, basis, power=2.0):
    return np.power(np.dot(np.exp(levels), basis), 1.0 / power)


def scaled_filters(values, height, width, scale):
    return tf.divide(values, height * width // 2 ** (2 * scale))


def mean_of_rows(x, mask):
    return tf.reduce_sum(x * mask, axis=1) / sum(tf.unstack(mask, axis=1))  # HAZARD divide-by-zero


def with_own_edges(edges, nodes):
    adjacency = np.zeros((nodes, nodes), "float32")
    for source, target in edges:
        adjacency[source, target] = 1.0
    degrees = tf.reduce_sum(tf.constant(adjacency), axis=1)
    inverse = tf.pow(degrees, -0.5)  # HAZARD rsqrt-at-zero
    np.fill_diagonal(adjacency, 1.0)
    own = tf.pow(tf.reduce_sum(tf.constant(adjacency), axis=1), -0.5)
    return inverse[:, None] * adjacency, own[:, None] * adjacency
