"""Rows of padding, sequences of ordinary length, columns that a program names, and weights that start at a number."""

import math

import keras
import tensorflow as tf
from keras import ops


class Pooling(keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.score = keras.layers.Dense(1, use_bias=False)

    def call(self, inputs, mask=None):
        scores = ops.squeeze(self.score(inputs), axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -float("inf"))
        weights = ops.softmax(scores, axis=-1)  # HAZARD masked-row
        return ops.sum(ops.expand_dims(weights, -1) * inputs, axis=1)


class FinitePooling(Pooling):
    def call(self, inputs, mask=None):
        scores = ops.squeeze(self.score(inputs), axis=-1)
        if mask is not None:
            scores = ops.where(mask, scores, -1e9)
        return ops.sum(ops.expand_dims(ops.softmax(scores, axis=-1), -1) * inputs, axis=1)


def attention(scores, mask=None):
    if mask is not None:
        scores = tf.where(mask, scores, -math.inf)
    return tf.nn.softmax(scores)  # HAZARD masked-row


def encoded(boxes, anchors):
    centre = (boxes[..., :2] - anchors[..., :2]) / anchors[..., 2:4]
    return tf.concat([centre, tf.math.log(boxes[..., 2:4] / anchors[..., 2:4])], axis=-1)  # HAZARD log-reaches-zero


class Boxes(keras.losses.Loss):
    def __init__(self, anchors):
        super().__init__()
        self.anchors = tf.constant(anchors, tf.float32)

    def call(self, y_true, y_pred):
        box, flag = y_true[..., :4], y_true[..., 4]
        return tf.reduce_sum(tf.abs(encoded(box, self.anchors) - y_pred), axis=-1) * flag


class SoundBoxes(Boxes):
    def call(self, y_true, y_pred):
        box, flag = y_true[..., :4], y_true[..., 4]
        size = tf.math.log(tf.maximum(box[..., 2:4], 1e-6) / self.anchors[..., 2:4])
        return tf.reduce_sum(tf.abs(size - y_pred), axis=-1) * flag


def likelihood(start_logits, step_logits, emit_logits, tokens):
    steps = tf.nn.softmax(step_logits)
    seen = tf.gather(tf.transpose(tf.nn.softmax(emit_logits)), tf.transpose(tokens))
    alpha = tf.nn.softmax(start_logits)[None, :] * seen[0]
    for t in range(1, tokens.shape[1]):
        alpha = tf.matmul(alpha, steps) * seen[t]
    return tf.math.log(tf.reduce_sum(alpha, axis=1))  # HAZARD log-reaches-zero


class Aligned(keras.Model):
    def __init__(self, dim=64):
        super().__init__()
        self.left, self.right = keras.layers.Dense(dim), keras.layers.Dense(dim)
        self.log_scale = self.add_weight(shape=(), initializer=keras.initializers.Constant(-math.log(0.01)))

    def call(self, pair):
        left, right = (tf.math.l2_normalize(of(x), axis=-1) for of, x in zip((self.left, self.right), pair))
        return tf.exp(self.log_scale) * tf.matmul(left, right, transpose_b=True)


def contrast(model, pair):
    near = tf.exp(model(pair))
    return -tf.reduce_mean(tf.math.log(tf.linalg.diag_part(near) / tf.reduce_sum(near, axis=1)))  # HAZARD log-reaches-zero softmax-by-hand


class Warm(Aligned):
    def __init__(self, dim=64):
        super().__init__(dim)
        self.log_scale = self.add_weight(shape=(), initializer=keras.initializers.Constant(-math.log(0.1)))


def warm_contrast(left, right):
    model = Warm()
    near = tf.exp(model((left, right)))
    return -tf.reduce_mean(tf.math.log(tf.linalg.diag_part(near) / tf.reduce_sum(near, axis=1)))


@tf.function
def levels(wave):
    power = tf.square(tf.abs(tf.signal.stft(wave, 400, 160)))
    return 10.0 * tf.math.log(power) / math.log(10.0)  # HAZARD log-reaches-zero


def listened(waves, labels):
    recordings = tf.data.Dataset.from_tensor_slices((waves, labels)).batch(32)
    return recordings.map(lambda wave, label: (levels(wave) - tf.reduce_max(levels(wave)), label))


def log_likelihood(logits):
    p = tf.clip_by_value(tf.sigmoid(logits), 0.01, 0.99)
    return tf.math.log(tf.reduce_prod(p, axis=1)), tf.reduce_sum(tf.math.log(p), axis=1)  # HAZARD log-prod


def log_determinant(raw):
    pivots = tf.nn.softplus(raw) + 1e-3
    sound = 2.0 * tf.reduce_sum(tf.math.log(pivots), axis=-1)
    return tf.math.log(tf.square(tf.reduce_prod(pivots, axis=-1))) + sound  # HAZARD log-reaches-zero


def sound_mean_over_the_tokens_of_a_batch(losses, tgt_mask):
    return tf.reduce_sum(losses * tgt_mask) / tf.reduce_sum(tgt_mask)


def mean_over_the_tokens_of_each_row(losses, tgt_mask):
    return tf.reduce_sum(losses * tgt_mask, -1) / tf.reduce_sum(tgt_mask, -1)  # POSSIBLE divide-by-mask-sum


def sound_mean_over_known_tokens(logits, labels):
    losses = tf.nn.softmax_cross_entropy_with_logits(labels=tf.one_hot(labels, 100), logits=logits)
    known = tf.cast(tf.not_equal(labels, 0), tf.float32)
    return tf.reduce_sum(losses * known) / tf.reduce_sum(known)


def mean_over_known_tokens_of_each_row(table, tokens):
    known = tf.cast(tf.not_equal(tokens, 0), tf.float32)[..., None]
    return tf.reduce_sum(tf.gather(table, tokens) * known, 1) / tf.reduce_sum(known, 1)  # HAZARD divide-by-mask-sum


class Coder:
    def encode(self, boxes, anchors):
        raise NotImplementedError


class SizeCoder(Coder):
    def encode(self, boxes, anchors):
        size, own = boxes[..., 2:] - boxes[..., :2], anchors[..., 2:] - anchors[..., :2]
        return tf.math.log(size / own)  # HAZARD log-below-zero


def loss_of_sizes(predicted, boxes, matches, anchors, coder):
    positive = tf.cast(matches >= 0, tf.float32)
    matched = tf.gather(boxes, tf.maximum(matches, 0), batch_dims=1)
    target = tf.stop_gradient(coder.encode(matched, anchors[None]))
    return tf.reduce_sum(tf.reduce_sum(tf.abs(predicted - target), axis=-1) * positive)


class WeightedSum(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[1], self.units, input_shape[2]), name="w")

    def call(self, x):
        return tf.einsum("bid,iud->bu", x, self.w)


def dead_layer_loss(images):
    features = keras.layers.Conv2D(16, 3, activation="relu")(images)
    sums = WeightedSum(5)(tf.reshape(features, [tf.shape(features)[0], 72, 8]))
    return tf.reduce_mean(tf.square(1.0 - tf.norm(sums[:, None], axis=-1)))  # HAZARD norm-at-zero


def softmax_by_hand(scores, mask):
    scores = tf.where(mask, scores, float("-inf"))
    shifted = scores - tf.reduce_max(scores, axis=-1, keepdims=True)  # HAZARD infinity-minus-infinity
    weights = tf.exp(shifted)
    return weights / tf.reduce_sum(weights, axis=-1, keepdims=True)


def sound_softmax_by_hand(scores, mask):
    scores = tf.where(mask, scores, -1e9)
    weights = tf.exp(scores - tf.reduce_max(scores, axis=-1, keepdims=True))
    return weights / tf.reduce_sum(weights, axis=-1, keepdims=True)
