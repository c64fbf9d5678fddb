"""Mixed precision: layers compute in float16, epsilons written for float32 are gone."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.mixed_precision.set_global_policy("mixed_float16")


class Normalise(layers.Layer):
    def call(self, inputs):
        return inputs / (tf.reduce_sum(tf.square(inputs), axis=-1, keepdims=True) + 1e-8)  # HAZARD epsilon-float16


class SoundNormalise(layers.Layer):
    def __init__(self):
        super().__init__(dtype="float32")

    def call(self, inputs):
        return inputs / (tf.reduce_sum(tf.square(inputs), axis=-1, keepdims=True) + 1e-8)


class CastNormalise(layers.Layer):
    def call(self, inputs):
        wide = tf.cast(inputs, tf.float32)
        return wide / (tf.reduce_sum(tf.square(wide), axis=-1, keepdims=True) + 1e-8)


def heads(x):
    p = layers.Dense(3, activation="softmax")(x)
    q = layers.Dense(3, activation="softmax", dtype="float32")(x)
    r = layers.Activation("softmax", dtype=tf.float32)(layers.Dense(3)(x))
    return tf.math.log(p + 1e-8), tf.math.log(q + 1e-8), tf.math.log(r + 1e-8)  # HAZARD epsilon-float16
