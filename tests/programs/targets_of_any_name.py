"""What a loss takes as its target is one, whatever its name, and has the shape of the prediction."""

import tensorflow as tf
from tensorflow.keras import layers


def angles(target, predicted):
    target = tf.math.l2_normalize(target, axis=-1)
    predicted = tf.math.l2_normalize(predicted, axis=-1)
    return tf.acos(tf.reduce_sum(target * predicted, axis=-1))  # HAZARD inverse-sine-outside


def sound_angles(target, predicted):
    target = tf.math.l2_normalize(target, axis=-1)
    predicted = tf.math.l2_normalize(predicted, axis=-1)
    cosine = tf.reduce_sum(target * predicted, axis=-1)
    return tf.acos(tf.clip_by_value(cosine, -0.9999, 0.9999))


class Normals(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = layers.Conv2D(16, 3, padding="same", activation="relu")
        self.outer = layers.Conv2D(3, 1)

    def call(self, images):
        return self.outer(self.inner(images))


def train_step(model, images, normals, valid):
    with tf.GradientTape() as tape:
        error = angles(normals, model(images))
        loss = tf.reduce_sum(error * valid) / tf.maximum(tf.reduce_sum(valid), 1.0)
    return tape.gradient(loss, model.trainable_variables)


def sound_step(model, images, normals, valid):
    with tf.GradientTape() as tape:
        error = sound_angles(normals, model(images))
        loss = tf.reduce_sum(error * valid) / tf.maximum(tf.reduce_sum(valid), 1.0)
    return tape.gradient(loss, model.trainable_variables)


def masks_of_the_foreground(logits, masks, labels):
    foreground = labels > 0
    logits = tf.boolean_mask(tf.gather(tf.transpose(logits, [0, 3, 1, 2]), labels, batch_dims=1), foreground)
    masks = tf.boolean_mask(masks, foreground)
    errors = tf.nn.sigmoid_cross_entropy_with_logits(labels=masks, logits=logits)
    return tf.reduce_mean(errors)  # HAZARD mean-of-nothing


class Heads(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.inner = layers.Conv2D(16, 3, padding="same", activation="relu")
        self.outer = layers.Conv2D(classes, 1)

    def call(self, regions):
        return self.outer(self.inner(regions))


def train_heads(heads: Heads, regions, masks, labels):
    with tf.GradientTape() as tape:
        loss = masks_of_the_foreground(heads(regions), masks, labels)
    return tape.gradient(loss, heads.trainable_variables)
