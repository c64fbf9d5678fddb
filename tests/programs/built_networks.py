"""A network that is a parameter is the one that the module builds."""

import tensorflow as tf
from tensorflow import keras


def build_model(columns, outputs):
    inputs = keras.Input((columns,))
    hidden = keras.layers.Dense(32, activation="relu")(inputs)
    return keras.Model(inputs, keras.layers.Dense(outputs, activation="relu")(hidden))


def train_step(model, optimizer, columns, targets):
    with tf.GradientTape() as tape:
        scales = model(columns)
        loss = tf.reduce_mean(tf.square(targets) / scales + tf.math.log1p(scales))  # HAZARD divide-by-zero
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def sound_step(model, optimizer, columns, targets):
    with tf.GradientTape() as tape:
        scales = model(columns) + 1.0
        loss = tf.reduce_mean(tf.square(targets) / scales + tf.math.log(scales))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss
