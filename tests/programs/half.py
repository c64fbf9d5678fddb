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


class Pool(layers.Layer):
    """Its parts compute in the type of its own policy."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.key = layers.Dense(units, dtype=self.dtype_policy)

    def call(self, readings, valid):
        scores = tf.reduce_sum(self.key(readings), axis=-1)
        scores += (1.0 - tf.cast(valid, scores.dtype)) * -1e9  # HAZARD mask-float16
        return tf.nn.softmax(scores, axis=-1)


class SoundPool(Pool):
    def call(self, readings, valid):
        scores = tf.reduce_sum(self.key(readings), axis=-1)
        scores += (1.0 - tf.cast(valid, scores.dtype)) * -3e4
        return tf.nn.softmax(scores, axis=-1)


def pooled(readings, valid, policy=POLICY):
    return Pool(8, dtype=policy)(readings, valid), SoundPool(8, dtype=policy)(readings, valid)
