"""Parameters that are lists or tuples: what their elements are follows from how they are named, cut and made."""

import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Input, Lambda
from tensorflow.keras.models import Model
from zoo import make_detector


def scale_of_boxes(args):
    """An image's size is no output of a network, although both stand in one list."""
    outputs = args[0]
    image_shape = args[1]
    grid = K.cast(K.shape(outputs)[1:3] * 32, "float32")
    return K.min(grid / K.cast(image_shape, "float32"))


def scale_of_many_boxes(args, anchors):
    count = len(anchors) // 3
    outputs = args[:count]
    image_shape = args[count]
    grid = K.cast(K.shape(outputs[0])[1:3] * 32, "float32")
    return K.min(grid / K.cast(image_shape, "float32"))


def share_of_scores(args):
    """The first element is a network's output, which another name says of the second one."""
    outputs = args[0]
    image_shape = args[1]
    scores = tf.nn.relu(outputs)
    return scores / tf.reduce_sum(scores, axis=-1, keepdims=True), image_shape  # HAZARD divide-by-zero


def share_of_unpacked_scores(args):
    outputs, image_shape = args
    scores = tf.nn.relu(outputs)
    return scores / tf.reduce_sum(scores, axis=-1, keepdims=True), image_shape  # HAZARD divide-by-zero


def guarded_share_of_scores(args):
    outputs, image_shape = args
    scores = tf.nn.relu(outputs)
    return scores / (tf.reduce_sum(scores, axis=-1, keepdims=True) + 1e-7), image_shape


def detection_loss(args, anchors):
    """The width of a box is 0 exactly where its flag is, and there the logarithm is not selected."""
    count = len(anchors) // 3
    outputs = args[:count]
    y_true = args[count:]
    grid = K.cast(K.shape(outputs[0])[1:3] * 32, "float32")
    loss = 0.0
    for i in range(count):
        has_box = y_true[i][..., 4:5]
        size = K.log(y_true[i][..., 2:4] / anchors * grid[::-1])
        size = K.switch(has_box, size, K.zeros_like(size))
        loss += K.sum(has_box * K.square(size - outputs[i][..., 2:4]))
    return loss


def detection_loss_without_selection(args, anchors):
    count = len(anchors) // 3
    outputs = args[:count]
    y_true = args[count:]
    grid = K.cast(K.shape(outputs[0])[1:3] * 32, "float32")
    loss = 0.0
    for i in range(count):
        has_box = y_true[i][..., 4:5]
        size = K.log(y_true[i][..., 2:4] / anchors * grid[::-1])  # HAZARD log-reaches-zero
        loss += K.sum(has_box * K.square(size - outputs[i][..., 2:4]))
    return loss


def training_model(anchors, classes):
    count = len(anchors) // 3
    body = make_detector(count)
    y_true = [Input(shape=(None, None, 3, classes + 5)) for _ in range(count)]
    loss = Lambda(detection_loss, arguments={"anchors": anchors})([*body.output, *y_true])
    other = Lambda(detection_loss_without_selection, arguments={"anchors": anchors})(
        [*body.output, *y_true]
    )
    model = Model([body.input, *y_true], [loss, other])
    model.compile(optimizer="adam", loss=lambda y_true, y_pred: y_pred)
    return model
