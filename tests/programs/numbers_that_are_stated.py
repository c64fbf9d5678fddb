"""Pixels are bytes where 255 divides them, and lie where the documentation says; recordings are silent at times."""

import tensorflow as tf


def logits_of_pixels(x):
    x = tf.cast(x, tf.float32) / 255.0
    return tf.math.log(x) - tf.math.log(1.0 - x)  # HAZARD log-reaches-zero  # HAZARD log-reaches-zero


def sound_logits_of_pixels(data):
    x = 0.05 + 0.9 * tf.cast(data, tf.float32) / 255.0
    return tf.math.log(x) - tf.math.log(1.0 - x)


def linear(srgb):
    """Linear colours.

    srgb: (..., 3) in [0, 1].
    """
    return ((srgb + 0.055) / 1.055) ** 2.4


def linear_of_any(srgb):
    """Linear colours.

    srgb: (..., 3), of any sign.
    """
    return tf.where(srgb < -0.055, 0.0, ((srgb + 0.055) / 1.055) ** 2.4)


class LinearLoss(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.reduce_mean(tf.square(linear(tf.clip_by_value(y_pred, 0.0, 1.0)) - linear(y_true)))


class Features:
    def __init__(self, preemphasis=0.97):
        self.preemphasis = preemphasis
        self.mel = tf.signal.linear_to_mel_weight_matrix(40, 257, 16000)

    def padded(self, wav):
        wav = wav[:16000]
        return tf.pad(wav, [[0, 16000 - tf.shape(wav)[0]]])

    def log_mel(self, wav):
        wav = tf.concat([wav[:1], wav[1:] - self.preemphasis * wav[:-1]], axis=0)
        power = tf.square(tf.abs(tf.signal.stft(wav, 400, 160, 512)))
        return tf.math.log(tf.matmul(power, self.mel))  # HAZARD log-reaches-zero

    def sound_log_mel(self, wav):
        wav = tf.concat([wav[:1], wav[1:] - self.preemphasis * wav[:-1]], axis=0)
        power = tf.square(tf.abs(tf.signal.stft(wav, 400, 160, 512)))
        return tf.math.log(tf.matmul(power, self.mel) + 1e-6)

    def __call__(self, wav, label):
        wav = self.padded(wav)
        return self.log_mel(wav), self.sound_log_mel(wav), label


def scaled_spectrum(wavs, args):
    spec = tf.math.log(tf.abs(tf.signal.stft(wavs, args.n_fft, args.hop, args.n_fft)) + 1e-7)
    low, high = tf.reduce_min(spec, [-2, -1], True), tf.reduce_max(spec, [-2, -1], True)
    return (spec - low) / (high - low)  # HAZARD divide-by-zero


def soundly_scaled_spectrum(wavs, args):
    spec = tf.math.log(tf.abs(tf.signal.stft(wavs, args.n_fft, args.hop, args.n_fft)) + 1e-7)
    low, high = tf.reduce_min(spec, [-2, -1], True), tf.reduce_max(spec, [-2, -1], True)
    return tf.math.divide_no_nan(spec - low, high - low)


class Boxes(tf.keras.losses.Loss):
    """A loss of boxes whose targets have a flag behind them; a prediction may equal its box."""

    def call(self, y_true, y_pred):
        obj = tf.nn.sigmoid_cross_entropy_with_logits(labels=y_true[..., 4], logits=y_pred[..., 4])
        return tf.reduce_mean(obj + y_true[..., 4] * (self.ratio(y_true, y_pred) + self.sound_ratio(y_true, y_pred)))

    def ratio(self, y_true, y_pred):
        far = tf.reduce_sum(tf.square(y_pred[..., :2] - y_true[..., :2]), axis=-1)
        wide = tf.reduce_sum(tf.abs(y_pred[..., 2:4] - y_true[..., 2:4]), axis=-1)
        return far / (far + wide)  # HAZARD divide-by-zero

    def sound_ratio(self, y_true, y_pred):
        far = tf.reduce_sum(tf.square(y_pred[..., :2] - y_true[..., :2]), axis=-1)
        wide = tf.reduce_sum(tf.abs(y_pred[..., 2:4] - y_true[..., 2:4]), axis=-1)
        return far / (far + wide + 1e-9)


class GraphModel(tf.keras.Model):
    """No gradient with respect to an adjacency matrix trains anything, be it an element of what is given."""

    def __init__(self):
        super().__init__()
        self.head = tf.keras.layers.Dense(2)

    def call(self, inputs):
        x, adj = inputs
        scale = tf.pow(tf.reduce_sum(adj, axis=-1), -0.5)
        scale = tf.where(tf.math.is_inf(scale), tf.zeros_like(scale), scale)
        return self.head(tf.matmul(scale[:, :, None] * adj * scale[:, None, :], x))
