"""Modules under other names: relative imports, packages that pass TensorFlow on, attributes that hold a module."""

import lingvo.compat as tf
from somewhere.compat import tf2
from tf_compat import tf as tfc

from . import backend as K
from . import base_layers
from .base_layers import MyBase
from .layers import Dense, Layer, Softmax
from .models import Model
from .utils import tf as tf1
from .nn import functional as F


def by_a_package(x):
    h = tf.nn.softmax(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_another_package(x):
    h = tf2.nn.softmax(x)
    return tf2.math.log(h), tf2.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_module_beside(x):
    h = tf1.nn.softmax(x)
    return tf1.math.log(h), tf1.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_third_package(x):
    h = tfc.nn.softmax(x)
    return tfc.math.log(h), tfc.math.log(h + 1e-6)  # HAZARD log-softmax


def by_the_backend(x):
    h = K.softmax(x)
    return K.log(h), K.log(h + 1e-6)  # HAZARD log-softmax


def by_layers(x):
    h = Softmax()(Dense(3)(x))
    return K.log(h), K.log(h + 1e-6)  # HAZARD log-softmax


def by_functions_of_a_project(x):
    h = F.softmax(x)
    return F.log(h), F.log(h + 1e-6)  # HAZARD log-softmax


class Own(Layer):
    def __init__(self):
        super().__init__()
        self.w = self.add_weight(shape=(3, 3))

    def call(self, x):
        h = K.softmax(K.dot(x, self.w))
        return K.log(h), K.log(h + 1e-6)  # HAZARD log-softmax


class OwnModel(Model):
    def __init__(self):
        super().__init__()
        self.head = Dense(3, activation="softmax")

    def call(self, x):
        h = self.head(x)
        return K.log(h), K.log(h + 1e-6)  # HAZARD log-softmax


class Further(base_layers.Base):
    def build(self, shape):
        self.w = self.add_weight("w", shape=(3, 3))

    def call(self, x):
        h = K.softmax(K.dot(x, self.w))
        return K.log(h), K.log(h + 1e-6)  # HAZARD log-softmax


class YetFurther(MyBase):
    def build(self, shape):
        self.w = self.add_weight("w", shape=(3, 3))

    def call(self, x):
        h = K.softmax(K.dot(x, self.w))
        return K.log(h), K.log(h + 1e-6)  # HAZARD log-softmax


class OnABackend(base_layers.Base):
    def call(self, x):
        h = self.backend.nn.softmax(x)
        return self.backend.numpy.log(h), self.backend.numpy.log(h + 1e-6)  # HAZARD log-softmax


class OnAGivenOne:
    def __init__(self, tf):
        self.tf = tf

    def call(self, x):
        h = self.tf.nn.softmax(x)
        return self.tf.math.log(h), self.tf.math.log(h + 1e-6)  # HAZARD log-softmax


def given_the_module(tf, x):
    h = tf.nn.softmax(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def imported_inside(x):
    from .lazy import tensorflow as inner

    h = inner.nn.softmax(x)
    return inner.math.log(h), inner.math.log(h + 1e-6)  # HAZARD log-softmax
