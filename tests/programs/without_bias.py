"""A linear layer without a bias gives 0 where all that it takes is 0: a gate that is shut, a network whose units are off."""

import tensorflow as tf


class Vocoder(tf.keras.Model):
    def __init__(self, bias):
        super().__init__()
        self.body = tf.keras.layers.Conv1D(64, 3, padding="same", activation="relu")
        self.samples = tf.keras.layers.Dense(64, activation="tanh", use_bias=bias)

    def call(self, mel):
        return tf.reshape(self.samples(self.body(mel)), [tf.shape(mel)[0], -1])


def phase(wave):
    spectrum = tf.signal.stft(wave, 256, 64)
    return tf.math.atan2(tf.math.imag(spectrum), tf.math.real(spectrum))  # HAZARD atan2-at-origin


def sound_phase(wave):
    spectrum = tf.signal.stft(wave, 256, 64)
    real, imaginary = tf.math.real(spectrum), tf.math.imag(spectrum)
    known = tf.square(real) + tf.square(imaginary) > 1e-8
    return tf.math.atan2(imaginary, tf.where(known, real, 1.0))


def step(mel, model=Vocoder(False), other=Vocoder(False)):
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_mean(tf.cos(phase(model(mel))))
        sound = tf.reduce_mean(tf.cos(sound_phase(other(mel))))
    return tape.gradient(loss, model.trainable_variables), tape.gradient(sound, other.trainable_variables)
