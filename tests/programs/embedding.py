"""Metric learning: contrastive, triplet and centre losses, cosine similarity, NT-Xent, pairwise distances."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers

encoder = keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(16)])


def euclidean_distance(vects):
    x, y = vects
    return K.sqrt(K.sum(K.square(x - y), axis=1, keepdims=True))  # HAZARD sqrt-at-zero


def sound_distance(vects):
    x, y = vects
    return K.sqrt(K.maximum(K.sum(K.square(x - y), axis=1, keepdims=True), K.epsilon()))


def contrastive_loss(y_true, y_pred):
    margin = 1
    return K.mean(y_true * K.square(y_pred) + (1 - y_true) * K.square(K.maximum(margin - y_pred, 0)))


def siamese(distance):
    a, b = keras.Input((28,)), keras.Input((28,))
    merged = layers.Lambda(distance)([encoder(a), encoder(b)])
    model = keras.Model([a, b], merged)
    model.compile(loss=contrastive_loss, optimizer="adam")
    return model


bad, good = siamese(euclidean_distance), siamese(sound_distance)


def triplet_loss(y_true, y_pred, alpha=0.2):
    anchor, positive, negative = y_pred[:, :16], y_pred[:, 16:32], y_pred[:, 32:]
    pos = tf.reduce_sum(tf.square(anchor - positive), axis=-1)
    neg = tf.reduce_sum(tf.square(anchor - negative), axis=-1)
    return tf.reduce_sum(tf.maximum(pos - neg + alpha, 0.0))


def triplet_norm_loss(anchor, positive, negative):
    d_pos = tf.norm(anchor - positive, axis=1)  # HAZARD norm-at-zero
    d_neg = tf.norm(anchor - negative, axis=1)  # HAZARD norm-at-zero
    return tf.reduce_mean(tf.maximum(d_pos - d_neg + 0.2, 0.0))


def pairwise_distances(embeddings, squared=False):
    dot = tf.matmul(embeddings, tf.transpose(embeddings))
    square_norm = tf.linalg.diag_part(dot)
    distances = tf.expand_dims(square_norm, 1) - 2.0 * dot + tf.expand_dims(square_norm, 0)
    distances = tf.maximum(distances, 0.0)
    if not squared:
        mask = tf.cast(tf.equal(distances, 0.0), tf.float32)
        distances = distances + mask * 1e-16
        distances = tf.sqrt(distances)
        distances = distances * (1.0 - mask)
    return distances


def naive_pairwise_loss(embeddings):
    dot = tf.matmul(embeddings, tf.transpose(embeddings))
    square_norm = tf.linalg.diag_part(dot)
    distances = tf.maximum(tf.expand_dims(square_norm, 1) - 2.0 * dot + tf.expand_dims(square_norm, 0), 0.0)
    return tf.reduce_mean(tf.sqrt(distances))  # HAZARD sqrt-at-zero


def cosine_loss(a, b):
    norm_a = tf.norm(a, axis=1, keepdims=True)
    return -tf.reduce_mean(tf.reduce_sum((a / norm_a) * tf.math.l2_normalize(b, axis=1), axis=1))  # HAZARD divide-by-norm


def nt_xent(z1, z2, temperature=0.1):
    z1, z2 = tf.math.l2_normalize(z1, axis=1), tf.math.l2_normalize(z2, axis=1)
    logits = tf.matmul(z1, z2, transpose_b=True) / temperature
    labels = tf.range(tf.shape(z1)[0])
    return tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True))


def info_nce_by_hand_loss(z1, z2):
    similarity = tf.matmul(tf.math.l2_normalize(z1, 1), tf.math.l2_normalize(z2, 1), transpose_b=True) / 0.1
    positive = tf.exp(tf.linalg.diag_part(similarity))
    return -tf.reduce_mean(tf.math.log(positive / tf.reduce_sum(tf.exp(similarity), axis=1)))


def arcface_logits(embeddings, weights, labels, margin=0.5, scale=64.0):
    cosine = tf.matmul(tf.nn.l2_normalize(embeddings, axis=1), tf.nn.l2_normalize(weights, axis=0))
    sine = tf.sqrt(1.0 - tf.square(cosine))
    phi = cosine * tf.cos(margin) - sine * tf.sin(margin)
    return scale * tf.where(tf.equal(labels, 1), phi, cosine)


def arc_loss(embeddings, weights, labels):
    cosine = tf.matmul(tf.nn.l2_normalize(embeddings, axis=1), tf.nn.l2_normalize(weights, axis=0))
    theta = tf.acos(tf.clip_by_value(cosine, -1.0, 1.0))  # HAZARD inverse-sine-at-one
    safe = tf.acos(tf.clip_by_value(cosine, -1.0 + 1e-6, 1.0 - 1e-6))
    return tf.reduce_mean(theta + safe)


def centre_loss(features, centres, labels):
    chosen = tf.gather(centres, labels)
    return tf.nn.l2_loss(features - chosen)
