"""Lists of the weights of several models, with respect to which a loss is differentiated."""

import tensorflow as tf

UNITS = 16
encoder = tf.keras.Sequential([tf.keras.layers.Dense(UNITS)])
decoder = tf.keras.Sequential([tf.keras.layers.Dense(UNITS, activation="relu")])


def step_of_two_models(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.norm(decoder(encoder(x)), axis=-1))  # HAZARD norm-at-zero
    return tape.gradient(loss, encoder.trainable_variables + decoder.trainable_variables)


def sound_step_of_two_models(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(decoder(encoder(x))), axis=-1))
    return tape.gradient(loss, encoder.trainable_weights + decoder.trainable_weights)
