"""What `predict` gives: an array of numbers, through which no gradient flows back to the network."""

import numpy as np
import tensorflow as tf

inputs = tf.keras.layers.Input((8,))
hidden = tf.keras.layers.Dense(32, activation="relu")(inputs)
scores = tf.keras.layers.Dense(1, activation="sigmoid")(hidden)
model = tf.keras.Model(inputs, scores)


def reweighted(events):
    found = model.predict(events, batch_size=1000)
    weights = found / (1.0 - found)
    return np.nan_to_num(weights)


def train(events, labels):
    weights = np.ones(len(events))
    for _ in range(4):
        model.compile("adam", "binary_crossentropy")
        model.fit(events, labels, sample_weight=weights)
        weights = reweighted(events)
    return weights


def penalty(events, labels):
    with tf.GradientTape() as tape:
        error = labels - model.predict(events)
        loss = tf.reduce_mean(tf.sqrt(error**2)) + tf.reduce_mean(model(events))
    return tape.gradient(loss, model.trainable_variables)


def penalty_of_a_call(events, labels):
    with tf.GradientTape() as tape:
        error = labels - model(events)
        loss = tf.reduce_mean(tf.sqrt(error**2))  # HAZARD sqrt-at-zero
    return tape.gradient(loss, model.trainable_variables)


def odds_of_a_call(events):
    found = model(events)
    return found / (1.0 - found)  # HAZARD odds-of-sigmoid
