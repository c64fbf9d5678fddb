"""What a program asks of its numbers: an `if` asks about one number, and what is asked for by `==` occurs."""

import numpy as np
import tensorflow as tf


class SoundChange:
    def __init__(self, value=0.0):
        self.value = value
        self.change = 0.0

    def update(self, value):
        if self.value:
            self.change = value / self.value - 1
        self.value = value


def sound_changes(model, batches):
    loss = SoundChange()
    for batch in batches:
        loss.update(tf.reduce_mean(model(batch)))
        print(loss.change)


def sound_ratio(x):
    mean = np.nanmean(x)
    if abs(mean) > 1e-10:
        x = x / mean
    return tf.constant(x)


class InstanceNormalization(tf.keras.layers.Layer):
    def call(self, x):
        if tf.executing_eagerly():
            return x / (tf.sqrt(tf.reduce_sum(tf.square(x), -1, keepdims=True)) + 1e-6)
        return 2.0 * x / (tf.sqrt(tf.reduce_sum(tf.square(x), -1, keepdims=True)) + 1e-6)  # HAZARD sqrt-at-zero


def sound_location(pred_offset, gt_offset, positiveness):
    found = tf.where(tf.expand_dims(positiveness, axis=-1) == 1)
    pred_offset = tf.gather_nd(pred_offset, found[:, :-1])
    gt_offset = tf.gather_nd(gt_offset, found[:, :-1])
    difference = tf.abs(gt_offset - pred_offset)
    return tf.reduce_sum(tf.square(difference)) / tf.cast(tf.shape(gt_offset)[0], difference.dtype)


def sound_loss(pred, label):
    return sound_location(pred["offset"], label["box_targets"], label["positiveness"])


def pooled(sequence, mask_ids):
    mask = tf.cast(tf.expand_dims(mask_ids, axis=-1), dtype=tf.float32)
    return tf.reduce_sum(sequence * mask, axis=1) / tf.reduce_sum(mask, axis=1)  # POSSIBLE divide-by-mask-sum


class SoundMean(tf.Module):
    def __init__(self):
        self.n = tf.Variable(0.0, trainable=False)
        self.total = tf.Variable(0.0, trainable=False)

    def update(self, returns):
        for one in tf.reshape(returns, [-1]):
            self.n.assign_add(1.0)
            self.total.assign_add(one)
        return returns - self.total / self.n
