"""Where shapes decide: a norm over the axis that was summed, a softmax over one element, data that is in sight."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

w = tf.Variable([[1.0, 2.0]])


def one_class(x):
    return layers.Dense(1, activation="softmax")(x)  # HAZARD softmax-of-one


def one_class_by_function(x):
    return tf.nn.softmax(layers.Dense(1)(x))  # HAZARD softmax-of-one


def two_classes(x):
    return layers.Dense(2, activation="softmax")(x)


def over_rows(x):
    return tf.nn.softmax(layers.Dense(1)(x), axis=0)


def norm_of_a_sum(x):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(w * x, axis=-1, keepdims=True)
        loss = tf.reduce_mean(tf.norm(total, axis=-1))  # FALSE norm-at-zero
    return tape.gradient(loss, w)


def norm_over_another_axis(x):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(w * x, axis=0, keepdims=True)
        loss = tf.reduce_mean(tf.norm(total, axis=-1))  # HAZARD norm-at-zero
    return tape.gradient(loss, w)


def norm_of_a_sum_of_squares(x):
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.square(w - x), axis=-1, keepdims=True)
        loss = tf.reduce_mean(tf.norm(total, axis=-1))  # MISSED norm-at-zero
    return tape.gradient(loss, w)


def fit_on_data_in_sight():
    inputs = keras.Input((3,))
    logs = layers.Lambda(lambda t: tf.math.log(t))(inputs)  # HAZARD log-reaches-zero
    model = keras.Model(inputs, layers.Dense(1)(logs))
    model.compile("adam", loss="mse")
    model.fit(tf.random.uniform([8, 3]), tf.zeros([8, 1]))


def fit_on_sound_data_in_sight():
    inputs = keras.Input((3,))
    logs = layers.Lambda(lambda t: tf.math.log(t))(inputs)
    model = keras.Model(inputs, layers.Dense(1)(logs))
    model.compile("adam", loss="mse")
    model.fit(tf.random.uniform([8, 3], minval=0.1), tf.zeros([8, 1]))


def noise_of_any_shape(x, settings):
    u = tf.random.uniform(settings.shape_of_one())
    return x - tf.math.log(-tf.math.log(u))  # HAZARD log-reaches-zero


def sound_noise_of_any_shape(x, settings):
    u = tf.random.uniform(settings.shape_of_one())
    return x - tf.math.log(1e-6 - tf.math.log(u + 1e-6))
