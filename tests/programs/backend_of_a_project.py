"""TensorFlow and Keras under the names of modules that cannot be read: what a name is used as tells what it is."""

from . import backend as K
from .compat import keras, tf
from .compat import layers as L
from .nn.layers import Dense


def by_backend(x):
    p = K.softmax(x)
    return K.log(p), K.log(p + 1e-6)  # HAZARD log-softmax


def by_module(x):
    p = tf.nn.softmax(x)
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


def by_layers(x):
    p = L.Dense(3, activation="softmax")(x)
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


def by_class(x):
    p = Dense(3, activation="softmax")(x)
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


class Root(keras.layers.Layer):
    def call(self, x):
        return tf.sqrt(tf.nn.relu(x)), tf.sqrt(tf.nn.relu(x) + 1e-6)  # HAZARD sqrt-of-relu
