"""Exponentials that training holds: the ratio to the policy that drew the actions, and a scale under any name."""

import tensorflow as tf
from tensorflow import keras


def surrogate(policy, states, actions, noted, advantages):
    logits = policy(states)
    logp = tf.reduce_sum(tf.nn.log_softmax(logits) * tf.one_hot(actions, 4), axis=-1)
    logp_buffer = noted["logp_buffer"]
    ratio = tf.exp(logp - logp_buffer + 1e-6)
    return -tf.reduce_mean(ratio * advantages)


def step(policy, optimizer, states, actions, noted, advantages):
    with tf.GradientTape() as tape:
        loss = surrogate(policy, states, actions, noted, advantages)
    weights = policy.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))


def encoder(width, latent):
    inputs = keras.Input((width,))
    hidden = keras.layers.Dense(64, activation="relu")(inputs)
    mean = keras.layers.Dense(latent)(hidden)
    standard_dev = keras.layers.Dense(latent, activation=tf.exp)(hidden)
    return keras.Model(inputs, [mean, standard_dev])


def divergence(x, width, latent):
    mean, standard_dev = encoder(width, latent)(x)
    terms = tf.square(mean) + tf.square(standard_dev) - 1.0 - 2.0 * tf.math.log(standard_dev)
    return 0.5 * tf.reduce_mean(tf.reduce_sum(terms, axis=-1))


def unheld(x):
    odds = tf.exp(keras.layers.Dense(3)(x))
    return tf.reduce_mean(odds / (1.0 + odds))  # HAZARD sigmoid-as-quotient
