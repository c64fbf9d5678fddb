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
