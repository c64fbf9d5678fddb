"""What is measured has a sign that its formula states: only a network's output may be of either."""

import tensorflow as tf


def energy_loss(truth, pred):
    true_energy = truth["hitEnergies"]
    weights = tf.math.log(0.1 * true_energy + 1.0)
    return tf.reduce_mean(weights * tf.square(pred["energy"] - true_energy) / tf.sqrt(true_energy + 1e-6))


def relative_loss(y_true, y_pred):
    return tf.reduce_mean(tf.square(y_pred - y_true) / tf.sqrt(y_true + 1e-6))


def network(x):
    energy = tf.keras.layers.Dense(1)(x)
    return tf.reduce_mean(tf.sqrt(energy + 1e-6))  # HAZARD sqrt-below-zero


def spread(y_true):
    return tf.sqrt(tf.reduce_mean(tf.square(y_true), -1) - tf.square(tf.reduce_mean(y_true, -1)))  # HAZARD variance-by-difference


def standardised(y_true, y_pred):
    return tf.reduce_mean(tf.square(y_pred - y_true), -1) / (1.0 + spread(y_true))
