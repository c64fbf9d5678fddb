"""Metrics: somebody reads them and no training uses them; what a loss uses as well is a hazard of the loss."""

import tensorflow as tf


def masked_accuracy(labels, logits, mask):
    right = tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1)), tf.float32)
    mask = tf.cast(mask, tf.float32)
    return tf.reduce_sum(right * mask) / tf.reduce_sum(mask)  # POSSIBLE divide-by-mask-sum


def average(values, mask):
    return tf.reduce_sum(values * mask) / tf.reduce_sum(mask)  # HAZARD divide-by-mask-sum


def masked_loss(labels, logits, mask):
    return average(tf.nn.softmax_cross_entropy_with_logits(labels, logits), mask)


def psnr(clean, restored):
    error = tf.reduce_mean(tf.square(clean - restored))
    return -10.0 * tf.math.log(error) / tf.math.log(10.0)  # POSSIBLE log-reaches-zero


class EndPointError(tf.keras.metrics.Metric):
    def update_state(self, flow, predicted, mask):
        error = tf.norm(flow - predicted, axis=-1)
        self.mean.assign(tf.reduce_sum(error * mask) / tf.reduce_sum(mask))  # POSSIBLE divide-by-mask-sum


class Answer:
    def result(self, x, mask):
        return tf.reduce_sum(x * mask) / tf.reduce_sum(mask)  # HAZARD divide-by-mask-sum


def rated(y_true, y_pred):
    return tf.reduce_sum(y_true * y_pred) / tf.reduce_sum(y_true)  # POSSIBLE divide-by-mask-sum


def trained(y_true, y_pred):
    return tf.reduce_sum(y_true * y_pred) / tf.reduce_sum(y_true)  # HAZARD divide-by-mask-sum


def build():
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="sigmoid")])
    model.compile("adam", loss=trained, metrics=[rated, "accuracy"])
    return model


def step_of_a_model(logits, labels, valid):
    errors = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_sum(errors * valid) / tf.reduce_sum(valid)  # HAZARD divide-by-mask-sum
    hits = tf.cast(tf.equal(tf.argmax(logits, -1), labels), tf.float32)
    accuracy = tf.reduce_sum(hits * valid) / tf.reduce_sum(valid)  # POSSIBLE divide-by-mask-sum
    return loss, accuracy


def explained_variance(q_pred, q_true):
    _, of_targets = tf.nn.moments(q_true, axes=[0])
    _, left = tf.nn.moments(q_true - q_pred, axes=[0])
    return 1.0 - left / of_targets  # POSSIBLE divide-by-zero


def show_inputs(images):
    mean, variance = tf.nn.moments(images, axes=[1, 2], keepdims=True)
    image_summary = (images - mean) / (2.0 * tf.sqrt(variance))  # POSSIBLE divide-by-zero
    return notes.with_axes(image_summary)


class Overlap:
    def dice(self, y_true, y_pred):
        y_true = y_true / tf.reduce_sum(y_true, -1, keepdims=True)  # HAZARD divide-by-zero
        return tf.reduce_sum(y_true * y_pred)

    def loss(self, y_true, y_pred):
        dice_metric = self.dice(y_true, y_pred)
        return 1.0 - dice_metric
