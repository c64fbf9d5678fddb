"""Values whose own names tell nothing, passed to parameters, or held under names, that say what they are."""

import tensorflow as tf


def deviance(y_true, mu):
    return tf.reduce_mean(y_true * tf.math.log(y_true / mu))  # HAZARD log-times-argument


def sound_deviance(y_true, mu):
    return tf.reduce_mean(tf.math.xlogy(y_true, y_true) - tf.math.xlogy(y_true, mu))


def fit(model, claims, costs, opt):
    with tf.GradientTape() as tape:
        rate = 0.1 + tf.nn.sigmoid(model(costs))
        loss = deviance(claims, rate) + sound_deviance(claims, rate)
    opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))


def weighted(values, sample_weights):
    return tf.reduce_sum(values * sample_weights) / tf.reduce_sum(sample_weights)  # HAZARD divide-by-mask-sum


def average(result, keys):
    return weighted(result, tf.cast(keys.fetch("chosen"), tf.float32))


def spread_loss(record):
    image = tf.cast(record.fetch("pixels"), tf.float32)
    return image / tf.reduce_max(image)  # HAZARD divide-by-zero


def sound_spread_of(record):
    image = tf.cast(record.fetch("pixels"), tf.float32)
    return image / tf.maximum(tf.reduce_max(image), 1.0)
