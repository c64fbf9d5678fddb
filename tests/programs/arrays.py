"""Methods of NumPy's arrays, and Keras's classes by the modules that define them."""

import numpy as np
import tensorflow as tf
from keras.src.layers.core.dense import Dense
from tensorflow.python.keras.engine.input_layer import Input
from tensorflow.python.keras.engine.training import Model


def heads():
    inputs = Input((4,))
    return Model(inputs, Dense(3, activation="softmax")(inputs))


def shares(x):
    p = heads()(x)
    return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


def counted(y):
    counts = np.bincount(y, minlength=3)
    smooth = (counts + 1).astype("float32")
    return tf.math.log(tf.constant(smooth / smooth.sum()))


def weighted(x):
    window = np.linspace(0.0, 1.0, 8).astype(np.float32).reshape(1, -1)
    high = window.max() + 1.0
    return x / (1.0 + window), x / high, x / window.clip(1e-3, 1.0)
