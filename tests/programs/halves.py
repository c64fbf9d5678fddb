"""Parts that are joined and taken apart again: a weight as long as an axis of another value fits beside it."""

import tensorflow as tf


def head(x, n):
    mean = tf.compat.v1.layers.dense(x, n)
    log_scale = tf.compat.v1.get_variable("spread", mean.get_shape().as_list()[1])
    scale = tf.tile(tf.expand_dims(tf.exp(log_scale), 0), [tf.shape(mean)[0], 1])
    _, second = tf.split(tf.concat([mean, scale], 1), 2, 1)
    return tf.math.log(second + 1e-8)


def other_half(x, n):
    mean = tf.compat.v1.layers.dense(x, n)
    log_scale = tf.compat.v1.get_variable("spread", mean.get_shape().as_list()[1])
    scale = tf.tile(tf.expand_dims(tf.exp(log_scale), 0), [tf.shape(mean)[0], 1])
    first, _ = tf.split(tf.concat([mean, scale], 1), 2, 1)
    return tf.math.log(first + 1e-8)  # HAZARD log-below-zero
