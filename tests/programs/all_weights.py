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


def sound_norm_of_all_weights(model, criterion, x, y):
    with tf.GradientTape() as tape:
        loss = criterion(y, model(x))
        loss += tf.sqrt(tf.reduce_sum([tf.reduce_sum(tf.square(x)) for x in model.trainable_variables]))
    return tape.gradient(loss, model.trainable_variables)


def sound_norm_of_a_running_sum(model, criterion, x, y):
    with tf.GradientTape() as tape:
        total = 0.0
        for w in model.trainable_variables:
            total += tf.reduce_sum(w**2)
        loss = criterion(y, model(x)) + tf.sqrt(total)
    return tape.gradient(loss, model.trainable_variables)


def norms_of_weights(model, criterion, x, y):
    with tf.GradientTape() as tape:
        loss = criterion(y, model(x))
        for w in model.trainable_variables:
            loss += tf.norm(w)  # HAZARD norm-at-zero
    return tape.gradient(loss, model.trainable_variables)
