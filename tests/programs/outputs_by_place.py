"""Losses of networks with several outputs, which are taken by their place and brought into shape at once."""

import tensorflow as tf


def smooth(y_true, y_pred):
    t = tf.abs(y_pred - y_true)
    return tf.where(t < 1, 0.5 * t**2, t - 0.5)


def box_loss(y_true, y_pred):
    count = tf.shape(y_true)[0] * tf.shape(y_true)[1]
    boxes = tf.reshape(y_pred[0], [count, 4])
    marks = tf.reshape(y_pred[1], [count, 10])
    box_true = tf.reshape(y_true[..., :4], [count, 4])
    mark_true = tf.reshape(y_true[..., 4:14], [count, 10])
    found = tf.equal(tf.reshape(y_true[..., 14], [count, 1]), 1)
    of_box = tf.broadcast_to(found, tf.shape(box_true))
    of_mark = tf.broadcast_to(found, tf.shape(mark_true))
    box = smooth(tf.boolean_mask(box_true, of_box), tf.boolean_mask(boxes, of_box))
    mark = smooth(tf.boolean_mask(mark_true, of_mark), tf.boolean_mask(marks, of_mark))
    return tf.reduce_mean(box) + tf.reduce_mean(mark)  # HAZARD mean-of-nothing


def two_box_loss(y_true, y_pred):
    boxes, marks = y_pred
    count = tf.shape(y_true)[0] * tf.shape(y_true)[1]
    found = tf.equal(tf.reshape(y_true[..., 4], [count, 1]), 1)
    of_box = tf.broadcast_to(found, [count, 4])
    picked = tf.boolean_mask(tf.reshape(boxes, [count, 4]), of_box)
    wanted = tf.boolean_mask(tf.reshape(y_true[..., :4], [count, 4]), of_box)
    return tf.reduce_mean(smooth(wanted, picked))  # HAZARD mean-of-nothing


def sound_box_loss(y_true, y_pred):
    size = tf.size(y_true) // 15
    label = tf.reshape(y_true, [size, 15])
    weight = tf.cast(tf.equal(label[:, 14:], 1), tf.float32)
    box = tf.reduce_sum(weight * smooth(label[:, :4], tf.reshape(y_pred[0], [size, 4])))
    mark = tf.reduce_sum(weight * smooth(label[:, 4:14], tf.reshape(y_pred[1], [size, 10])))
    return (box + mark) / tf.maximum(tf.reduce_sum(weight), 1.0)
