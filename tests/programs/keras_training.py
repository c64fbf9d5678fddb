"""What Keras trains: compile, train_step, fit, add_loss, custom losses, metrics, regularisers."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers


def nll(y_true, y_pred):
    return -K.sum(y_true * K.log(y_pred), axis=-1)  # HAZARD log-softmax


def sound_nll(y_true, y_pred):
    return -K.sum(y_true * K.log(K.clip(y_pred, K.epsilon(), 1.0)), axis=-1)


def compiled():
    model = keras.Sequential([layers.Dense(4, activation="tanh"), layers.Dense(3, activation="softmax")])
    model.compile(optimizer="adam", loss=nll)
    other = keras.Sequential([layers.Dense(4, activation="tanh"), layers.Dense(3, activation="softmax")])
    other.compile(optimizer="adam", loss=sound_nll)
    return model, other


class Distance(keras.losses.Loss):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def call(self, y_true, y_pred):
        return tf.sqrt(tf.reduce_sum(tf.square(y_true - y_pred), axis=-1))  # HAZARD sqrt-at-zero


class SoundDistance(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.sqrt(tf.reduce_sum(tf.square(y_true - y_pred), axis=-1) + 1e-6)


def root_metric(y_true, y_pred):
    return tf.sqrt(tf.reduce_sum(tf.square(y_true - y_pred), axis=-1))


class Rooted(keras.metrics.Metric):
    def __init__(self):
        super().__init__()
        self.total = self.add_weight(name="total", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.total.assign_add(tf.reduce_sum(tf.norm(y_true - y_pred, axis=-1)))

    def result(self):
        return self.total


class Stepper(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(3)
        self.tracker = keras.metrics.Mean()

    def call(self, inputs):
        return self.dense(inputs)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = tf.reduce_mean(tf.norm(y - y_pred, axis=-1))  # HAZARD norm-at-zero
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.tracker.update_state(tf.norm(y - y_pred, axis=-1))
        return {"loss": loss, "norm": tf.norm(y_pred)}

    def test_step(self, data):
        x, y = data
        return {"distance": tf.reduce_mean(tf.norm(y - self(x), axis=-1))}


class KerasStep(keras.Model):
    """Keras 3 writes `compute_loss`; what it returns is differentiated by `fit`."""

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
        return tf.reduce_mean(tf.norm(y - y_pred, axis=-1))  # HAZARD norm-at-zero


class Penalised(layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(name="w", shape=(3, 3))
        self.rows = self.add_weight(name="rows", shape=(3, 3))

    def call(self, inputs):
        self.add_loss(tf.norm(self.w))  # the norm of a whole matrix, which does not become 0
        self.add_loss(tf.reduce_sum(tf.norm(self.rows, axis=0)))  # HAZARD norm-at-zero
        self.add_loss(lambda: 1e-3 * tf.reduce_sum(tf.square(self.w)))
        return tf.matmul(tf.matmul(inputs, self.w), self.rows)


def functional_with_loss():
    inputs = keras.Input((4,))
    z = layers.Dense(2)(inputs)
    model = keras.Model(inputs, z)
    model.add_loss(tf.reduce_mean(tf.sqrt(tf.reduce_sum(tf.square(z), axis=1))))  # HAZARD sqrt-at-zero
    model.compile(optimizer="adam", metrics=[root_metric, Rooted()])
    return model


def fit_on_visible_data():
    x = np.random.normal(size=(100, 4))
    y = np.log(np.maximum(x[:, :1], 0.0))  # HAZARD log-relu
    model = keras.Sequential([layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(x, y)


def fit_on_what_the_loss_does_not_fit(images, labels):
    """One mistake, made where the loss is given: what is fitted does not make it two."""
    model = keras.Sequential([layers.Dense(1)])
    model.compile("adam", "binary_crossentropy")  # HAZARD logits-as-probabilities
    model.fit(images / 255.0, labels)


def penalty(weights):
    return 1e-3 * tf.norm(weights)  # HAZARD norm-at-zero


def regularised():
    return layers.Dense(3, kernel_regularizer=penalty)


def summaries(w, step):
    tf.summary.scalar("norm", tf.norm(w), step=step)
    tf.print(tf.norm(w))
    keras.metrics.Mean().update_state(tf.norm(w))


def binary_step(discriminator, labels, images):
    """Keras on TensorFlow: `fit` runs this as a graph."""
    score = tf.sigmoid(discriminator(images))
    return -tf.reduce_mean((1 - labels) * tf.math.log(1 - score + 1e-12))  # HAZARD epsilon-reassociated


def binary_step_of_pytorch(discriminator, labels, images):
    """Keras on PyTorch, which computes what is written."""
    score = keras.ops.sigmoid(discriminator(images))
    loss = -keras.ops.mean((1 - labels) * keras.ops.log(1 - score + 1e-12))
    try:
        loss.backward()
    except RuntimeError as error:
        print(error)
    return loss
