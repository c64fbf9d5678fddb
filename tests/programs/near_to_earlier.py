"""What stays near what it was: ratios of policies, moving statistics, scales that a likelihood holds in place."""

import tensorflow as tf
from tensorflow.keras import layers


def surrogate(log_prob, old_log_prob, advantage):
    return -tf.reduce_mean(tf.exp(log_prob - old_log_prob) * advantage)


def surrogate_of_scores(scores, old_scores, advantage):
    return -tf.reduce_mean(tf.exp(scores - old_scores) * advantage)


def ratio_loss(scores, others, advantage):
    return -tf.reduce_mean(tf.math.log(tf.reduce_sum(tf.exp(scores - others), -1)) * advantage)  # HAZARD log-sum-exp


class Normalization(tf.Module):
    def __init__(self, size):
        super().__init__()
        self.moving_mean = tf.Variable(tf.zeros([size]), trainable=False)
        self.moving_variance = tf.Variable(tf.ones([size]), trainable=False)

    def __call__(self, x, training):
        mean, variance = tf.nn.moments(x, axes=[0])
        if training:
            self.moving_mean.assign(0.9 * self.moving_mean + 0.1 * mean)
            self.moving_variance.assign(0.9 * self.moving_variance + 0.1 * variance)
            used = variance
        else:
            mean, used = self.moving_mean, self.moving_variance
        return (x - mean) * tf.math.rsqrt(used + 1e-3)


network = layers.Dense(6)


def likelihood(x, y):
    mean, log_scale = tf.split(network(x), 2, axis=-1)
    scale = tf.exp(log_scale)
    return tf.reduce_mean(tf.square((y - mean) / scale) + 2.0 * log_scale)


def likelihood_of_two(x, y):
    mean, spread = tf.split(network(x), 2, axis=-1)
    correlation = tf.tanh(spread)
    return tf.reduce_mean(tf.square(y - mean) / (1.0 - tf.square(correlation)))  # HAZARD divide-by-zero
