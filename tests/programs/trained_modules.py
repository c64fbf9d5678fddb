"""The `__call__` of a `tf.Module` with variables is differentiated by who trains it; one without them is not."""

import tensorflow as tf


class Matern(tf.Module):
    def __init__(self, dims):
        super().__init__()
        self.log_scale = tf.Variable(tf.zeros([dims]))

    def __call__(self, a, b):
        difference = (a[:, None, :] - b[None, :, :]) * tf.exp(-self.log_scale)
        return tf.exp(-tf.sqrt(tf.reduce_sum(tf.square(difference), axis=-1)))  # HAZARD sqrt-at-zero


class GuardedMatern(tf.Module):
    def __init__(self, dims):
        super().__init__()
        self.log_scale = tf.Variable(tf.zeros([dims]))

    def __call__(self, a, b):
        difference = (a[:, None, :] - b[None, :, :]) * tf.exp(-self.log_scale)
        return tf.exp(-tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(difference), axis=-1), 1e-12)))


class Distances(tf.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = tf.Variable(scale, trainable=False)

    def __call__(self, a, b):
        return tf.sqrt(tf.reduce_sum(tf.square(a[:, None, :] - b[None, :, :]), axis=-1)) * self.scale
