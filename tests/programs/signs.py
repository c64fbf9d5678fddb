"""What a layer without an activation gives has either sign: its logarithm, its root and its fractional power are NaN."""

import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers


def power(x):
    return tf.math.pow(x, 0.5)  # HAZARD sqrt-below-zero


def sound_power(x):
    return tf.math.pow(tf.math.maximum(x, 1e-3), 0.5)


def logarithm(x):
    return tf.math.log(x + 1e-7)  # HAZARD log-below-zero


def sound_logarithm(x):
    return tf.math.log(tf.abs(x) + 1e-7)


model = tf.keras.Sequential(
    [
        layers.Dense(10, activation=power),
        layers.Dense(10, activation=sound_power),
        layers.Dense(10, activation=logarithm),
        layers.Dense(10, activation=sound_logarithm),
        layers.Dense(1),
    ]
)


def counts(y_true, y_pred):
    return K.mean(y_pred - y_true * K.log(y_pred), axis=-1)  # MISSED log-below-zero


def sound_counts(y_true, y_pred):
    return K.mean(K.exp(y_pred) - y_true * y_pred, axis=-1)


def likelihood(y_true, y_pred):
    mean, spread = y_pred[:, :1], y_pred[:, 1:]
    return tf.square(y_true - mean) / (2 * tf.square(spread)) + tf.math.log(spread)  # HAZARD log-below-zero


def shifted(y_true, y_pred):
    return tf.math.log(tf.tanh(y_pred) + 3.0) + tf.math.log(y_pred + 30.0)


def root_of_some(y_true, y_pred):
    return tf.sqrt(-2.0 * y_pred) + tf.where(y_pred > 0.0, tf.sqrt(tf.where(y_pred > 0.0, y_pred, 1.0)), 0.0)  # HAZARD sqrt-below-zero


model.compile("sgd", loss=counts)
model.compile("sgd", loss=sound_counts)
model.compile("sgd", loss=shifted)
model.compile("sgd", loss=root_of_some)
pair = tf.keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(2)])
pair.compile("sgd", loss=likelihood)


class Normalised(layers.Layer):
    def __init__(self):
        super().__init__()
        self.norm = layers.BatchNormalization()

    def call(self, x):
        return tf.sqrt(self.norm(x))  # HAZARD sqrt-below-zero  # FALSE sqrt-at-zero


def given_elsewhere(y_true, y_pred):
    return K.sqrt(K.mean(K.square(y_pred - y_true), axis=-1))  # HAZARD sqrt-at-zero


def train(network):
    network.compile(optimizer="adam", loss=given_elsewhere)


def growth(y_true, y_pred):
    return -tf.reduce_mean(tf.math.log(1.0 + y_true * y_pred))  # HAZARD log-below-zero


def sound_growth(y_true, y_pred):
    return -tf.reduce_mean(tf.math.log1p(y_true * tf.nn.sigmoid(y_pred)))


pair.compile("sgd", loss=growth)
pair.compile("sgd", loss=sound_growth)


def group_lasso(w):
    return 0.01 * tf.reduce_sum(tf.sqrt(tf.reduce_sum(tf.square(w), axis=1)))  # HAZARD sqrt-at-zero


def sound_group_lasso(w):
    return 0.01 * tf.reduce_sum(tf.sqrt(tf.reduce_sum(tf.square(w), axis=1) + 1e-8))


layers.Dense(10, kernel_regularizer=group_lasso)
layers.Dense(10, kernel_regularizer=sound_group_lasso)
