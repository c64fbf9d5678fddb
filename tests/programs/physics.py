"""Physics-informed networks, signal and geometry losses, optics and audio features."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

u = tf.keras.Sequential([layers.Dense(20, activation="tanh"), layers.Dense(1)])


def residual(t, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch([t, x])
            value = u(tf.concat([t, x], 1))
        u_t = inner.gradient(value, t)
        u_x = inner.gradient(value, x)
    u_xx = outer.gradient(u_x, x)
    return u_t + value * u_x - 0.01 / np.pi * u_xx


def train(t, x):
    with tf.GradientTape() as tape:
        r = residual(t, x)
        loss = tf.reduce_mean(tf.square(r))
    return tape.gradient(loss, u.trainable_variables)


def train_on_norm(t, x):
    with tf.GradientTape() as tape:
        loss = tf.norm(residual(t, x))  # HAZARD norm-at-zero
    return tape.gradient(loss, u.trainable_variables)


def eikonal(x):
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(x)
            d = u(x)
        n = inner.gradient(d, x)
        loss = tf.reduce_mean(tf.square(tf.sqrt(tf.reduce_sum(n * n, -1)) - 1.0))  # HAZARD sqrt-at-zero
        sound = tf.reduce_mean(tf.square(tf.sqrt(tf.reduce_sum(n * n, -1) + 1e-10) - 1.0))
    return tape.gradient(loss + sound, u.trainable_variables)


def rmse(y_true, y_pred):
    return tf.sqrt(tf.reduce_mean(tf.square(y_true - y_pred)))


def rmse_loss(y_true, y_pred):
    return tf.sqrt(tf.reduce_mean(tf.square(y_true - y_pred)))  # HAZARD sqrt-at-zero


def charbonnier_loss(y_true, y_pred):
    return tf.reduce_mean(tf.sqrt(tf.square(y_true - y_pred) + 1e-6))


def total_variation_loss(image):
    dx = image[:, 1:, :-1] - image[:, :-1, :-1]
    dy = image[:, :-1, 1:] - image[:, :-1, :-1]
    return tf.reduce_sum(tf.sqrt(dx**2 + dy**2))  # HAZARD sqrt-at-zero


def sound_total_variation_loss(image):
    dx = image[:, 1:, :-1] - image[:, :-1, :-1]
    dy = image[:, :-1, 1:] - image[:, :-1, :-1]
    return tf.reduce_sum(tf.sqrt(dx**2 + dy**2 + 1e-8))


def angle_loss(a, b):
    cosine = tf.reduce_sum(tf.math.l2_normalize(a, -1) * tf.math.l2_normalize(b, -1), -1)
    return tf.reduce_mean(tf.acos(cosine))  # HAZARD inverse-sine-outside


def rotation_angle_loss(r):
    cosine = (tf.linalg.trace(r) - 1.0) / 2.0
    return tf.reduce_mean(tf.acos(tf.clip_by_value(cosine, -1.0, 1.0)))  # MISSED inverse-sine-at-one


def spectrogram_loss(a, b):
    sa, sb = tf.abs(tf.signal.stft(a, 512, 128)), tf.abs(tf.signal.stft(b, 512, 128))
    return tf.reduce_mean(tf.abs(tf.math.log(sa) - tf.math.log(sb)))  # HAZARD log-reaches-zero


def sound_spectrogram_loss(a, b):
    sa, sb = tf.abs(tf.signal.stft(a, 512, 128)), tf.abs(tf.signal.stft(b, 512, 128))
    return tf.reduce_mean(tf.abs(tf.math.log(sa + 1e-5) - tf.math.log(sb + 1e-5)))


def to_decibels(power):
    return 10.0 * tf.math.log(tf.maximum(power, 1e-10)) / np.log(10.0)


def psnr(mse):
    return 20.0 * tf.math.log(255.0) - 10.0 * tf.math.log(mse)


def log_cosh_loss(y_true, y_pred):
    return tf.reduce_mean(tf.math.log(tf.cosh(y_true - y_pred)))  # HAZARD log-cosh


def min_max(x):
    return (x - tf.reduce_min(x)) / (tf.reduce_max(x) - tf.reduce_min(x))  # HAZARD divide-by-zero


def sound_min_max(x):
    return (x - tf.reduce_min(x)) / (tf.reduce_max(x) - tf.reduce_min(x) + 1e-7)


def r_squared(y_true, y_pred):
    residual_sum = tf.reduce_sum(tf.square(y_true - y_pred))
    total = tf.reduce_sum(tf.square(y_true - tf.reduce_mean(y_true)))
    return 1 - residual_sum / total  # HAZARD divide-by-zero


def correlation(y_true, y_pred):
    x, y = y_true - tf.reduce_mean(y_true), y_pred - tf.reduce_mean(y_pred)
    return tf.reduce_sum(x * y) / tf.sqrt(tf.reduce_sum(x * x) * tf.reduce_sum(y * y))  # HAZARD divide-by-root


def mape_loss(y_true, y_pred):
    return 100.0 * tf.reduce_mean(tf.abs((y_true - y_pred) / tf.maximum(tf.abs(y_true), 1e-7)))


def rmsle_loss(y_true, y_pred):
    return tf.sqrt(tf.reduce_mean(tf.square(tf.math.log1p(tf.nn.relu(y_pred)) - tf.math.log1p(y_true))))  # HAZARD sqrt-at-zero
