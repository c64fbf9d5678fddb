"""Pairs that a comprehension collects are taken apart by `zip(*pairs)`."""

import tensorflow as tf
from tensorflow.keras import layers


class Expert(layers.Layer):
    def __init__(self, size, activation):
        super().__init__()
        self.mean = layers.Dense(size)
        self.variance = layers.Dense(size, activation=activation)

    def call(self, x):
        return self.mean(x), self.variance(x)


class Experts(layers.Layer):
    def __init__(self, count, size):
        super().__init__()
        self.experts = [Expert(size, "relu") for _ in range(count)]
        self.sound = [Expert(size, lambda x: tf.nn.softplus(x) + 1e-3) for _ in range(count)]

    def call(self, inputs):
        means, variances = zip(*[expert(x) for expert, x in zip(self.experts, inputs)])
        precision = tf.add_n([1.0 / variance for variance in variances])  # HAZARD divide-by-zero
        return tf.add_n(means) / precision

    def soundly(self, inputs):
        means, variances = zip(*[expert(x) for expert, x in zip(self.sound, inputs)])
        return tf.add_n([mean / variance for mean, variance in zip(means, variances)])
