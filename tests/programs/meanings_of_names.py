"""A value goes by all the names that the program gives it on its way, and a word may leave open what it means."""

import tensorflow as tf
from tensorflow import keras


def tversky(y_true, y_pred):
    y_true, y_pred = tf.reshape(y_true, [tf.shape(y_pred)[0], -1]), tf.reshape(y_pred, [tf.shape(y_pred)[0], -1])
    found = tf.reduce_sum(y_true * y_pred, axis=1)
    missed, wrong = tf.reduce_sum(y_true * (1 - y_pred), axis=1), tf.reduce_sum((1 - y_true) * y_pred, axis=1)
    return (found + 1.0) / (found + 0.7 * missed + 0.3 * wrong + 1.0)


class FocalTversky(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.pow(1.0 - tversky(y_true, y_pred), 0.75)  # HAZARD pow-at-zero


class SoundFocalTversky(keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.pow(1.0 - tversky(y_true, y_pred) + 1e-6, 0.75)


def segment(images, masks):
    head = keras.layers.Conv2D(1, 1, activation="sigmoid")
    with tf.GradientTape(persistent=True) as tape:
        predicted = head(images)
        loss, sound = FocalTversky()(masks, predicted), SoundFocalTversky()(masks, predicted)
    return tape.gradient(loss, head.trainable_variables), tape.gradient(sound, head.trainable_variables)


def log_power(wave):
    return tf.math.log(tf.square(tf.abs(tf.signal.stft(wave, 400, 160))))  # HAZARD log-reaches-zero


def sound_log_power(wave):
    return tf.math.log(tf.square(tf.abs(tf.signal.stft(wave, 400, 160))) + 1e-6)


def cut(wave):
    return tf.pad(wave[:16000], [[0, 16000 - tf.shape(wave[:16000])[0]]])


def recordings(waves, labels):
    def examples():
        for w, y in zip(waves, labels):
            yield w, y

    signature = (tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32))
    data = tf.data.Dataset.from_generator(examples, output_signature=signature)
    return data.map(lambda w, y: (log_power(cut(w)), sound_log_power(cut(w)), y))


def sound_log_of_a_rate(time):
    """The schedule of a diffusion, at a time from 0 to 1."""
    with tf.GradientTape() as tape:
        tape.watch(time)
        last = tf.math.atan(tf.exp(-10.0))
        noise = -2.0 * tf.math.log(tf.math.tan((tf.math.atan(tf.exp(10.0)) - last) * time + last))
        rate = tf.math.log(tf.sqrt(tf.sigmoid(noise)))
    return tape.gradient(rate, time)


def guarded_by_too_little(cost, reg_eps):
    return tf.reduce_sum(tf.math.log(tf.nn.relu(cost)) + reg_eps)  # HAZARD log-relu


def shared_classes(scores, labels):
    """The labels of other examples, weighed by how similar they are."""
    weighed = tf.nn.softmax(scores) @ labels
    return weighed / tf.reduce_sum(weighed, axis=1, keepdims=True)


def others_in_the_batch(features, labels, size=64):
    others = tf.Variable(tf.ones((size, size)))
    for i in range(size):
        others[i, i].assign(0.0)
    features = tf.math.l2_normalize(features, axis=1)
    alike = tf.exp(tf.matmul(features, features, transpose_b=True)) * tf.convert_to_tensor(others)
    return tf.math.log(alike / tf.reduce_sum(alike, axis=1, keepdims=True) + 1e-3)
