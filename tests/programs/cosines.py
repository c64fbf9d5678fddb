"""Angles between vectors and class weights: the product is divided by the lengths before or after it is computed."""

import tensorflow as tf
from tensorflow.keras import layers


class DividedByOneLength(layers.Layer):
    def __init__(self, classes, width):
        super().__init__()
        self.weight = self.add_weight(shape=(width, classes), initializer="he_normal", trainable=True)

    def call(self, embedding, labels):
        directions = tf.math.l2_normalize(self.weight, axis=0)
        lengths = tf.norm(embedding, axis=1)
        rows = tf.expand_dims(tf.range(embedding.shape[0]), axis=1)
        own = tf.gather_nd(tf.matmul(embedding, directions), tf.concat([rows, tf.expand_dims(labels, axis=1)], 1))
        return 4.0 * tf.math.acos(own / (lengths + 1e-10))  # HAZARD inverse-sine-outside


class DividedByOneLengthSoundly(layers.Layer):
    def __init__(self, classes, width):
        super().__init__()
        self.weight = self.add_weight(shape=(width, classes), initializer="he_normal", trainable=True)

    def call(self, embedding, labels):
        directions = tf.math.l2_normalize(self.weight, axis=0)
        lengths = tf.norm(embedding, axis=1)
        rows = tf.expand_dims(tf.range(embedding.shape[0]), axis=1)
        own = tf.gather_nd(tf.matmul(embedding, directions), tf.concat([rows, tf.expand_dims(labels, axis=1)], 1))
        return 4.0 * tf.math.acos(tf.clip_by_value(own / (lengths + 1e-10), -1.0 + 1e-6, 1.0 - 1e-6))


def divided_by_both_lengths(x, weight):
    lengths = tf.norm(x, axis=1, keepdims=True) + 1e-8
    return tf.acos(tf.matmul(x, weight) / lengths / (tf.norm(weight, axis=0) + 1e-8))  # HAZARD inverse-sine-outside


def divided_by_both_lengths_soundly(x, weight):
    lengths = tf.norm(x, axis=1, keepdims=True) + 1e-8
    cosine = tf.matmul(x, weight) / lengths / (tf.norm(weight, axis=0) + 1e-8)
    return tf.acos(0.999999 * tf.clip_by_value(cosine, -1.0, 1.0))


def divided_by_a_product_of_roots(x, weight):
    lengths = tf.sqrt(tf.reduce_sum(tf.square(x), axis=1, keepdims=True) + 1e-12)
    widths = tf.sqrt(tf.reduce_sum(tf.square(weight), axis=0, keepdims=True) + 1e-12)
    return tf.asin(tf.matmul(x, weight) / (lengths * widths))  # HAZARD inverse-sine-outside


def divided_by_a_product_of_roots_soundly(x, weight):
    lengths = tf.sqrt(tf.reduce_sum(tf.square(x), axis=1, keepdims=True) + 1e-12)
    widths = tf.sqrt(tf.reduce_sum(tf.square(weight), axis=0, keepdims=True) + 1e-12)
    return tf.asin(0.9999 * tf.matmul(x, weight) / (lengths * widths))
