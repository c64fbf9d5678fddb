"""Tables of boxes that others are measured by, rows of labels that have a class, and folders of files."""

from pathlib import Path

import tensorflow as tf
from keras import backend as K


def sound_sizes(y_true, prediction, anchors, input_shape):
    sizes = K.log(y_true[..., 2:4] / anchors * 32.0 + 1e-7)
    return K.sum(K.square(sizes - prediction))


def sound_target(y_true, prediction, anchors):
    mask = y_true[..., 4:5]
    sizes = K.log(y_true[..., 2:4] / anchors)
    sizes = K.switch(mask, sizes, K.zeros_like(sizes))
    return K.sum(mask * K.square(sizes - prediction))


def sound_locations(boxes, priors):
    return (boxes[..., :2] - priors[..., :2]) / priors[..., 2:]


def shares_of_a_prediction(y_true, y_pred):
    return y_true / tf.nn.relu(y_pred)  # HAZARD divide-by-zero


def sound_class_weights(labels):
    counts = tf.reduce_sum(labels, axis=0)
    weights = 8.0 / counts / 3.0
    return tf.gather(weights, tf.argmax(labels, axis=1))


def sound_file(session, model):
    folder = Path(model).parent
    tf.compat.v1.train.Saver().save(session, str(folder / Path(model).stem))


class Cropper:
    def sound_crop(self, features, boxes):
        height = (tf.cast(tf.shape(features)[1], tf.float32) - 1.0) * self._feat_stride[0]
        return boxes[..., 1:2] / height


def sound_points_of_a_part(valid_ratios):
    ratio = tf.cast(valid_ratios, tf.float32)[:, 0, 0]
    return tf.linspace(0.5, 4.5, 5)[None] / (ratio[:, None] * 5.0)


def sound_offsets(found_yx, default_yx, default_hw):
    return (found_yx - default_yx) / default_hw
