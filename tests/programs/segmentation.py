"""Segmentation: dice and IoU losses, focal and Tversky losses, masks."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers


def dice_loss(y_true, y_pred):
    intersection = K.sum(y_true * y_pred)
    return 1 - 2 * intersection / (K.sum(y_true) + K.sum(y_pred))  # HAZARD divide-by-overlap


def smooth_dice_loss(y_true, y_pred, smooth=1.0):
    y_true_f, y_pred_f = K.flatten(y_true), K.flatten(y_pred)
    intersection = K.sum(y_true_f * y_pred_f)
    return 1 - (2.0 * intersection + smooth) / (K.sum(y_true_f) + K.sum(y_pred_f) + smooth)


def iou_loss(y_true, y_pred):
    intersection = tf.reduce_sum(y_true * y_pred, axis=[1, 2])
    union = tf.reduce_sum(y_true, axis=[1, 2]) + tf.reduce_sum(y_pred, axis=[1, 2]) - intersection
    return 1 - tf.reduce_mean(tf.math.divide_no_nan(intersection, union))


def focal_loss(y_true, y_pred, gamma=2.0, alpha=0.25):
    pt = tf.where(tf.equal(y_true, 1), y_pred, 1 - y_pred)
    return -K.mean(alpha * K.pow(1.0 - pt, gamma) * K.log(pt))  # HAZARD log-reaches-zero


def sound_focal_loss(y_true, y_pred, gamma=2.0, alpha=0.25):
    y_pred = K.clip(y_pred, K.epsilon(), 1.0 - K.epsilon())
    pt = tf.where(tf.equal(y_true, 1), y_pred, 1 - y_pred)
    return -K.mean(alpha * K.pow(1.0 - pt, gamma) * K.log(pt))


def focal_factory(gamma=2.0):
    def focal(y_true, y_pred):
        pt_1 = tf.where(tf.equal(y_true, 1), y_pred, tf.ones_like(y_pred))
        pt_0 = tf.where(tf.equal(y_true, 0), y_pred, tf.zeros_like(y_pred))
        return -K.sum(K.pow(1.0 - pt_1, gamma) * K.log(pt_1)) - K.sum(K.pow(pt_0, gamma) * K.log(1.0 - pt_0))  # HAZARD log-reaches-zero

    return focal


def unet():
    inputs = keras.Input((128, 128, 3))
    x = layers.Conv2D(16, 3, activation="relu", padding="same")(inputs)
    p = layers.MaxPooling2D()(x)
    y = layers.UpSampling2D()(layers.Conv2D(32, 3, activation="relu", padding="same")(p))
    y = layers.concatenate([x, y])
    return keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(y))


model = unet()
model.compile("adam", loss=smooth_dice_loss)
other = unet()
other.compile("adam", loss=focal_loss)
third = unet()
third.compile("adam", loss=sound_focal_loss)
fourth = unet()
fourth.compile("adam", loss=focal_factory())
fifth = unet()
fifth.compile("adam", loss=iou_loss)


def masked_mean(values, mask):
    return tf.reduce_sum(values * mask) / tf.reduce_sum(mask)  # HAZARD divide-by-mask-sum


def sound_masked_mean(values, mask):
    return tf.reduce_sum(values * mask) / tf.maximum(tf.reduce_sum(mask), 1.0)


def weighted_crossentropy(y_true, y_pred, weights):
    y_pred /= K.sum(y_pred, axis=-1, keepdims=True)
    y_pred = K.clip(y_pred, K.epsilon(), 1 - K.epsilon())
    return -K.sum(y_true * K.log(y_pred) * weights, -1)


def accuracy_per_class(y_true, y_pred):
    right = tf.cast(tf.equal(tf.argmax(y_true, -1), tf.argmax(y_pred, -1)), tf.float32)
    return tf.reduce_sum(right) / tf.cast(tf.size(right), tf.float32)


def class_recall(y_true, y_pred):
    is_class = tf.cast(tf.equal(y_true, 1), tf.float32)
    hit = tf.cast(tf.equal(y_pred, 1), tf.float32) * is_class
    return tf.reduce_sum(hit) / tf.reduce_sum(is_class)  # HAZARD divide-by-mask-sum


def share_of_segment(x, segments, count):
    totals = tf.math.unsorted_segment_sum(tf.cast(x > 0.0, tf.float32), segments, count)
    bad = x / tf.repeat(totals, 2)  # HAZARD divide-by-zero
    return bad + tf.gather(tf.ones_like(totals) / totals, segments)  # HAZARD divide-by-zero
