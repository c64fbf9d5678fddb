"""Objects that are given: by a default, by an annotation, by whoever calls, or built where none is given."""

import dataclasses
from typing import NamedTuple

import tensorflow as tf
from tensorflow import keras


@dataclasses.dataclass
class Config:
    eps: float = 0.0
    floor: float = 1e-6


class Settings(NamedTuple):
    eps: float = 0.0
    floor: float = 1e-6


def by_default(x, config=Config()):
    p = tf.nn.softmax(x)
    return tf.math.log(p + config.eps), tf.math.log(p + config.floor)  # HAZARD log-reaches-zero


def by_annotation(x, settings: Settings):
    p = tf.nn.softmax(x)
    return tf.math.log(p + settings.eps), tf.math.log(p + settings.floor)  # HAZARD log-reaches-zero


def build_net():
    return keras.Sequential([keras.layers.Dense(3), keras.layers.Softmax()])


class Agent:
    def __init__(self, net=None, other=None, config=None):
        self.net = net or build_net()
        self.other = other if other is not None else build_net()
        self.config = config or Config()

    def loss(self, x):
        return tf.math.log(self.net(x)), tf.math.log(self.net(x) + 1e-6)  # HAZARD log-softmax

    def other_loss(self, x):
        return tf.math.log(self.other(x)), tf.math.log(self.other(x) + 1e-6)  # HAZARD log-softmax

    def configured(self, x):
        p = self.net(x)
        return tf.math.log(p + self.config.eps), tf.math.log(p + self.config.floor)  # HAZARD log-reaches-zero


class Net(keras.Model):
    def __init__(self, units=3):
        super().__init__()
        self.head = keras.layers.Dense(units, activation="softmax")

    def call(self, x):
        return self.head(x)


def step(net: Net, x, y):
    p = net(x)
    return tf.reduce_sum(y * tf.math.log(p)), tf.reduce_sum(tf.math.log(p + 1e-6) - y)  # HAZARD log-softmax


class TestAgent(tf.test.TestCase):
    def setUp(self):
        self.model = build_net()

    def test_it(self):
        p = self.model(tf.ones((2, 3)))
        return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


def compile_it(model):
    def loss(y, p):
        return tf.reduce_sum(y * tf.math.log(p))  # HAZARD log-softmax

    model.compile("sgd", loss=loss)


def compile_soundly(model):
    def loss(y, p):
        return tf.reduce_sum(tf.math.log(p + 1e-6) - y)

    model.compile("sgd", loss=loss)


compile_it(build_net())
compile_soundly(build_net())
