"""Hazards behind an overflow: where the network before it is moderate, they fail by themselves."""

import tensorflow as tf
from tensorflow.keras import layers

encoder = layers.Dense(8)
mean_of, log_variance_of = layers.Dense(4), layers.Dense(4)
decoder = tf.keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(784, activation="sigmoid")])
logits_of = layers.Dense(784)


@tf.function
def train_autoencoder(x):
    with tf.GradientTape() as tape:
        hidden = encoder(x)
        mean, log_variance = mean_of(hidden), log_variance_of(hidden)
        code = mean + tf.sqrt(tf.exp(log_variance)) * tf.random.normal(tf.shape(mean))
        decoded = decoder(code)
        likelihood = x * tf.math.log(tf.maximum(decoded, 1e-30)) + (1 - x) * tf.math.log(1 - decoded)  # HAZARD log-one-minus-sigmoid
        loss = -tf.reduce_mean(tf.reduce_sum(likelihood, -1))
    return tape.gradient(loss, decoder.trainable_variables)


@tf.function
def train_autoencoder_soundly(x):
    with tf.GradientTape() as tape:
        hidden = encoder(x)
        mean, log_variance = mean_of(hidden), log_variance_of(hidden)
        code = mean + tf.sqrt(tf.exp(log_variance)) * tf.random.normal(tf.shape(mean))
        decoded = tf.clip_by_value(decoder(code), 1e-6, 1 - 1e-6)
        likelihood = x * tf.math.log(decoded) + (1 - x) * tf.math.log(1 - decoded)
        loss = -tf.reduce_mean(tf.reduce_sum(likelihood, -1))
    return tape.gradient(loss, decoder.trainable_variables)


class Reconstruction(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.scale = layers.Dense(4)
        self.out = layers.Dense(10)

    def call(self, x):
        noisy = x * tf.exp(tf.exp(self.scale(x)))  # HAZARD exp-overflow
        return tf.math.log(tf.nn.softmax(self.out(noisy)))  # HAZARD log-softmax


class SoundReconstruction(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.scale = layers.Dense(4)
        self.out = layers.Dense(10)

    def call(self, x):
        noisy = x * tf.exp(tf.exp(self.scale(x)))  # HAZARD exp-overflow
        return tf.nn.log_softmax(self.out(noisy))


def variance_and_probability(x):
    with tf.GradientTape() as tape:
        variance = tf.square(tf.exp(log_variance_of(x)))  # POSSIBLE exp-overflow
        p = tf.sigmoid(logits_of(variance))
        loss = -tf.reduce_mean(tf.math.log(p))  # HAZARD log-sigmoid
    return tape.gradient(loss, logits_of.trainable_variables)


def variance_and_log_probability(x):
    with tf.GradientTape() as tape:
        variance = tf.square(tf.exp(log_variance_of(x)))  # POSSIBLE exp-overflow
        loss = -tf.reduce_mean(tf.math.log_sigmoid(logits_of(variance)))
    return tape.gradient(loss, logits_of.trainable_variables)


def variance_whose_logarithm_is_taken(x):
    with tf.GradientTape() as tape:
        variance = tf.exp(log_variance_of(x))  # POSSIBLE exp-overflow
        loss = tf.reduce_mean(tf.math.log(1.0 + tf.square(variance)))
    return tape.gradient(loss, log_variance_of.trainable_variables)
