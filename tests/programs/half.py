"""Float16 by dtype arguments and policies of single layers."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def heads(x):
    p = layers.Dense(3, activation="softmax", dtype="float16")(x)
    q = layers.Dense(3, activation="softmax", dtype="mixed_float16")(x)
    r = layers.Dense(3, activation="softmax", dtype=keras.mixed_precision.Policy("mixed_float16"))(x)
    s = layers.Dense(3, activation="softmax")(x)
    return [
        tf.math.log(p + 1e-8),  # HAZARD epsilon-float16
        tf.math.log(q + 1e-8),  # HAZARD epsilon-float16
        tf.math.log(r + 1e-8),  # HAZARD epsilon-float16
        tf.math.log(s + 1e-8),
        tf.math.log(tf.cast(s, tf.float16) + 1e-8),  # HAZARD epsilon-float16
        tf.math.log(tf.cast(p, tf.float32) + 1e-8),
    ]


class Half(layers.Layer):
    def __init__(self):
        super().__init__(dtype="float16")

    def call(self, inputs):
        return inputs / (tf.reduce_sum(tf.square(inputs), axis=-1, keepdims=True) + 1e-8)  # HAZARD epsilon-float16


POLICY = "mixed_float16"


class Scaled(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.weighted = False

    def call(self, images):
        return images / (tf.reduce_max(tf.abs(images), axis=-1, keepdims=True) + 1e-8)  # HAZARD epsilon-float16


def scaled(policy=POLICY):
    inputs = keras.Input((32,))
    return keras.Model(inputs, Scaled(dtype=keras.mixed_precision.DTypePolicy(policy))(inputs))
