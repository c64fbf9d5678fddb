"""Normalising flows, mixture densities, likelihoods by hand, heteroscedastic regression."""

import math

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
from tensorflow import keras
from tensorflow.keras import layers


class Coupling(layers.Layer):
    def __init__(self):
        super().__init__()
        self.net = keras.Sequential([layers.Dense(16, "relu"), layers.Dense(4)])

    def call(self, x):
        a, b = tf.split(x, 2, axis=-1)
        shift, log_scale = tf.split(self.net(a), 2, axis=-1)
        scale = tf.exp(tf.tanh(log_scale))
        return tf.concat([a, b * scale + shift], -1), tf.reduce_sum(tf.math.log(scale), -1)


class SigmoidScale(layers.Layer):
    def __init__(self):
        super().__init__()
        self.net = layers.Dense(4)

    def call(self, x):
        a, b = tf.split(x, 2, axis=-1)
        shift, raw = tf.split(self.net(a), 2, axis=-1)
        scale = tf.nn.sigmoid(raw + 2.0)
        bad = tf.reduce_sum(tf.math.log(scale), -1)  # HAZARD log-sigmoid
        good = tf.reduce_sum(tf.math.log_sigmoid(raw + 2.0), -1)
        return tf.concat([a, b * scale + shift], -1), bad + good


def logit_flow(x):
    p = tf.clip_by_value(x, 1e-5, 1 - 1e-5)
    return tf.math.log(p) - tf.math.log(1 - p)


def dequantised(x):
    x = (x * 255.0 + tf.random.uniform(tf.shape(x))) / 256.0
    x = 0.05 + 0.9 * x
    return tf.math.log(x / (1 - x))


class Mixture(keras.Model):
    def __init__(self, k=5):
        super().__init__()
        self.pi = layers.Dense(k, activation="softmax")
        self.mu = layers.Dense(k)
        self.sigma = layers.Dense(k, activation="softplus")
        self.elu_sigma = layers.Dense(k, activation=lambda v: tf.nn.elu(v) + 1.0)

    def call(self, x):
        return self.pi(x), self.mu(x), self.sigma(x)

    def loss_of(self, x, y):
        pi, mu, sigma = self(x)
        density = tf.exp(-0.5 * tf.square((y - mu) / sigma)) / (sigma * math.sqrt(2 * math.pi))
        return -tf.reduce_mean(tf.math.log(tf.reduce_sum(pi * density, axis=1)))  # HAZARD log-reaches-zero

    def sound_loss_of(self, x, y):
        pi, mu, sigma = self(x)
        sigma = sigma + 1e-3
        log_density = -0.5 * tf.square((y - mu) / sigma) - tf.math.log(sigma) - 0.5 * np.log(2 * np.pi)
        return -tf.reduce_mean(tf.reduce_logsumexp(tf.math.log(pi + 1e-8) + log_density, axis=1))


def gaussian_nll(y_true, y_pred):
    mean, log_var = tf.split(y_pred, 2, axis=-1)
    return tf.reduce_mean(0.5 * log_var + 0.5 * tf.square(y_true - mean) / tf.exp(log_var))


def gaussian_nll_of_softplus(y_true, y_pred):
    mean, raw = tf.split(y_pred, 2, axis=-1)
    sigma = tf.nn.softplus(raw)
    return tf.reduce_mean(tf.math.log(sigma) + 0.5 * tf.square((y_true - mean) / sigma))


def poisson_loss(y_true, y_pred):
    rate = tf.nn.relu(y_pred)
    return tf.reduce_mean(rate - y_true * tf.math.log(rate))  # HAZARD log-relu


def sound_poisson_loss(y_true, y_pred):
    return tf.reduce_mean(tf.exp(y_pred) - y_true * y_pred)


def beta_loss(y_true, y_pred):
    a, b = tf.nn.softplus(y_pred[:, :1]) + 1.0, tf.nn.softplus(y_pred[:, 1:]) + 1.0
    y = tf.clip_by_value(y_true, 1e-6, 1 - 1e-6)
    return -tf.reduce_mean((a - 1) * tf.math.log(y) + (b - 1) * tf.math.log(1 - y) - tf.math.lbeta(tf.concat([a, b], -1)))


def weibull_loss(y_true, y_pred):
    a, b = tf.exp(y_pred[:, 0]), tf.nn.softplus(y_pred[:, 1]) + 1e-3
    ya = (y_true[:, 0] + 1e-35) / a
    return -tf.reduce_mean(tf.math.log(b) + b * tf.math.log(ya) - tf.pow(ya, b))  # FALSE log-reaches-zero


def spread_of_either_sign(x, y):
    mean, deviation = layers.Dense(1)(x), layers.Dense(1)(x)
    bad = tfp.distributions.Normal(mean, deviation).log_prob(y)  # HAZARD log-below-zero
    kept = tfp.distributions.Normal(mean, tf.nn.softplus(deviation) + 1e-3).log_prob(y)
    return bad + kept + tfp.distributions.Normal(mean, tf.exp(deviation)).log_prob(y)  # FALSE exp-overflow log-reaches-zero


def of_raw_outputs(x):
    raw = layers.Dense(3)(x)
    bad = tf.math.log(raw + 1e-8) + tf.sqrt(raw[:, :1])  # HAZARD log-below-zero sqrt-below-zero
    steep = tf.acos(raw)  # HAZARD inverse-sine-outside
    return bad + steep + tf.math.log(tf.abs(raw) + 1e-6) + tf.sqrt(tf.maximum(raw, 1e-6)) + 1.0 / (raw + 0.1)


def at_least_epsilon(x):
    return keras.activations.elu(x) + 1 + 1e-7


class Mixture(layers.Layer):
    def __init__(self, activation):
        super().__init__()
        self.mean, self.scale = layers.Dense(3), layers.Dense(3, activation=activation)

    def call(self, x):
        return tf.concat([self.mean(x), self.scale(x)], axis=-1)


def mixture_loss(y, parameters):
    mean, scale = tf.split(parameters, 2, axis=-1)
    return tf.reduce_sum(tf.math.log(scale) + tf.square((y - mean) / (tf.abs(scale) + 1e-3)), axis=-1)


def unbounded_mixture_loss(y, parameters):
    mean, scale = tf.split(parameters, 2, axis=-1)
    return tf.reduce_sum(tf.math.log(scale) + tf.square(y - mean), axis=-1)  # HAZARD log-below-zero  # FALSE log-reaches-zero


events = keras.Input((3,))
keras.Model(events, Mixture(at_least_epsilon)(events)).compile("adam", mixture_loss)
keras.Model(events, Mixture(None)(events)).compile("adam", unbounded_mixture_loss)
