"""Losses of Keras models: by name, in order, from a registry, added, of models that loops and other functions build."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def sound(y_true, y_pred):
    return tf.math.log(y_pred + 1.0)


def by_name_loss(y_true, y_pred):
    return -tf.reduce_sum(tf.math.log(y_pred))  # HAZARD log-softmax


def by_name():
    inputs = keras.Input((4,))
    a = layers.Dense(3, activation="softmax", name="a")(inputs)
    b = layers.Dense(3, activation="softplus", name="b")(inputs)
    model = keras.Model(inputs, {"a": a, "b": b})
    model.compile("sgd", loss={"a": by_name_loss, "b": sound})


def registered_loss(y_true, y_pred):
    return -tf.reduce_sum(tf.math.log(y_pred))  # HAZARD log-softmax


REGISTRY = {"plain": lambda: registered_loss, "sound": lambda: sound}


def registered():
    model = keras.Sequential([layers.Dense(3, activation="softmax")])
    model.compile("sgd", loss=REGISTRY["plain"]())
    model.compile("sgd", loss=REGISTRY["sound"]())


class Adding(keras.Model):
    def __init__(self):
        super().__init__()
        self.head = layers.Dense(3, activation="softmax")

    def call(self, x):
        p = self.head(x)
        self.add_loss(tf.reduce_mean(-tf.math.log(p)))  # HAZARD log-softmax
        self.add_loss(lambda: tf.reduce_mean(-tf.math.log(p + 1e-6)))
        return p


def looped_loss(y_true, y_pred):
    return -tf.reduce_sum(tf.math.log(y_pred))  # HAZARD log-softmax


def looped():
    x = inputs = keras.Input((4,))
    for units in [8, 8]:
        x = layers.Dense(units, activation="relu")(x)
    heads = [layers.Dense(3, activation="softmax", name=f"head_{i}")(x) for i in range(2)]
    model = keras.Model(inputs, heads)
    model.compile("sgd", loss=looped_loss)


def build():
    model = keras.Sequential()
    model.add(layers.Dense(3))
    model.add(layers.Activation("softmax"))
    return model


def train(model, loss):
    model.compile("sgd", loss=loss)


def elsewhere_loss(y_true, y_pred):
    return -tf.reduce_sum(tf.math.log(y_pred))  # HAZARD log-softmax


def elsewhere():
    train(build(), elsewhere_loss)
    train(build(), sound)


def sound_of_what_may_be_probabilities(labels, scores, binary):
    if binary:
        probs = tf.nn.sigmoid(scores)
    else:
        probs = scores
    return tf.keras.losses.binary_crossentropy(labels, probs)
