"""Gaussians are exactly 0 in their tails, spectra for silence, masks for padding: what is divided by them, or its logarithm."""

import math

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
from tensorflow.keras import backend as K
from tensorflow.keras import layers

tfd = tfp.distributions


def normal(y, mean, spread):
    z = (y - mean) / spread
    return tf.exp(-tf.square(z) / 2) / (spread * math.sqrt(2 * math.pi))


class Mixture(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.weight, self.mean, self.spread = layers.Dense(5, "softmax"), layers.Dense(5), layers.Dense(5)

    def loss(self, x, y):
        weight, mean, spread = self.weight(x), self.mean(x), tf.exp(self.spread(x))
        return -tf.reduce_mean(tf.math.log(tf.reduce_sum(weight * normal(y, mean, spread), 1)))  # HAZARD log-reaches-zero

    def single_loss(self, x, y):
        return -tf.reduce_mean(tf.math.log(normal(y, self.mean(x), tf.exp(self.spread(x)))))  # HAZARD log-reaches-zero

    def sound_loss(self, x, y):
        logits = tf.math.log(self.weight(x) + 1e-8)
        spread = tf.clip_by_value(self.spread(x), -7.0, 7.0)
        densities = -0.5 * tf.square((y - self.mean(x)) * tf.exp(-spread)) - spread - 0.5 * np.log(2 * np.pi)
        return -tf.reduce_mean(tf.reduce_logsumexp(logits + densities, 1))

    def kept_away_from_zero(self, x, y):
        return -tf.reduce_mean(tf.math.log(normal(y, self.mean(x), tf.exp(self.spread(x))) + 1e-8))


def memberships(x, centres):
    near = tf.exp(-tf.square(x[:, None] - centres))
    return near / tf.reduce_sum(near, axis=1, keepdims=True)  # HAZARD divide-by-zero


def sound_memberships(x, centres):
    return tf.nn.softmax(-tf.square(x[:, None] - centres), axis=1)


def affinities(x):
    near = tf.exp(-tf.reduce_sum(tf.square(x[:, None] - x[None, :]), -1))
    return near / tf.reduce_sum(near, axis=1, keepdims=True)


class Policy:
    def __init__(self, states):
        h = layers.Dense(64, "relu")(states)
        self.now = tfd.Normal(layers.Dense(1)(h), tf.nn.softplus(layers.Dense(1)(h)) + 1e-3)
        self.before = tfd.Normal(layers.Dense(1)(h), tf.nn.softplus(layers.Dense(1)(h)) + 1e-3)

    def ratio(self, action):
        return self.now.prob(action) / self.before.prob(action)  # HAZARD divide-by-zero

    def sound_ratio(self, action):
        return tf.exp(tf.clip_by_value(self.now.log_prob(action) - self.before.log_prob(action), -20.0, 20.0))


def log_mel(audio):
    spectrum = tf.abs(tf.signal.stft(audio, 1024, 256))
    mel = tf.tensordot(spectrum, tf.signal.linear_to_mel_weight_matrix(80, 513, 22050), 1)
    return tf.math.log(mel + 1e-6) + tf.math.log(mel)  # HAZARD log-reaches-zero


class Attention(layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1],))

    def call(self, x, mask=None):
        a = K.exp(K.tanh(K.dot(x, self.w)))
        if mask is not None:
            a *= K.cast(mask, K.floatx())
        sound = a / (K.sum(a, axis=1, keepdims=True) + K.epsilon())
        a /= K.sum(a, axis=1, keepdims=True)  # HAZARD divide-by-zero
        return x * (a + sound)
