"""Sums of weights that a program keeps beside the sums of losses, and what comes with a loss."""

import tensorflow as tf
from utils import size_of


def sound_summary(sums):
    return sums["loss"] / sums["weight_sum"]


def sound_mean_of_epoch(metrics):
    weight_sum = metrics.pop("weight_sum")
    return tf.nest.map_structure(lambda x: x / weight_sum, metrics)


def mean_of_masked(losses, mask):
    return tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)  # HAZARD divide-by-mask-sum


def update(params, grads, rate):
    grads, _ = tf.clip_by_global_norm(grads, 5.0)
    return [p.assign_sub(rate * g) for p, g in zip(params, grads)]


def sound_log_loss(labels, logits, weights):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(losses * weights)
    variables = tf.compat.v1.trainable_variables()
    return loss, update(variables, tf.gradients(loss, variables), 0.1)


def sound_mask_in_logs(features, lengths):
    mask = tf.sequence_mask(lengths, size_of(features, 1), dtype=tf.float32)
    scores = tf.squeeze(tf.keras.layers.Dense(1)(features), -1) + tf.math.log(mask)
    return tf.estimator.EstimatorSpec("train", predictions={"scores": scores})


def sound_softmax_of_segments(scores, ids):
    largest = tf.gather(tf.math.segment_max(scores, ids), ids)
    weights = tf.exp(scores - largest)
    return weights / tf.gather(tf.math.segment_sum(weights, ids), ids)


def softmax_of_segments(scores, ids):
    weights = tf.exp(scores)  # POSSIBLE exp-overflow
    return weights / tf.gather(tf.math.segment_sum(weights, ids), ids)  # POSSIBLE divide-by-zero


def sound_shares_of_some_classes(predictions, classes):
    predictions = tf.gather(predictions, classes, axis=-1)
    predictions /= tf.reduce_sum(predictions, axis=-1, keepdims=True)
    return tf.argmax(predictions, axis=-1), predictions


def sound_mean_by_class(losses, labels, class_weights):
    weights = tf.gather(class_weights, labels)
    return tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)


def sound_aspect_ratio(image, inference_spec):
    return tf.reduce_sum(image) * (inference_spec[1] / inference_spec[0])
