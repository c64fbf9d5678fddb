"""Classes that another one of the file makes objects of are read with its arguments; any of several kernels stands for all."""

import tensorflow as tf


class CountLoss:
    def __init__(self, spread):
        self.spread = spread

    def nll(self, counts, rate):
        return (counts + self.spread) * tf.math.log(1.0 + rate / self.spread)


class InflatedCountLoss(CountLoss):
    def __init__(self, share, spread):
        super().__init__(spread)
        self.share = share

    def loss(self, counts, rate):
        return tf.reduce_mean((1.0 - self.share) * self.nll(counts, rate))


class Autoencoder:
    def __init__(self, counts):
        hidden = tf.keras.layers.Dense(8, activation="relu")(counts)
        rate = tf.exp(tf.clip_by_value(tf.keras.layers.Dense(4)(hidden), -10.0, 10.0))
        spread = tf.clip_by_value(tf.nn.softplus(tf.keras.layers.Dense(4)(hidden)), 1e-4, 1e4)
        share = tf.nn.sigmoid(tf.keras.layers.Dense(4)(hidden))
        self.loss = InflatedCountLoss(share, spread).loss(counts, rate)


class Stationary(tf.Module):
    def __init__(self, length=1.0):
        super().__init__()
        self.length = tf.Variable(length)

    def squared(self, x):
        x = x / tf.nn.softplus(self.length)
        return tf.reduce_sum(tf.square(x[:, None, :] - x[None, :, :]), axis=-1)

    def matrix(self, x):
        return self.of_distance(tf.sqrt(self.squared(x)))  # HAZARD sqrt-at-zero

    def sound_matrix(self, x):
        return self.of_distance(tf.sqrt(tf.maximum(self.squared(x), 1e-12)))


class Exponential(Stationary):
    def of_distance(self, distance):
        return tf.exp(-distance)


class OnceDifferentiable(Stationary):
    def of_distance(self, distance):
        return (1.0 + distance) * tf.exp(-distance)


class Process(tf.Module):
    def __init__(self, x, y, kernel):
        super().__init__()
        self.x, self.y, self.kernel = x, y, kernel

    def energy_loss(self):
        whole = self.kernel.matrix(self.x) + self.kernel.sound_matrix(self.x)
        return tf.reduce_sum(self.y * tf.linalg.matvec(whole, self.y))


def linear_map(x, width, scope):
    with tf.compat.v1.variable_scope(scope):
        w = tf.compat.v1.get_variable("Matrix", [x.shape[-1], width], initializer=tf.random_normal_initializer())
        return tf.matmul(x, w)


def fake_loss(z):
    made = tf.tanh(linear_map(tf.nn.relu(linear_map(z, 16, "h")), 8, "x"))
    judged = tf.sigmoid(linear_map(tf.nn.relu(linear_map(made, 16, "d_h")), 1, "d_x"))
    return -tf.reduce_mean(tf.math.log(1.0 - judged))  # HAZARD log-one-minus-sigmoid


def sound_fake_loss(z):
    made = tf.tanh(linear_map(tf.nn.relu(linear_map(z, 16, "h")), 8, "x"))
    return tf.reduce_mean(tf.nn.softplus(linear_map(tf.nn.relu(linear_map(made, 16, "d_h")), 1, "d_x")))
