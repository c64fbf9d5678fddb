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
        return -tf.reduce_mean(tf.math.log(normal(y, self.mean(x), tf.exp(self.spread(x)))))  # HAZARD log-exp

    def sound_loss(self, x, y):
        logits = tf.math.log(self.weight(x) + 1e-8)
        spread = tf.clip_by_value(self.spread(x), -7.0, 7.0)
        densities = -0.5 * tf.square((y - self.mean(x)) * tf.exp(-spread)) - spread - 0.5 * np.log(2 * np.pi)
        return -tf.reduce_mean(tf.reduce_logsumexp(logits + densities, 1))

    def kept_away_from_zero(self, x, y):
        return -tf.reduce_mean(tf.math.log(normal(y, self.mean(x), tf.exp(self.spread(x))) + 1e-8))


def membership_loss(x, centres):
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
        return self.now.prob(action) / self.before.prob(action)  # HAZARD exp-quotient

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
        a /= K.sum(a, axis=1, keepdims=True)  # POSSIBLE divide-by-zero
        return x * (a + sound)


def transport(x, y, eps=0.01):
    cost = tf.reduce_sum(tf.square(x[:, None] - y[None]), -1)
    kernel, u = tf.exp(-cost / eps), tf.ones(tf.shape(x)[0])
    for _ in range(20):
        v = 1.0 / tf.linalg.matvec(kernel, u, transpose_a=True)  # MISSED divide-by-zero
        u = 1.0 / tf.linalg.matvec(kernel, v)  # MISSED divide-by-zero
    return tf.reduce_sum(u[:, None] * kernel * v[None] * cost)


def sound_transport(x, y, eps=0.01):
    cost = tf.reduce_sum(tf.square(x[:, None] - y[None]), -1)
    f = tf.zeros(tf.shape(x)[0])
    for _ in range(20):
        g = -eps * tf.reduce_logsumexp((f[:, None] - cost) / eps, 0)
        f = -eps * tf.reduce_logsumexp((g[None] - cost) / eps, 1)
    return tf.reduce_sum(tf.exp(tf.minimum((f[:, None] + g[None] - cost) / eps, 0.0)) * cost)


def blurred(x, sigma):
    window = tf.exp(-0.5 * tf.square((tf.range(-4.0, 5.0)) / sigma))
    return tf.nn.conv1d(x, (window / tf.reduce_sum(window))[:, None, None], 1, "SAME")


def mean_of_neighbours(messages, ids, count):
    total = tf.math.unsorted_segment_sum(messages, ids, count)
    members = tf.math.unsorted_segment_sum(tf.ones_like(messages[:, :1]), ids, count)
    sound = tf.math.divide_no_nan(total, members)
    return sound + total / members  # HAZARD divide-by-zero


def attention_over_edges(scores, ids, count):
    e = tf.exp(tf.tanh(scores))
    return e / tf.gather(tf.math.unsorted_segment_sum(e, ids, count), ids)


def contrastive_loss(user, right, wrong):
    positive = tf.exp(tf.reduce_sum(user * right, -1))
    negative = tf.reduce_sum(tf.exp(tf.einsum("bd,bkd->bk", user, wrong)), -1)
    return -tf.reduce_mean(tf.math.log(positive / (positive + negative)))  # MISSED softmax-by-hand


def sound_contrastive_loss(user, right, wrong):
    user, right, wrong = (tf.math.l2_normalize(v, -1) for v in (user, right, wrong))
    positive = tf.exp(tf.reduce_sum(user * right, -1) / 0.1)
    negative = tf.reduce_sum(tf.exp(tf.einsum("bd,bkd->bk", user, wrong) / 0.1), -1)
    return -tf.reduce_mean(tf.math.log(positive / (positive + negative)))
