"""Networks that are given and not made here: what they give has trained weights behind it, whatever else is unknown."""

import tensorflow as tf


def train_step(model, x):
    with tf.GradientTape() as tape:
        y = model(x)
        y = tf.where(tf.math.is_nan(y), 0.0, y)  # HAZARD nan-patched-late
        loss = tf.reduce_mean(tf.square(y))
    return tape.gradient(loss, model.trainable_variables)


def by_its_weights_alone(predict, x):
    with tf.GradientTape() as tape:
        y = predict(x, training=True)
        y = tf.where(tf.math.is_finite(y), y, tf.zeros_like(y))  # HAZARD nan-patched-late
        loss = tf.reduce_mean(tf.square(y))
    return tape.gradient(loss, predict.trainable_weights)


def sound_inputs(model, x):
    with tf.GradientTape() as tape:
        y = model(tf.where(tf.math.is_nan(x), 0.0, x))
        loss = tf.reduce_mean(tf.square(y))
    return tape.gradient(loss, model.trainable_variables)


def sound_of_a_function(measured, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = measured(x)
        loss = tf.reduce_mean(tf.square(tf.where(tf.math.is_nan(y), 0.0, y)))
    return tape.gradient(loss, x)


def sound_labels(model, x, labels):
    known = tf.where(tf.math.is_nan(labels), 0.0, labels)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - known))
    return tape.gradient(loss, model.trainable_variables)


class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def step(self, x, labels):
        with tf.GradientTape() as tape:
            y = self.model(x)
            y = tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)  # HAZARD nan-patched-late
            loss = tf.reduce_mean(tf.square(y - labels))
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))


def loss_of_a_model(network, x, labels):
    y = network(x)
    y = tf.where(tf.math.is_nan(y), 0.0, y)  # HAZARD nan-patched-late
    return tf.reduce_mean(tf.square(y - labels))


def of_two(encoder, decoder, x, optimizer):
    with tf.GradientTape() as tape:
        mean, scale = encoder(x)
        y = decoder(mean)
        error = tf.reduce_mean(tf.norm(decoder(scale) - y, axis=-1))  # HAZARD norm-at-zero
        y = tf.where(tf.math.is_nan(y), tf.zeros_like(y), y)  # HAZARD nan-patched-late
        loss = tf.reduce_mean(tf.square(y - x)) + error
    weights = encoder.trainable_variables + decoder.trainable_variables
    for gradient, weight in zip(tape.gradient(loss, weights), weights):
        weight.assign_sub(1e-3 * gradient)


def with_a_weight(actor, x, log_std):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.norm(actor(x) - actor(-x), axis=-1))  # HAZARD norm-at-zero
    return tape.gradient(loss, actor.trainable_variables + [log_std])


def of_many(models, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.norm(models[0](x) - models[1](x), axis=-1))  # HAZARD norm-at-zero
    weights = []
    for model in models:
        weights += model.trainable_variables
    return tape.gradient(loss, weights)
