"""Gradient penalties: units of a critic that can be off, and slopes that are never 0."""

from functools import partial

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers


def penalty(critic, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = critic(x)
    return tf.reduce_mean(tf.square(tf.norm(tape.gradient(score, x), axis=-1) - 1.0))  # HAZARD norm-at-zero


def train(data):
    critic = keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(1)])
    with tf.GradientTape() as tape:
        loss = penalty(critic, data)
    return tape.gradient(loss, critic.trainable_variables)


def train_with_slopes(data):
    critic = keras.Sequential([layers.Dense(8), layers.LeakyReLU(), layers.Dense(1)])
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(data)
            score = critic(data)
        loss = tf.reduce_mean(tf.square(tf.norm(inner.gradient(score, data), axis=-1) - 1.0))
    return tape.gradient(loss, critic.trainable_variables)


def train_from_zero(data):
    critic = keras.Sequential([layers.Dense(8), layers.LeakyReLU(), layers.Dense(1, kernel_initializer="zeros")])
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(data)
            score = critic(data)
        loss = tf.reduce_mean(tf.square(tf.norm(inner.gradient(score, data), axis=-1) - 1.0))  # HAZARD norm-at-zero
    return tape.gradient(loss, critic.trainable_variables)


def leaky(x):
    return tf.maximum(x, 0.2 * x)


def by_hand(real, fake):
    w1, w2 = tf.Variable(tf.random.normal([4, 8])), tf.Variable(tf.random.normal([8, 1]))
    x = 0.3 * real + 0.7 * fake
    slopes = tf.gradients(tf.matmul(leaky(tf.matmul(x, w1)), w2), [x])[0]
    return tf.train.AdamOptimizer().minimize(tf.square(tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1)) - 1.0))


def gradient_penalty(y_true, y_pred, mixed):
    slopes = K.gradients(y_pred, mixed)[0]
    return K.mean(K.square(1 - K.sqrt(K.sum(K.square(slopes), axis=1))))


def keras_critic(images, blocks):
    image = keras.Input((8,))
    x = image
    for _ in range(blocks):
        x = layers.LeakyReLU()(layers.Dense(8)(x))
    critic = keras.Model(image, layers.Dense(1)(x))
    real, noise = keras.Input((8,)), keras.Input((8,))
    mixed = layers.Add()([real, noise])
    model = keras.Model([real, noise], critic(mixed))
    model.compile("adam", loss=partial(gradient_penalty, mixed=mixed))
    model.fit([tf.random.normal([4, 8]), tf.random.normal([4, 8])], tf.ones([4, 1]))


def keras_discriminator(blocks):
    image = keras.Input((8,))
    x = image
    for _ in range(blocks):
        x = layers.LeakyReLU()(layers.Dense(8)(x))
    critic = keras.Model(image, layers.Dense(1, activation="sigmoid")(x))
    noise = keras.Input((8,))
    model = keras.Model(noise, critic(layers.Dense(8)(noise)))
    model.compile("adam", loss="binary_crossentropy")
    logits = keras.Model(image, layers.Dense(1)(x))
    model = keras.Model(noise, logits(layers.Dense(8)(noise)))
    model.compile("adam", loss="binary_crossentropy")  # HAZARD logits-as-probabilities
