"""softmax or sigmoid is applied twice: a loss that expects logits gets probabilities

The loss applies the softmax itself. Probabilities between 0 and 1 look to it like logits that hardly differ. With ten
classes the loss cannot fall below 1.46, however good the model is, and the gradients are a hundred to a thousand times
too small. Pass the value before the activation.
"""
import tensorflow as tf

code = "TFN605"
severity = "warning"


def before(labels=((0.0, 1.0, 0.0),), x=((5.0, -3.0, 0.0),), axis=-1):
    return tf.nn.softmax_cross_entropy_with_logits(labels, tf.nn.softmax(x, axis=axis))


def rework(labels, x):
    return tf.nn.softmax_cross_entropy_with_logits(labels, x)


def before_sparse(labels=(1,), x=((5.0, -3.0, 0.0),), axis=-1):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.nn.softmax(x, axis=axis))


def rework_sparse(labels, x):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)


def before_sigmoid(labels=(0.0, 1.0), x=(5.0, -3.0)):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, tf.sigmoid(x))


def rework_sigmoid(labels, x):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, x)


def before_weighted(labels=(0.0, 1.0), x=(5.0, -3.0), weight=2.0):
    return tf.nn.weighted_cross_entropy_with_logits(labels, tf.sigmoid(x), weight)


def rework_weighted(labels, x, weight):
    return tf.nn.weighted_cross_entropy_with_logits(labels, x, weight)


def before_alignment(
    labels=((1,),), x=(((5.0, -3.0, 0.0),), ((-5.0, 3.0, 0.0),)), length=(1,), frames=(2,), blank=0, axis=-1
):
    return tf.nn.ctc_loss(labels, tf.nn.softmax(x, axis=axis), length, frames, blank_index=blank)


def rework_alignment(labels, x, length, frames, blank):
    return tf.nn.ctc_loss(labels, x, length, frames, blank_index=blank)


def before_alignment_of_batches(
    labels=((1,),), x=(((5.0, -3.0, 0.0), (-5.0, 3.0, 0.0)),), length=(1,), frames=(2,), blank=0, axis=-1
):
    return tf.nn.ctc_loss(
        labels, tf.nn.softmax(x, axis=axis), length, frames, logits_time_major=False, blank_index=blank
    )


def rework_alignment_of_batches(labels, x, length, frames, blank):
    return tf.nn.ctc_loss(labels, x, length, frames, logits_time_major=False, blank_index=blank)


def before_softmax(x=((5.0, -3.0, 0.0),), axis=-1):
    return tf.nn.softmax(tf.nn.softmax(x, axis=axis), axis=axis)


def rework_softmax(x, axis):
    return tf.nn.softmax(x, axis=axis)


def before_log_softmax(x=((5.0, -3.0, 0.0),), axis=-1):
    return tf.nn.log_softmax(tf.nn.softmax(x, axis=axis), axis=axis)


def rework_log_softmax(x, axis):
    return tf.nn.log_softmax(x, axis=axis)


def before_reshaped(y=((0.0, 1.0), (1.0, 0.0)), x=((5.0, -3.0, 0.0, 1.0),), shape=(2, 2)):
    return tf.keras.losses.categorical_crossentropy(y, tf.reshape(tf.nn.softmax(x), shape), from_logits=True)


def rework_reshaped(y, x, shape):
    return tf.keras.losses.categorical_crossentropy(y, tf.reshape(x, shape), from_logits=True)


def quiet_soft_labels(labels=((5.0, -3.0, 0.0),), x=((5.0, -3.0, 0.0),)):
    return tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(tf.stop_gradient(labels)), x)


def quiet_layer_between(x=((5.0, -3.0), (1.0, 2.0))):
    return tf.nn.softmax(tf.matmul(tf.nn.softmax(x), tf.transpose(x)))


def quiet_of_logits(labels=((0.0, 1.0, 0.0),), x=((5.0, -3.0, 0.0),)):
    return tf.nn.softmax_cross_entropy_with_logits(labels, x) + tf.reduce_sum(tf.nn.softmax(x))
