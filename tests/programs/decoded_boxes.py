"""Boxes that a name calls predicted are decoded: they have a width; what a network gives as it is need not."""

import tensorflow as tf


def aspect_loss(gt_bboxes, pred_bboxes):
    true = (gt_bboxes[..., 2] - gt_bboxes[..., 0]) / (gt_bboxes[..., 3] - gt_bboxes[..., 1])
    shape = (pred_bboxes[..., 2] - pred_bboxes[..., 0]) / (pred_bboxes[..., 3] - pred_bboxes[..., 1])
    return tf.reduce_mean(tf.square(tf.atan(true) - tf.atan(shape)))


def aspect_loss_of_outputs(y_true, y_pred):
    true = (y_true[..., 2] - y_true[..., 0]) / (y_true[..., 3] - y_true[..., 1])
    shape = (y_pred[..., 2] - y_pred[..., 0]) / (y_pred[..., 3] - y_pred[..., 1])  # HAZARD divide-by-zero
    return tf.reduce_mean(tf.square(tf.atan(true) - tf.atan(shape)))
