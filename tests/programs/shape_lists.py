"""Static shapes as lists: `+` puts one after the other, and does not add sizes."""

import tensorflow as tf
from tensorflow import keras


def attention(x, heads):
    width = x.shape.as_list()[-1]
    split = tf.reshape(x, x.shape.as_list()[:-1] + [heads, width // heads])
    scores = tf.matmul(split, split, transpose_b=True)
    return tf.nn.softmax(scores - tf.reduce_max(scores, -1, keepdims=True))


def depths(origins, near=2.0, far=6.0, samples=64):
    z = tf.linspace(near, far, samples)
    z += tf.random.uniform(list(origins.shape[:-1]) + [samples]) * (far - near) / samples
    steps = tf.concat([z[..., 1:] - z[..., :-1], tf.broadcast_to([1e10], z[..., :1].shape)], -1)
    density = tf.nn.relu(origins[..., 2:])
    return 1.0 - tf.exp(-density * steps)


def noise(x):
    return tf.random.uniform((x.shape[0],) + tuple(x.shape[2:]), minval=0.1) / tf.nn.relu(x)  # HAZARD divide-by-zero


class Normalised(keras.layers.Layer):
    def call(self, x):
        flat = tf.reshape(x, [-1] + x.shape.as_list()[2:])
        return flat / tf.norm(flat, axis=-1, keepdims=True)  # HAZARD divide-by-norm
