"""Scales: those that a loss divides by, log-scales that a loss holds back, statistics that a method assigns."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class MixtureLoss(keras.losses.Loss):
    def call(self, y_true, y_pred):
        logits, mean, scale = tf.unstack(y_pred, axis=-1)
        z = (y_true - mean) / scale
        density = -0.5 * tf.square(z) - tf.math.log(scale)
        return -tf.reduce_logsumexp(tf.nn.log_softmax(logits, axis=-1) + density, axis=-1)


def of_a_variance(y_true, y_pred):
    mean, variance = tf.split(y_pred, 2, axis=-1)
    return tf.reduce_mean(tf.math.log(variance) + tf.square(y_true - mean) / variance)


def of_its_own_output(x, y):
    mean, variance = tf.split(layers.Dense(2)(x), 2, axis=-1)
    return tf.reduce_mean(tf.math.log(variance) + tf.square(y - mean) / variance)  # HAZARD log-below-zero


class Encoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.mean, self.spread = layers.Dense(2), layers.Dense(2)

    def call(self, x):
        mean, spread = self.mean(x), self.spread(x)
        self.add_loss(-0.5 * tf.reduce_sum(1.0 + spread - tf.square(mean) - tf.exp(spread), axis=1))
        return mean + tf.exp(spread / 2.0) * tf.random.normal(tf.shape(mean))


def softmax_of_scores(x):
    scores = layers.Dense(4)(x)
    return tf.exp(scores) / tf.reduce_sum(tf.exp(scores), axis=-1, keepdims=True)  # HAZARD softmax-by-hand


class Moments:
    def __init__(self, size):
        self.count = tf.Variable(0.0)
        self.squares = tf.Variable(tf.zeros([size]))

    def update(self, x):
        self.squares.assign_add(tf.reduce_sum(tf.square(x), axis=0))
        self.count.assign_add(1.0)

    def deviation(self):
        return tf.sqrt(self.squares / tf.maximum(self.count, 1.0)) + 1e-4


class Policy:
    def __init__(self):
        self.moments = Moments(3)
        self.kernel = tf.Variable(tf.random.normal([3, 2]))

    def gradients(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.matmul(x / self.moments.deviation(), self.kernel)))
        return tape.gradient(loss, [self.kernel])


def ensemble_of_a_model(model, inputs):
    mean, var = model.create_prediction_tensors(inputs)
    return mean + tf.random.normal(tf.shape(mean)) * tf.sqrt(var)


def score_spread_loss(model, inputs):
    mean, score = model.create_prediction_tensors(inputs)
    return mean + tf.sqrt(tf.nn.relu(score)) / tf.nn.relu(score)  # HAZARD divide-by-zero
