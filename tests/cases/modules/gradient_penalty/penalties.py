"""Penalties on the slopes of a critic."""
import tensorflow as tf


def slope_penalty(critic, x):
    with tf.GradientTape() as inner:
        inner.watch(x)
        out = critic(x)
    gradient = inner.gradient(out, x)
    return tf.reduce_mean(tf.square(tf.norm(gradient, axis=-1) - 1.0))  # HAZARD norm-at-zero


def centred_penalty(critic, x):
    with tf.GradientTape() as inner:
        inner.watch(x)
        out = critic(x)
    gradient = inner.gradient(out, x)
    return tf.reduce_mean(tf.reduce_sum(tf.square(gradient), axis=-1))
