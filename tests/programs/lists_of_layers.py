"""Layers of unknown number stand in front of the layer that ends the list."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers import Dense


def build_with_a_sum(classes, widths):
    return keras.Sequential([Dense(width, "relu") for width in widths] + [Dense(classes, activation="softmax")])


def entropy(x, classes, widths):
    shares = build_with_a_sum(classes, widths)(x)
    return -tf.reduce_sum(shares * tf.math.log(shares), axis=-1)  # HAZARD log-times-argument


class Spread(keras.layers.Layer):
    def __init__(self, classes, widths, **kwargs):
        super().__init__(**kwargs)
        self.blocks = [*[Dense(width, "softplus") for width in widths], Dense(classes, "relu")]

    def call(self, inputs):
        for block in self.blocks:
            inputs = block(inputs)
        return tf.math.log(inputs)  # HAZARD log-relu


class Sound(keras.layers.Layer):
    def __init__(self, classes, widths, **kwargs):
        super().__init__(**kwargs)
        self.first = keras.Sequential([Dense(width, "relu") for width in widths])
        self.rest = [Dense(width, "relu") for width in widths] + [Dense(classes, "sigmoid")]

    def call(self, inputs):
        inputs = self.first(inputs)
        for block in self.rest:
            inputs = block(inputs)
        return tf.math.log(2.0 + inputs)
