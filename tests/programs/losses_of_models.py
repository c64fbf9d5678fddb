"""Losses that a model keeps as an attribute, and that another module minimises."""

import tensorflow as tf


def expit(x):
    return 1.0 / (1.0 + tf.exp(-x))  # HAZARD sigmoid-by-hand


class Detector:
    def build(self, net_out, target):
        self.loss = tf.reduce_mean(tf.square(expit(net_out) - target))

    def summarize(self, net_out, target):
        self.val_loss = tf.reduce_mean(tf.square(1.0 / (1.0 + tf.exp(-net_out)) - target))


def loss(self, sizes, target):
    self.placeholders = {"target": target}
    sizes = tf.sqrt(tf.nn.relu(tf.keras.layers.Dense(2)(sizes)))  # HAZARD sqrt-of-relu
    self.loss = tf.reduce_mean(tf.square(sizes - target))


def sound_loss(self, sizes, target):
    sizes = tf.sqrt(tf.nn.softplus(tf.keras.layers.Dense(2)(sizes)) + 1e-6)
    self.total_loss = tf.reduce_mean(tf.square(sizes - target))
