"""Functions as values: registries, choices among several, defaults, attributes, layers of the program's own."""

import functools

import tensorflow as tf
from tensorflow import keras

LOSSES = {}


def register(name):
    def decorate(function):
        LOSSES[name] = function
        return function

    return decorate


@register("plain")
def plain(y, p):
    return -tf.reduce_sum(y * tf.math.log(p))  # HAZARD log-softmax


@register("floored")
def floored(y, p):
    return tf.reduce_sum(tf.math.log(p + 1e-6) - y)


def by_decorator(y, x):
    return LOSSES["plain"](y, tf.nn.softmax(x)), LOSSES["floored"](y, tf.nn.softmax(x))


ACTIVATIONS = {"softmax": tf.nn.softmax, "sigmoid": tf.nn.sigmoid}


def by_name(name, x):
    p = ACTIVATIONS[name](x)
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-reaches-zero


def chosen(kind):
    if kind == "softmax":
        return tf.nn.softmax
    return functools.partial(tf.nn.softmax, axis=0)


def by_a_choice(kind, x):
    activate = chosen(kind)
    p = activate(x)
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-reaches-zero


class Held:
    def __init__(self, op=tf.math.log, activation=None):
        self.op = op
        self.activation = activation or keras.activations.get("softmax")

    def run(self, x):
        p = self.activation(x)
        return self.op(p), self.op(p + 1e-6)  # HAZARD log-softmax


class OwnDense(keras.layers.Layer):
    def __init__(self, activation):
        super().__init__()
        self.activation = keras.activations.get(activation)
        self.w = self.add_weight(shape=(3, 3))

    def call(self, x):
        return self.activation(tf.matmul(x, self.w))


def by_own_layer(x):
    p = OwnDense("softmax")(x)
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


def mapped(xs):
    p = tf.nest.map_structure(tf.nn.softmax, xs)
    sound = tf.nest.map_structure(lambda v: tf.math.log(v + 1e-6), p)
    return tf.nest.map_structure(tf.math.log, p), sound  # HAZARD log-softmax


def mapped_together(x, y):
    p = tf.nest.map_structure(tf.nn.softmax, {"x": x, "y": y})
    flat = tf.nest.flatten(p)
    again = tf.nest.pack_sequence_as(p, [v + 1e-6 for v in flat])
    return tf.math.log(flat[1]), tf.math.log(again["y"])  # HAZARD log-softmax
