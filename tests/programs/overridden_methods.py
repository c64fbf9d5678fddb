"""Classes: what a subclass overrides, class attributes, properties, `super().call`, weights with constraints."""

import abc
import dataclasses
from typing import Any, NamedTuple

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Base:
    floor = 1e-6

    def log(self, x):
        return tf.math.log(tf.nn.softmax(x) + self.floor)  # HAZARD log-reaches-zero


class Unfloored(Base):
    floor = 0.0


class Template(abc.ABC):
    def loss(self, x):
        h = self.activate(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax

    @abc.abstractmethod
    def activate(self, x):
        """What makes probabilities."""


class Softmaxed(Template):
    def activate(self, x):
        return tf.nn.softmax(x)


class NotImplementedBase:
    def run(self, x):
        h = self.probabilities(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax

    def probabilities(self, x):
        raise NotImplementedError


class Implemented(NotImplementedBase):
    def probabilities(self, x):
        return tf.nn.softmax(x)


class Head(layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(3)

    def call(self, x):
        return tf.nn.softmax(self.dense(x))


class LogHead(Head):
    def call(self, x):
        h = super().call(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class OldSuper(Head):
    def call(self, x):
        h = super(OldSuper, self).call(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class ByBaseName(Head):
    def call(self, x):
        h = Head.call(self, x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class OwnDense(layers.Dense):
    def call(self, x):
        h = tf.nn.softmax(super().call(x))
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class WithProperty:
    def __init__(self, x):
        self._x = x

    @property
    def probabilities(self):
        return tf.nn.softmax(self._x)

    def run(self):
        return tf.math.log(self.probabilities), tf.math.log(self.probabilities + 1e-6)  # HAZARD log-softmax


@dataclasses.dataclass
class Config:
    floor: float = 0.0
    sound: float = 1e-6
    activation: Any = tf.nn.softmax
    weights: list = dataclasses.field(default_factory=lambda: [0.0, 1e-6])


class Configured:
    def __init__(self, config: Config):
        self.config = config

    def run(self, x):
        h = tf.nn.softmax(x)
        return tf.math.log(h + self.config.floor), tf.math.log(h + self.config.sound)  # HAZARD log-reaches-zero

    def by_activation(self, x):
        h = self.config.activation(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax

    def by_factory(self, x):
        h = tf.nn.softmax(x)
        return tf.math.log(h + self.config.weights[0]), tf.math.log(h + self.config.weights[1])  # HAZARD log-reaches-zero


@dataclasses.dataclass
class Runner:
    floor: float = 0.0
    sound: float = 1e-6

    def run(self, x):
        h = tf.nn.softmax(x)
        return tf.math.log(h + self.floor), tf.math.log(h + self.sound)  # HAZARD log-reaches-zero


class Given(NamedTuple):
    logits: Any
    floor: float = 1e-6


def by_a_tuple(x):
    given = Given(logits=x)
    h = tf.nn.softmax(given.logits)
    return tf.math.log(h), tf.math.log(h + given.floor)  # HAZARD log-softmax


class Simplex(layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight(name="scale", shape=(3,), initializer="ones", constraint=keras.constraints.NonNeg())
        self.bias = self.add_weight(name="bias", shape=(3,), initializer="zeros")

    def call(self, x):
        return x / self.scale, x / (self.scale + 1e-6)  # HAZARD divide-by-zero


class ZeroStart(layers.Layer):
    def build(self, input_shape):
        self.sigma = self.add_weight(name="sigma", shape=(3,), initializer="zeros")

    def call(self, x):
        return tf.sqrt(tf.square(self.sigma)), tf.sqrt(tf.square(self.sigma) + 1e-6)  # HAZARD sqrt-at-zero


class ByClassMethod:
    def __init__(self, floor):
        self.floor = floor

    @classmethod
    def unfloored(cls):
        return cls(floor=0.0)

    @staticmethod
    def activate(x):
        return tf.nn.softmax(x)

    def run(self, x):
        return tf.math.log(self.activate(x) + self.floor)


def by_class_method(x):
    h = ByClassMethod.activate(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class Mixin:
    def log(self, x):
        h = self.make(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class Mixed(Mixin, keras.Model):
    def __init__(self):
        super().__init__()
        self.net = keras.Sequential([layers.Dense(3), layers.Activation("softmax")])

    def make(self, x):
        return self.net(x)
