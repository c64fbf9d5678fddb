"""Layers that a model gives back: by name, by place, by index, in loops; each beside a sound twin."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def build():
    inputs = keras.Input((4,))
    h = layers.Dense(8, name="hidden")(inputs)
    h = layers.ReLU(name="rectified")(h)
    p = layers.Dense(3, activation="softmax", name="shares")(h)
    return keras.Model(inputs, p)


def two_heads():
    inputs = keras.Input((4,))
    h = layers.Dense(8, activation="tanh", name="hidden")(inputs)
    p = layers.Dense(3, activation="softmax", name="shares")(h)
    q = layers.Dense(3, activation="softplus", name="rates")(h)
    return keras.Model(inputs, [p, q])


def stack():
    return keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(3, activation="softmax", name="shares")])


def output_by_name(x):
    model = build()
    shares = keras.Model(model.input, model.get_layer("shares").output)
    hidden = keras.Model(model.input, model.get_layer("hidden").output)
    rectified = tf.math.log(1.0 + tf.nn.relu(hidden(x)))
    return tf.math.log(shares(x)), tf.math.log(shares(x) + 1e-6), rectified  # HAZARD log-softmax


def output_by_place(x):
    model = build()
    shares = keras.Model(model.input, model.layers[-1].output)
    rectified = keras.Model(inputs=model.inputs, outputs=model.layers[2].output)
    logs = tf.math.log(rectified(x))  # HAZARD log-relu
    return logs, tf.math.log(shares(x)), tf.math.log(shares(x) + 1e-6)  # HAZARD log-softmax


def output_by_index(x):
    model = build()
    shares = keras.Model(model.input, model.get_layer(index=3).output)
    return tf.math.log(shares(x)), tf.math.log(shares(x) + 1e-6)  # HAZARD log-softmax


def output_among_branches(x):
    model = two_heads()
    shares = keras.Model(model.input, model.get_layer(name="shares").output)
    return tf.math.log(shares(x)), tf.math.log(shares(x) + 1e-6)  # HAZARD log-softmax


def layers_that_are_called(x):
    model = stack()
    first, last = model.layers
    p = last(first(x))
    q = model.get_layer("shares")(model.get_layer(index=0)(x))
    logs = tf.math.log(q), tf.math.log(q + 1e-6)  # HAZARD log-softmax
    return logs, tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


def one_after_the_other(x):
    model = stack()
    for layer in model.layers:
        x = layer(x)
    return tf.math.log(x), tf.math.log(x + 1e-6)  # HAZARD log-softmax


def output_of_a_stack(x):
    model = stack()
    inner = keras.Model(model.input, model.output)
    return tf.math.log(inner(x)), tf.math.log(inner(x) + 1e-6)  # HAZARD log-softmax


def without_the_last(x):
    trunk = keras.Sequential(stack().layers[:-1])
    return tf.math.log(trunk(x)), tf.math.log(trunk(x) + 1.0)  # HAZARD log-relu


def popped(x):
    trunk = stack()
    trunk.pop()
    return tf.math.log(trunk(x)), tf.math.log(trunk(x) + 1.0)  # HAZARD log-relu


def another_activation(x):
    model = keras.Sequential([layers.Dense(4), layers.Dense(3, name="last")])
    model.layers[-1].activation = tf.nn.softmax
    return tf.math.log(model(x)), tf.math.log(model(x) + 1e-6)  # HAZARD log-softmax


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(8, activation="relu")
        self.head = layers.Dense(3, activation="softmax", name="shares")

    def call(self, x):
        p = self.get_layer("shares")(self.hidden(x))
        return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


class Loop(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(8, activation="relu")
        self.head = layers.Dense(3, activation="softmax")

    def call(self, x):
        for layer in self.layers:
            x = layer(x)
        return tf.math.log(x), tf.math.log(x + 1e-6)  # HAZARD log-softmax
