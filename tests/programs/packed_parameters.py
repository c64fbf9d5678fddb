"""Parameters of a distribution that are packed into one tensor, and taken apart by a size that only names give."""

import tensorflow as tf
from tensorflow.keras import layers


def log_scale_of(packed, size):
    scale = packed[:, size:]
    return tf.reduce_sum(tf.math.log(scale), axis=1)


def policy(observations, size):
    mean = layers.Dense(size)(observations)
    scale = tf.exp(tf.Variable(tf.zeros([size]))) * tf.ones_like(mean)
    return log_scale_of(tf.concat([mean, scale], 1), size)


class Packed(layers.Layer):
    def __init__(self, size):
        super().__init__()
        self.half = size // 2
        self.mean_of, self.scale_of = layers.Dense(self.half), layers.Dense(self.half, activation="softplus")

    def call(self, x):
        packed = tf.concat([self.mean_of(x), self.scale_of(x) + 1e-3], axis=-1)
        mean, scale = packed[..., : self.half], packed[..., self.half :]
        return mean / scale + tf.math.log(scale)


class PackedTheOtherWay(layers.Layer):
    def __init__(self, size):
        super().__init__()
        self.half = size // 2
        self.mean_of, self.scale_of = layers.Dense(self.half), layers.Dense(self.half, activation="softplus")

    def call(self, x):
        packed = tf.concat([self.scale_of(x) + 1e-3, self.mean_of(x)], axis=-1)
        scale = packed[..., self.half :]
        return tf.math.log(scale)  # HAZARD log-below-zero


def entropy(logits, values, classes):
    packed = tf.concat([tf.nn.softmax(logits), values], axis=1)
    return -tf.reduce_sum(tf.math.log(packed[:, :classes] + 1e-9))


def entropy_without_an_epsilon(logits, values, classes):
    packed = tf.concat([tf.nn.softmax(logits), values], axis=1)
    return -tf.reduce_sum(tf.math.log(packed[:, :classes]))  # HAZARD log-reaches-zero
