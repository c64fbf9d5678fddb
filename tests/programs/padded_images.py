"""The paddings of `tf.pad` tell the rank of what is padded: a function of images need not say it."""

import tensorflow as tf


def contrast(image):
    framed = tf.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="SYMMETRIC")
    return (framed - tf.reduce_mean(framed)) / tf.math.reduce_std(framed)  # HAZARD divide-by-std


def sound_contrast(image):
    framed = tf.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="SYMMETRIC")
    return (framed - tf.reduce_mean(framed)) / (tf.math.reduce_std(framed) + 1e-6)


def brightness(image):
    framed = tf.pad(image, [[0, 0], [2, 2], [2, 2], [0, 0]])
    return framed / tf.norm(framed)  # HAZARD divide-by-norm


def sound_brightness(image):
    framed = tf.pad(image, [[0, 0], [2, 2], [2, 2], [0, 0]])
    return framed / tf.maximum(tf.norm(framed), 1e-6)
