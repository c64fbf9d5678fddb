"""Checks of a shape, by `assert`, `if` and early returns, guard nothing; a check that there is something does."""

import numpy as np
import tensorflow as tf


def asserted(x):
    p = tf.nn.softmax(x)
    assert p.shape == 2
    assert len(x.shape) == 2
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


def raised(x):
    p = tf.nn.softmax(x)
    if int(x.shape[0]) != 3 and x.shape[1] > 1:
        raise ValueError("three rows")
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


def returned(x):
    p = tf.nn.softmax(x)
    if x.get_shape().ndims == 1:
        return None
    return tf.math.log(p)  # HAZARD log-softmax


def by_the_length(values, mask):
    chosen = tf.boolean_mask(values, mask > 0)
    if len(chosen) == 0:
        return 0.0
    return tf.reduce_mean(chosen)


def turn_by_turn(x):
    p = tf.nn.softmax(x)
    for i in range(3):
        p = p * tf.cast(i + 1, tf.float32)
    heads = [tf.math.log(tf.nn.softmax(x * (k + 1))) for k in range(2)]  # HAZARD log-softmax
    return heads, [tf.math.log(tf.nn.softmax(x * (k + 1)) + 1e-6) for k in range(2)], p


def of_numpy_alone(samples):
    low, high = np.min(samples), np.max(samples)
    table = np.cumprod(1.0 - np.linspace(1e-4, 0.02, 10))
    return (samples - low) / (high - low), np.sqrt(table), np.log(np.maximum(samples, 0.0))


def with_a_default(x, config):
    eps = config.get("eps", 1e-6)
    return tf.math.log(tf.nn.softmax(x) + eps), tf.math.log(tf.nn.softmax(x))  # HAZARD log-softmax
