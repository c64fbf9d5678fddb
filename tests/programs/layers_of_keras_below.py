"""Classes below a layer of Keras: what `super().call` gives, and what training differentiates."""

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.layers import AveragePooling2D, Dense


class NormPooling(AveragePooling2D):
    def __init__(self, pool_size=(2, 2), **kwargs):
        super().__init__(pool_size=pool_size, **kwargs)

    def call(self, x):
        return tf.sqrt(super(AveragePooling2D, self).call(tf.square(x)))  # HAZARD sqrt-at-zero


class ShiftedPooling(AveragePooling2D):
    def call(self, x):
        return tf.sqrt(super().call(tf.square(x)) + 1e-6)


class LogProbabilities(Dense):
    def __init__(self, units):
        super().__init__(units, activation="softmax")

    def call(self, x):
        return tf.math.log(super().call(x))  # HAZARD log-softmax


class Scores(layers.Dense):
    def __init__(self, units):
        super().__init__(units, activation="softplus")

    def call(self, x):
        return tf.math.log(1.0 + super().call(x))
