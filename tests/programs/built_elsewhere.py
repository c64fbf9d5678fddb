"""What the program shows of a prediction: the model that is compiled with a loss, and the one that a function builds."""

import tensorflow as tf
from tensorflow import keras


def deviance(claims, rate):
    return 2.0 * (tf.math.xlogy(claims, claims) - claims * tf.math.log(rate) - (claims - rate))


class PoissonDeviance(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.reduce_mean(deviance(tf.cast(y_true, y_pred.dtype), y_pred), axis=-1)


class Rate(keras.layers.Layer):
    def call(self, x):
        return tf.math.softplus(x) + 1e-4


def build_rates(columns):
    inputs = keras.Input((columns,))
    hidden = keras.layers.Dense(16, activation="tanh")(inputs)
    model = keras.Model(inputs, Rate()(keras.layers.Dense(1)(hidden)))
    model.compile("adam", loss=PoissonDeviance())
    return model


def gradients_of(model, columns, claims):
    with tf.GradientTape() as tape:
        loss = PoissonDeviance()(claims, model(columns))
    return tape.gradient(loss, model.trainable_variables)


def weights_of(examples, censored):
    at_risk = tf.cast(tf.range(tf.size(examples), 0, -1), tf.float32)
    return examples / tf.maximum(tf.math.cumprod(1.0 - censored / at_risk), 0.05)


def weighted_loss(logits, labels, weights):
    return tf.reduce_mean(weights * tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


def train_step(network, columns, labels, examples, censored):
    weights = weights_of(examples, censored)  # before the tape: its products are not differentiated
    with tf.GradientTape() as tape:
        loss = weighted_loss(network(columns), labels, weights)
    return tape.gradient(loss, network.trainable_variables)
