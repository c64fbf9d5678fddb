"""A result that every caller drops is no hazard; the same result of another function is used."""

import tensorflow as tf

network = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(2)])


def _squashed(states):
    action = tf.tanh(network(states))
    correction = tf.reduce_sum(tf.math.log(1 - action**2 + 1e-12), axis=1)
    return action, -correction


def _squashed_with_density(states):
    action = tf.tanh(network(states))
    correction = tf.reduce_sum(tf.math.log(1 - action**2 + 1e-12), axis=1)  # HAZARD epsilon-reassociated
    return action, -correction


@tf.function
def act(states):
    action, _ = _squashed(states)
    return action


@tf.function
def entropy(states):
    action, log_density = _squashed_with_density(states)
    return action, tf.reduce_mean(log_density)
