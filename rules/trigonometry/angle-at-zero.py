"""the gradient of a spectrum's phase is not finite where the signal is silent

The angle of 0 has no derivative, and a spectrum is 0 wherever the signal is: padding, silence, a filtered band. Replace
0 by another number before taking the angle. The gradient of the magnitude is 0 there if you compute it with `tf.abs`.
https://github.com/tensorflow/tensorflow/issues/50854
"""
import tensorflow as tf

from tfnanlint.template import differentiated

code = "TFN1502"


def before(x: differentiated = (0.0, 0.0, 0.0, 0.0)):
    spectrum = tf.signal.rfft(x)
    return tf.math.angle(spectrum)


def after(spectrum):
    return tf.math.angle(tf.where(tf.equal(spectrum, 0.0), tf.ones_like(spectrum), spectrum))


def before_of_frames(
    x: differentiated = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), frame_length=4, frame_step=2, fft_length=None
):
    spectrum = tf.signal.stft(x, frame_length, frame_step, fft_length=fft_length)
    return tf.math.angle(spectrum)


def quiet_magnitude(x=(0.0, 0.0, 0.0, 0.0)):
    return tf.abs(tf.signal.rfft(x))
