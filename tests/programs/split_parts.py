"""Parts of a tensor that is split into equal sizes, or into sizes that the program computes."""

import tensorflow as tf


class Gaussian:
    def __init__(self, flat):
        self.mean, self.logstd = tf.split(flat, 2, axis=1)
        self.std = tf.exp(tf.clip_by_value(self.logstd, -5.0, 2.0))

    def log_density(self, x):
        return -0.5 * tf.reduce_sum(tf.square((x - self.mean) / self.std), axis=-1) - tf.reduce_sum(self.logstd, -1)


class Choices:
    def __init__(self, low, high, flat):
        parts = tf.split(flat, high - low + 1, axis=len(flat.get_shape()) - 1)
        self.choices = [Choice(part) for part in parts]

    def sample(self):
        return tf.concat([choice.sample() for choice in self.choices], axis=-1)


class Choice:
    def __init__(self, logits):
        self.logits = logits

    def sample(self):
        u = tf.random.uniform(tf.shape(self.logits))
        return tf.nn.softmax(self.logits - tf.math.log(-tf.math.log(u)), axis=-1)


def two_halves(x):
    first, second = tf.split(x, 2, axis=1)
    return first / tf.norm(second, axis=1, keepdims=True)  # HAZARD divide-by-norm


def standardised_parts(x, sizes):
    mean, scale = tf.split(x, [sizes.mean, sizes.scale], axis=-1)
    return mean / tf.nn.relu(scale)  # HAZARD divide-by-zero
