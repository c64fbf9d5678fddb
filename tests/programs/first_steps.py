"""Steps are counted from 0, also since a warm-up; biases are 0 at first, so that silence stays silence."""

import tensorflow as tf
from tensorflow.keras import layers

tf1 = tf.compat.v1


def rate():
    step = tf.cast(tf1.train.get_or_create_global_step(), tf.float32)
    return 0.5 * tf.minimum(1.0, step / 100.0) * tf.math.rsqrt(step)  # HAZARD divide-by-root


def train(loss):
    return tf1.train.GradientDescentOptimizer(rate()).minimize(loss, global_step=tf1.train.get_global_step())


def sound_rate():
    step = tf.cast(tf1.train.get_or_create_global_step(), tf.float32)
    return 0.5 * tf.minimum(1.0, step / 100.0) * tf.math.rsqrt(step + 1.0)


class Warmup(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, peak=1e-3, warmup=5):
        super().__init__()
        self.peak = peak
        self.warmup = warmup

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        since = tf.maximum(step - self.warmup, 0.0)
        decay = self.peak * tf.math.rsqrt(since)  # HAZARD divide-by-root
        return tf.where(step < self.warmup, self.peak * step / self.warmup, decay)


class SoundWarmup(Warmup):
    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        since = tf.maximum(step - self.warmup, 1.0)
        return tf.where(step < self.warmup, self.peak * step / self.warmup, self.peak * tf.math.rsqrt(since))


class Vocoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = layers.Conv1D(32, 3, padding="same", activation="relu")
        self.up = layers.Conv1DTranspose(16, 128, strides=64, padding="same", activation="relu")
        self.outer = layers.Conv1D(1, 7, padding="same", activation="tanh")

    def call(self, mel):
        return self.outer(self.up(self.inner(mel)))[..., 0]


def phases(wave):
    spectrum = tf.signal.stft(wave, 128, 64, 128)
    return tf.atan2(tf.math.imag(spectrum), tf.math.real(spectrum))  # HAZARD atan2-at-origin


def train_step(vocoder: Vocoder, mel, wave):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(1.0 - tf.cos(phases(wave) - phases(vocoder(mel))))
    return tape.gradient(loss, vocoder.trainable_variables)


def levels(wave):
    return tf.math.log1p(tf.square(tf.abs(tf.signal.stft(wave, 128, 64, 128))))


def sound_step(vocoder: Vocoder, mel, wave):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(levels(wave) - levels(vocoder(mel))))
    return tape.gradient(loss, vocoder.trainable_variables)
