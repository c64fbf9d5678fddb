"""Dictionaries of settings and functions by name: under a name that is not known, any of them may be meant."""

import numpy as np
import tensorflow as tf

ACTIVATIONS = {"softplus": tf.nn.softplus, "relu": tf.nn.relu}
SUPPORTS = {
    "share": {"support": [0, 1], "activation": tf.sigmoid},
    "other": {"support": [-10, 10], "activation": tf.identity},
}
FLOORS = {"none": 0.0, "small": 1e-6}
KEPT = {"large": 1e-3, "small": 1e-6}


def by_any_name(x, name):
    return tf.math.log(ACTIVATIONS[name](x))  # HAZARD log-reaches-zero


def by_any_name_asked_for(x, name):
    return tf.math.log(ACTIVATIONS.get(name)(x))  # HAZARD log-reaches-zero


def by_the_default(x, name="softplus"):
    return tf.math.log(1e-6 + ACTIVATIONS[name](x))


def by_the_other_default(x, name="relu"):
    return tf.math.log(ACTIVATIONS[name](x))  # HAZARD log-relu


def bounded(x, name):
    held = SUPPORTS[name]
    low, high = held["support"]
    bad = tf.math.log(high - tf.clip_by_value(held["activation"](x), low + 1e-30, high - 1e-30))  # HAZARD log-reaches-zero
    return bad + tf.math.log(high - tf.clip_by_value(held["activation"](x), low + 1e-3, high - 1e-3))


def floored(x, name):
    p = tf.nn.softmax(x)
    return tf.math.log(p + FLOORS[name]), tf.math.log(p + KEPT[name])  # HAZARD log-reaches-zero


class Head:
    def __init__(self, activation="softplus"):
        self.activation = ACTIVATIONS[activation]

    def log_scale(self, x):
        return tf.math.log(self.activation(x) + 1e-6)


class SteepHead:
    def __init__(self, activation="relu"):
        self.activation = ACTIVATIONS.get(activation)

    def log_scale(self, x):
        return tf.math.log(self.activation(x))  # HAZARD log-relu


def bounded_by_the_least_number(x):
    least = np.finfo(dtype=np.float32).tiny
    bad = tf.math.log(1.0 - tf.clip_by_value(tf.sigmoid(x), least, 1.0 - least))  # HAZARD log-reaches-zero
    epsilon = np.finfo(dtype=np.float32).eps
    return bad + tf.math.log(1.0 - tf.clip_by_value(tf.sigmoid(x), epsilon, 1.0 - epsilon))
