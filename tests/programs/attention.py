"""Attention with masks, layer normalisation by hand, positional encodings, softmax by hand."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


def scaled_dot_product(q, k, v, mask):
    scores = tf.matmul(q, k, transpose_b=True)
    dk = tf.cast(tf.shape(k)[-1], tf.float32)
    logits = scores / tf.math.sqrt(dk)
    if mask is not None:
        logits += mask * -1e9
    return tf.matmul(tf.nn.softmax(logits, axis=-1), v)


def masked_softmax_by_hand(scores, mask):
    weights = tf.exp(scores) * mask
    return weights / tf.reduce_sum(weights, axis=-1, keepdims=True)  # FALSE divide-by-zero


def stable_masked_softmax(scores, mask):
    shifted = scores - tf.reduce_max(scores, axis=-1, keepdims=True)
    weights = tf.exp(shifted) * mask
    return weights / (tf.reduce_sum(weights, axis=-1, keepdims=True) + 1e-9)


class AttentionPool(layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(8, 1), name="w")

    def call(self, inputs, mask=None):
        scores = tf.squeeze(tf.matmul(tf.tanh(inputs), self.w), -1)
        a = tf.exp(scores)
        if mask is not None:
            a *= tf.cast(mask, tf.float32)
        a /= tf.cast(tf.reduce_sum(a, axis=1, keepdims=True) + 1e-7, tf.float32)
        return tf.reduce_sum(inputs * a[:, :, None], axis=1)


class LayerNorm(layers.Layer):
    def build(self, shape):
        self.gamma = self.add_weight(shape=shape[-1:], initializer="ones", name="gamma")
        self.beta = self.add_weight(shape=shape[-1:], initializer="zeros", name="beta")

    def call(self, x):
        mean = tf.reduce_mean(x, axis=-1, keepdims=True)
        std = tf.math.reduce_std(x, axis=-1, keepdims=True)
        return self.gamma * (x - mean) / (std + 1e-6) + self.beta  # HAZARD std-at-zero


class SoundLayerNorm(layers.Layer):
    def call(self, x):
        mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-6)


class VarianceNorm(layers.Layer):
    def call(self, x):
        mean = tf.reduce_mean(x, axis=-1, keepdims=True)
        variance = tf.reduce_mean(tf.square(x - mean), axis=-1, keepdims=True)
        return (x - mean) / tf.sqrt(variance)  # HAZARD divide-by-root


def positional_encoding(length, depth):
    positions = np.arange(length)[:, np.newaxis]
    rates = 1 / (10000 ** (np.arange(depth)[np.newaxis, :] / depth))
    return tf.cast(np.concatenate([np.sin(positions * rates), np.cos(positions * rates)], axis=-1), tf.float32)


def squash(vectors, axis=-1):
    squared = tf.reduce_sum(tf.square(vectors), axis, keepdims=True)
    return squared / (1 + squared) / tf.sqrt(squared) * vectors  # HAZARD divide-by-root


def sound_squash(vectors, axis=-1):
    squared = tf.reduce_sum(tf.square(vectors), axis, keepdims=True)
    return squared / (1 + squared) / tf.sqrt(squared + 1e-7) * vectors


class Capsule(layers.Layer):
    def call(self, inputs):
        return tf.sqrt(tf.reduce_sum(tf.square(inputs), -1))  # HAZARD sqrt-at-zero


def mean_pool(embeddings, mask):
    mask = tf.cast(tf.expand_dims(mask, -1), tf.float32)
    summed = tf.reduce_sum(embeddings * mask, 1)
    counts = tf.clip_by_value(tf.reduce_sum(mask, 1), 1e-9, 1e9)
    return summed / counts


def mean_pool_unguarded(embeddings, lengths):
    mask = tf.sequence_mask(lengths, dtype=tf.float32)[..., None]
    return tf.reduce_sum(embeddings * mask, 1) / tf.reduce_sum(mask, 1)  # POSSIBLE divide-by-mask-sum
