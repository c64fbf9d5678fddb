"""The sizes of a shape as TensorFlow 1 has them: an object whose `value` is the number."""

from functools import reduce
from operator import mul

import numpy as np
import tensorflow as tf


def scaled_scores(q, k):
    width = q.get_shape()[-1].value
    return tf.matmul(q, k, transpose_b=True) * tf.math.rsqrt(tf.cast(width, tf.float32))


def scaled_by_a_root(x):
    return x / tf.sqrt(float(x.shape[-1].value))


def gram_matrix(features):
    _, height, width, channels = (size.value for size in features.get_shape())
    flat = tf.reshape(features, (-1, channels))
    return tf.matmul(tf.transpose(flat), flat) / (height * width * channels)


def gram_matrix_by_a_map(features):
    _, height, width, channels = map(lambda size: size.value, features.get_shape())
    flat = tf.reshape(features, (-1, channels))
    return tf.matmul(tf.transpose(flat), flat) / (height * width * channels)


def total_variation(image):
    vertical = tf.nn.l2_loss(image[:, 1:] - image[:, :-1])
    return vertical / reduce(mul, (size.value for size in image[:, 1:].get_shape()[1:]), 1)


def mean_square(image):
    return tf.nn.l2_loss(image) / image.get_shape().dims[1].value


def share_of_a_value(given):
    return given.weights / tf.nn.relu(given.value)  # HAZARD divide-by-zero


def of_all_sizes(image, loss):
    return loss / np.sum(image.shape).value
