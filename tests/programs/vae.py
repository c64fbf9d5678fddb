"""Variational autoencoders: the reparametrisation, KL terms, hand-written reconstruction losses."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers


class Sampling(layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        epsilon = tf.random.normal(shape=tf.shape(mean))
        return mean + tf.exp(0.5 * log_var) * epsilon


class VAE(keras.Model):
    def __init__(self, latent=2):
        super().__init__()
        self.encoder = keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(2 * latent)])
        self.decoder = keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(784, activation="sigmoid")])
        self.sample = Sampling()

    def call(self, x):
        mean, log_var = tf.split(self.encoder(x), 2, axis=1)
        return self.decoder(self.sample([mean, log_var]))

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_var = tf.split(self.encoder(data), 2, axis=1)
            p = self.decoder(self.sample((mean, log_var)))
            reconstruction = -tf.reduce_sum(data * tf.math.log(p) + (1 - data) * tf.math.log(1 - p), axis=1)  # HAZARD log-sigmoid log-one-minus-sigmoid
            kl = -0.5 * tf.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), axis=1)
            loss = tf.reduce_mean(reconstruction + kl)
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        return {"loss": loss}


class SoundVAE(VAE):
    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_var = tf.split(self.encoder(data), 2, axis=1)
            p = self.decoder(self.sample((mean, log_var)))
            eps = 1e-7
            reconstruction = -tf.reduce_sum(data * tf.math.log(p + eps) + (1 - data) * tf.math.log(1 - p + eps), axis=1)
            binary = tf.reduce_mean(keras.losses.binary_crossentropy(data, p))
            kl = -0.5 * tf.reduce_sum(1 + log_var - tf.square(mean) - tf.exp(log_var), axis=1)
            loss = tf.reduce_mean(reconstruction + kl) + binary
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        return {"loss": loss}


def kl_by_std(mean, std_raw):
    std = tf.nn.relu(std_raw)
    return tf.reduce_sum(tf.square(mean) + tf.square(std) - 2.0 * tf.math.log(std) - 1.0)  # HAZARD log-relu


def sound_kl_by_std(mean, std_raw):
    std = tf.nn.softplus(std_raw) + 1e-5
    return tf.reduce_sum(tf.square(mean) + tf.square(std) - 2.0 * tf.math.log(std) - 1.0)


def sparse_autoencoder_loss(model, x):
    hidden = layers.Dense(32, activation="sigmoid")(x)
    rho_hat = tf.reduce_mean(hidden, axis=0)
    rho = 0.05
    return tf.reduce_sum(rho * tf.math.log(rho / rho_hat) + (1 - rho) * tf.math.log((1 - rho) / (1 - rho_hat)))  # FALSE divide-by-zero


def gumbel(logits, temperature):
    u = tf.random.uniform(tf.shape(logits))
    g = -tf.math.log(-tf.math.log(u))  # MISSED log-reaches-zero
    return tf.nn.softmax((logits + g) / temperature)


def sound_gumbel(logits, temperature):
    u = tf.random.uniform(tf.shape(logits), minval=1e-10, maxval=1.0)
    g = -tf.math.log(-tf.math.log(u + 1e-20) + 1e-20)
    return tf.nn.softmax((logits + g) / temperature)


def backend_gumbel(logits):
    u = K.random_uniform(K.shape(logits), 0, 1)
    return logits - K.log(-K.log(u + 1e-20) + 1e-20)


def reconstruction_of(x, decoded):
    bad = x * tf.math.log(decoded)  # MISSED log-reaches-zero
    return -tf.reduce_sum(bad + (1 - x) * tf.math.log(1 - decoded), axis=1)  # MISSED log-reaches-zero


def clipped_reconstruction_of(x, decoded):
    p = tf.clip_by_value(decoded, 1e-6, 1 - 1e-6)
    return -tf.reduce_sum(x * tf.math.log(p) + (1 - x) * tf.math.log(1 - p), axis=1)


def shifted_reconstruction_of(x, decoded):
    return -tf.reduce_sum(x * tf.math.log(decoded + 1e-7) + (1 - x) * tf.math.log(1 - decoded + 1e-7), axis=1)


def log_odds(p):
    return tf.math.log(p) - tf.math.log(1 - p)


def density_between(y, t, z):
    left = -(t + 1.0) * tf.math.log1p(-y) - 2.0 * tf.math.softplus(-z)
    return tf.where(z > 0.0, left, -(t + 1.0) * tf.math.log(y) - 2.0 * tf.math.softplus(z))
