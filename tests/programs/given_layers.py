"""Weights that a layer makes for another one: they are trained, and stay near their start."""

import tensorflow as tf
from tensorflow import keras


class LearnedDropout(keras.layers.Wrapper):
    def build(self, input_shape=None):
        self.rate_logit = self.layer.add_weight(name="rate_logit", shape=(1,), initializer="zeros")
        rate = tf.sigmoid(self.rate_logit)
        self.layer.add_loss(tf.reduce_sum(rate * tf.math.log(rate) + (1.0 - rate) * tf.math.log(1.0 - rate)))

    def call(self, x):
        return self.layer(x) / (1.0 - tf.sigmoid(self.rate_logit))


class Mixture(keras.layers.Wrapper):
    def build(self, input_shape=None):
        self.kernel = self.layer.add_weight(name="kernel", shape=(8, 4), initializer="glorot_uniform")

    def call(self, x):
        return tf.math.log(tf.nn.softmax(x @ self.kernel))  # HAZARD log-softmax
