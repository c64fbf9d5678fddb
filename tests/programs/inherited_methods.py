"""Inherited methods that use what a subclass overrides: a method, a class attribute, what its `__init__` stores."""

import tensorflow as tf
from tensorflow import keras


class Scorer:
    floor = 1e-6
    activation = None

    def normalise(self, x):
        return x

    def score(self, x):
        return tf.math.log(self.normalise(x))  # HAZARD log-softmax

    def floored(self, x):
        return tf.math.log(tf.nn.softmax(x) + self.floor)  # HAZARD log-reaches-zero

    def activated(self, x):
        return tf.math.log(self.activation(x))  # HAZARD log-sigmoid

    def sound(self, x):
        return tf.math.log(self.normalise(x) + 1e-6)


class Soft(Scorer):
    def normalise(self, x):
        return tf.nn.softmax(x)


class Bare(Scorer):
    floor = 0.0


class Sigmoidal(Scorer):
    activation = staticmethod(tf.nn.sigmoid)


class Positive(Scorer):
    def normalise(self, x):
        return tf.nn.softplus(x) + 1e-3


class Head(keras.layers.Layer):
    def __init__(self, last):
        super().__init__()
        self.last = last

    def call(self, x):
        return tf.math.log(self.last(x))  # HAZARD log-softmax


class SoftHead(Head):
    def __init__(self):
        super().__init__(keras.layers.Dense(3, activation="softmax"))


class PositiveHead(Head):
    def __init__(self):
        super().__init__(lambda x: tf.nn.softplus(x) + 1.0)


class Outer(keras.layers.Dense):
    def call(self, x):
        p = tf.nn.softmax(super().call(x))
        return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax
