"""Names of Keras and TensorFlow that `from module import *` gives."""

import tensorflow as tf
from tensorflow.keras.backend import *
from tensorflow.keras.layers import *
from tensorflow.keras.models import *


def classifier():
    inputs = Input((4,))
    h = Dense(8, activation="relu")(inputs)
    outputs = Dense(3)(h)
    outputs = Activation("softmax")(outputs)
    return Model(inputs, outputs)


def scores():
    model = Sequential()
    model.add(Dense(8, activation="relu", input_shape=(4,)))
    model.add(Dense(3))
    return model


def step(x, y):
    p = classifier()(x)
    return tf.reduce_sum(y * tf.math.log(p)), tf.reduce_sum(y * tf.math.log(p + 1e-6))  # HAZARD log-softmax


def entropy(x):
    p = softmax(x)
    return sum(p * log(p + 1e-6)), sum(log(p))  # HAZARD log-softmax


def dot(a, b):
    return tf.reduce_sum(a * b)


def own_functions(x):
    return 1.0 / (1.0 + dot(x, x))


sound = classifier()
sound.compile("adam", loss="categorical_crossentropy")
wrong = scores()
wrong.compile("adam", loss="categorical_crossentropy")  # HAZARD logits-as-probabilities
