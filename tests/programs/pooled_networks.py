"""Losses of networks whose images become smaller and larger again on their way."""

import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras import layers, models


def overlap(y_true, y_pred, smooth=1.0):
    truth, guess = K.flatten(K.cast(y_true, "float32")), K.flatten(y_pred)
    both = K.sum(truth * guess)
    missed, invented = K.sum(truth * (1.0 - guess)), K.sum((1.0 - truth) * guess)
    return (both + smooth) / (both + 0.7 * missed + 0.3 * invented + smooth)


def focal(y_true, y_pred):
    return K.pow(1.0 - overlap(y_true, y_pred), 0.75)  # HAZARD pow-at-zero


def focal_soundly(y_true, y_pred):
    return K.pow(1.0 - overlap(y_true, y_pred) + 1e-6, 0.75)


def network(loss, size=32):
    image = layers.Input((size, size, 1))
    fine = layers.Conv2D(8, 3, padding="same", activation="relu")(image)
    coarse = layers.Conv2D(16, 3, padding="same", activation="relu")(layers.MaxPooling2D()(fine))
    joined = layers.Concatenate()([layers.UpSampling2D()(coarse), fine])
    model = models.Model(image, layers.Conv2D(1, 1, activation="sigmoid")(joined))
    model.compile(optimizer="adam", loss=loss)
    return model


def train(images, masks):
    network(focal).fit(images, masks)
    network(focal_soundly).fit(images, masks)


def assigned(x, sizes):
    stack = [
        layers.Dense(size, activation=tf.nn.relu if place < len(sizes) - 1 else None)
        for place, size in enumerate(sizes)
    ]
    return tf.nn.softmax(models.Sequential(stack)(x))


def assigned_by_activations(x, sizes):
    stack = [layers.Dense(size, activation=tf.nn.relu) for size in sizes]
    return tf.nn.softmax(models.Sequential(stack)(x))  # HAZARD softmax-of-relu


def assigned_step_by_step(x, sizes):
    for place, size in enumerate(sizes):
        x = layers.Dense(size)(x)
        if place < len(sizes) - 1:
            x = tf.nn.relu(x)
    return tf.nn.softmax(x)


def assign(x):
    return assigned(x, [8, 3]), assigned_by_activations(x, [8, 3]), assigned_step_by_step(x, [8, 3])
