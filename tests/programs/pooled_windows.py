"""Statistics of windows that are larger than the axes of a small trial."""

import tensorflow as tf


def box_mean(x, size=7):
    return tf.nn.avg_pool2d(x, size, 1, "VALID")


def structure(x, y):
    mx, my = box_mean(x), box_mean(y)
    vx = tf.nn.relu(box_mean(tf.square(x)) - tf.square(mx))
    vy = tf.nn.relu(box_mean(tf.square(y)) - tf.square(my))
    cov = box_mean(x * y) - mx * my
    return tf.reduce_mean((2.0 * cov + 9e-4) / (vx + vy + 9e-4), axis=[1, 2, 3])


class RestorationLoss(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        return 1.0 - tf.pow(structure(y_true, y_pred), 0.3)  # HAZARD pow-below-zero


class SoundRestorationLoss(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        return 1.0 - tf.pow(tf.maximum(structure(y_true, y_pred), 1e-4), 0.3)


def trailing_mean(x, window):
    return tf.nn.avg_pool1d(x[None], ksize=window, strides=1, padding="VALID")[0]


class Bands(tf.keras.layers.Layer):
    def call(self, features):
        mean = trailing_mean(features, 20)
        return tf.sqrt(trailing_mean(tf.square(features), 20) - tf.square(mean))  # HAZARD sqrt-below-zero


class SoundBands(tf.keras.layers.Layer):
    def call(self, features):
        mean = trailing_mean(features, 20)
        return tf.sqrt(tf.nn.relu(trailing_mean(tf.square(features), 20) - tf.square(mean)) + 1e-6)


def contrast(image, size=4):
    window = [1, size, size, 1]
    patches = tf.image.extract_patches(image, window, window, [1, 1, 1, 1], "VALID")
    return tf.math.reduce_std(patches, axis=-1)  # HAZARD std-at-zero


def step(model, image, target):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(contrast(model(image)) - contrast(target)))
    return tape.gradient(loss, model.trainable_variables)
