"""Layers whose base class a project hands on, weights by the size of their input, and names that end in a letter."""

import tensorflow as tf

from .engine import Layer


class RowNormalization(Layer):
    def build(self, input_shape):
        self.gamma = self.add_weight(shape=(input_shape[-1],), initializer="ones")

    def call(self, x):
        mean = tf.reduce_mean(x, axis=-1, keepdims=True)
        std = tf.math.reduce_std(x, axis=-1, keepdims=True)
        return self.gamma * (x - mean) / (std + 1e-3)  # HAZARD std-at-zero


class RowNormalizationByVariance(Layer):
    def build(self, input_shape):
        self.gamma = self.add_weight(shape=(input_shape[-1],), initializer="ones")

    def call(self, x):
        mean = tf.reduce_mean(x, axis=-1, keepdims=True)
        variance = tf.math.reduce_variance(x, axis=-1, keepdims=True)
        return self.gamma * (x - mean) / tf.sqrt(variance + 1e-3)


class Margin(tf.keras.layers.Layer):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def build(self, input_shape):
        self.centres = self.add_weight(shape=(input_shape[-1], self.classes), initializer="glorot_uniform")

    def cosine(self, embeddings):
        product = tf.matmul(tf.math.l2_normalize(embeddings, axis=1), tf.math.l2_normalize(self.centres, axis=0))
        return tf.clip_by_value(product, -1.0, 1.0)

    def call(self, embeddings):
        return tf.sqrt(1.0 - tf.square(self.cosine(embeddings)))  # HAZARD sqrt-at-zero


class MarginWithAFloor(Margin):
    def call(self, embeddings):
        return tf.sqrt(tf.maximum(1.0 - tf.square(self.cosine(embeddings)), 1e-6))


def divergence_loss(policies):
    prob_a, prob_b = policies["old"], policies["new"]
    return tf.reduce_sum(prob_a * tf.math.log(prob_a / prob_b))  # HAZARD log-times-argument


def divergence_of_floored_shares(policies):
    prob_a, prob_b = tf.maximum(policies["old"], 1e-6), tf.maximum(policies["new"], 1e-6)
    return tf.reduce_sum(prob_a * tf.math.log(prob_a / prob_b))


def log_error(y_true, y_pred):
    return tf.square(tf.math.log1p(y_pred) - tf.math.log1p(y_true))  # HAZARD log-below-zero


def log_error_of_counts(y_true, y_pred):
    return tf.square(tf.math.log1p(tf.nn.relu(y_pred)) - tf.math.log1p(y_true))


def counted(loss):
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss=loss)
    return model


demand = counted(log_error)
sound_demand = counted(log_error_of_counts)
