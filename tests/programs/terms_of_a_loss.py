"""Losses of several terms: a term that fails does not hide the gradient of another one."""

import tensorflow as tf
from tensorflow.keras import layers

network = layers.Dense(2)
log_scale = tf.Variable(tf.zeros(2))


def log_density(mean, scale, x):
    return tf.reduce_sum(tf.math.log(tf.exp(-0.5 * tf.square((x - mean) / scale)) / scale), -1)  # HAZARD log-exp


def log_density_soundly(mean, scale, x):
    return tf.reduce_sum(-0.5 * tf.square((x - mean) / scale) - tf.math.log(scale), -1)


def train(state, action, earlier, advantage):
    with tf.GradientTape() as tape:
        mean, scale = network(state), tf.exp(log_scale)
        ratio = tf.exp(log_density(mean, scale, action) - earlier)
        loss = -tf.reduce_mean(tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage))
        squashed = tf.tanh(mean + scale * tf.random.normal(tf.shape(mean)))
        loss += tf.reduce_mean(tf.math.log(1 - tf.square(squashed)))  # HAZARD log-one-minus-tanh-squared
    return tape.gradient(loss, network.trainable_variables)


def train_soundly(state, action, earlier, advantage):
    with tf.GradientTape() as tape:
        mean, scale = network(state), tf.exp(log_scale)
        ratio = tf.exp(log_density_soundly(mean, scale, action) - earlier)
        loss = -tf.reduce_mean(tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage))
        squashed = tf.tanh(mean + scale * tf.random.normal(tf.shape(mean)))
        loss += tf.reduce_mean(tf.math.log(1 - tf.square(squashed)))  # HAZARD log-one-minus-tanh-squared
    return tape.gradient(loss, network.trainable_variables)
