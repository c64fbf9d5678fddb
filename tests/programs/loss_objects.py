"""Losses that are objects: what is called is what the class is named for, and it is differentiated."""

import tensorflow as tf


class SpectralLoss:
    def __init__(self, weight=0.1):
        self.weight = weight

    def __call__(self, target, output):
        a, b = (tf.signal.stft(one, 64, 16, 64) for one in (target, output))
        phase = tf.math.angle(a) - tf.math.angle(b)  # HAZARD angle-at-zero
        return tf.reduce_mean(tf.abs(tf.math.real(a - b))) + self.weight * tf.reduce_mean(1.0 - tf.cos(phase))


class MagnitudeLoss:
    def __call__(self, target, output):
        a, b = (tf.math.real(tf.signal.stft(one, 64, 16, 64)) for one in (target, output))
        return tf.reduce_mean(tf.square(a - b))


class DistanceLoss(tf.Module):
    def forward(self, a, b):
        return tf.reduce_mean(tf.norm(a - b, axis=-1))  # HAZARD norm-at-zero

    def distances(self, a, b):
        return tf.norm(a - b, axis=-1)
