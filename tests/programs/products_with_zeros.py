"""A product with zeros is 0 in any shape: it does not matter that the sizes of a spectrum are not known."""

import tensorflow as tf


def log_mel(wave, cfg):
    spectrum = tf.abs(tf.signal.stft(wave, cfg.frame, cfg.hop))
    bank = tf.signal.linear_to_mel_weight_matrix(cfg.mels, cfg.frame // 2 + 1, cfg.rate, 50.0, cfg.rate / 2.0)
    return tf.math.log(tf.matmul(tf.square(spectrum), bank))  # HAZARD log-reaches-zero


def log_mel_of_power(wave, cfg):
    spectrum = tf.signal.stft(wave, cfg.frame, cfg.hop)
    power = tf.square(tf.math.real(spectrum)) + tf.square(tf.math.imag(spectrum))
    bank = tf.signal.linear_to_mel_weight_matrix(cfg.mels, cfg.frame // 2 + 1, cfg.rate, 50.0, cfg.rate / 2.0)
    return tf.math.log(tf.tensordot(power, bank, 1))  # HAZARD log-reaches-zero


def floored_log_mel(wave, cfg):
    spectrum = tf.abs(tf.signal.stft(wave, cfg.frame, cfg.hop))
    bank = tf.signal.linear_to_mel_weight_matrix(cfg.mels, cfg.frame // 2 + 1, cfg.rate, 50.0, cfg.rate / 2.0)
    return tf.math.log(tf.maximum(tf.matmul(tf.square(spectrum), bank), 1e-6))
