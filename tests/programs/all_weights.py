"""Penalties over all weights of a graph: some of them are biases, which start at 0."""

import keras
import tensorflow.compat.v1 as tf


def added_up(loss):
    length = tf.reduce_sum([tf.sqrt(tf.reduce_sum(tf.square(w))) for w in tf.trainable_variables()])  # HAZARD sqrt-at-zero
    return tf.train.AdamOptimizer().minimize(loss + 0.1 * length)


def in_a_loop(loss):
    length = 0.0
    for weight in tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES):
        length += tf.norm(weight)  # HAZARD norm-at-zero
    return tf.train.AdamOptimizer().minimize(loss + 0.1 * length)


def squared(loss):
    length = tf.add_n([tf.nn.l2_loss(w) for w in tf.trainable_variables() if "bias" not in w.name])
    return tf.train.AdamOptimizer().minimize(loss + 0.1 * length)


class UnitLength(keras.layers.Layer):
    def call(self, x):
        return x * tf.math.rsqrt(tf.reduce_sum(tf.square(x), axis=-1, keepdims=True) + 1e-8)  # HAZARD epsilon-float16


def half(policy="mixed_float16"):
    policy = keras.DTypePolicy(policy)
    x = keras.Input((4,))
    y = keras.layers.Dense(8, activation="relu", dtype=policy)(x)
    return keras.Model(x, UnitLength(dtype=policy)(y))
