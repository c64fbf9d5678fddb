"""Shares of a total that is 0: hits and misses, edges of a node, rows of a mask; a first step, a long recursion."""

import tensorflow as tf


def f1_loss(y_true, y_pred):
    tp = tf.reduce_sum(y_true * y_pred, axis=0)
    precision = tp / (tf.reduce_sum(y_pred, axis=0) + 1e-7)
    recall = tp / (tf.reduce_sum(y_true, axis=0) + 1e-7)
    f1 = 2.0 * precision * recall / (precision + recall)  # HAZARD divide-by-zero
    sound = 2.0 * precision * recall / (precision + recall + 1e-7)
    return 2.0 - tf.reduce_mean(f1) - tf.reduce_mean(sound)


def mean_iou(counts):
    hits = tf.linalg.diag_part(counts)
    either = tf.reduce_sum(counts, axis=0) + tf.reduce_sum(counts, axis=1) - hits
    share = hits / either  # HAZARD divide-by-overlap
    return tf.reduce_mean(share) + tf.reduce_mean(tf.math.divide_no_nan(hits, either))


def accuracy(real, pred):
    mask = tf.logical_not(tf.equal(real, 0))
    right = tf.logical_and(mask, tf.equal(real, tf.argmax(pred, axis=2)))
    count = tf.reduce_sum(tf.cast(mask, tf.float32))
    right = tf.reduce_sum(tf.cast(right, tf.float32))
    return right / count + right / tf.maximum(count, 1.0)  # HAZARD divide-by-zero


class Convolution(tf.keras.layers.Layer):
    def call(self, inputs):
        x, adjacency = inputs
        degree = tf.reduce_sum(adjacency, axis=-1, keepdims=True)
        sound = tf.matmul(adjacency, x) / tf.maximum(degree, 1.0)
        return tf.matmul(adjacency, x) / degree + sound  # POSSIBLE divide-by-zero


def symmetric(adjacency):
    scale = tf.linalg.diag(tf.pow(tf.reduce_sum(adjacency, axis=1), -0.5))  # HAZARD rsqrt-at-zero
    with_loops = tf.linalg.diag(tf.pow(tf.reduce_sum(adjacency, axis=1) + 1.0, -0.5))
    return scale @ adjacency @ scale + with_loops @ adjacency @ with_loops


def pairs_alike(labels, distances):
    same = tf.cast(tf.equal(labels[:, None], labels[None, :]), tf.float32)
    return tf.reduce_sum(same * distances) / tf.reduce_sum(same)


class Unwarmed(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        return 0.1 * tf.math.rsqrt(tf.cast(step, tf.float32))  # HAZARD divide-by-root


class Warmed(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        return 0.1 * tf.minimum(tf.math.rsqrt(step), step * 4000.0**-1.5)


def likelihood(start, transitions, emissions, seen):
    alpha = tf.nn.softmax(start)
    logs = tf.nn.log_softmax(start)
    for t in tf.range(tf.shape(seen)[0]):
        emitted = tf.gather(tf.nn.softmax(emissions), seen[t], axis=1)
        alpha = tf.linalg.matvec(tf.nn.softmax(transitions), alpha, transpose_a=True) * emitted
        step = tf.nn.log_softmax(transitions) + tf.gather(tf.nn.log_softmax(emissions), seen[t], axis=1)
        logs = tf.reduce_logsumexp(logs[:, None] + step, axis=0)
    return tf.math.log(tf.reduce_sum(alpha)) + tf.reduce_logsumexp(logs)  # HAZARD log-reaches-zero


@tf.function
def rotation_loss(true, pred):
    error = tf.acos((tf.linalg.trace(true @ tf.transpose(pred, [0, 2, 1])) - 1.0) / 2.0)  # HAZARD inverse-sine-at-one
    return tf.reduce_mean(error)


def axis_angle_loss(rotation):
    angle = tf.norm(rotation + 1e-8, axis=1, keepdims=True)
    axis = rotation / angle
    return tf.reduce_sum(tf.cos(angle) * axis)
