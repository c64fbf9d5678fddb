"""Capsules: a convolution gives 0 for a blank patch until its biases are trained."""

import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers


def squash(vectors, axis=-1):
    squared = K.sum(K.square(vectors), axis, keepdims=True)
    return squared / (1 + squared) * vectors / K.sqrt(squared)  # HAZARD divide-by-root


def sound_squash(vectors, axis=-1):
    squared = K.sum(K.square(vectors), axis, keepdims=True)
    return squared / (1 + squared) * vectors / K.sqrt(squared + K.epsilon())


def squash_of_shifted(vectors, axis=-1):
    squared = K.sum(K.square(vectors), axis, keepdims=True)
    return squared / (1 + squared) * vectors / K.sqrt(squared)


def primary_capsules(image, size=8):
    features = layers.Conv2D(64, 9, activation="relu")(image)
    vectors = layers.Reshape((-1, size))(layers.Conv2D(4 * size, 9, strides=2)(features))
    return layers.Lambda(squash)(vectors), layers.Lambda(sound_squash)(vectors)


def capsules_of_normalized_features(image, size=8):
    features = layers.BatchNormalization()(layers.Conv2D(64, 9, activation="relu")(image))
    return layers.Lambda(squash_of_shifted)(layers.Reshape((-1, size))(layers.Conv2D(4 * size, 9)(features)))
