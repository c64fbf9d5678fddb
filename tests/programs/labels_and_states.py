"""Labels of one class each, other numbers among labels, and what a variable is assigned."""

import tensorflow as tf
from absl import flags

FLAGS = flags.FLAGS
flags.DEFINE_integer("log_every", 0, "Steps between two lines of the log; 0 chooses it")


def shares_of_classes(onehot_labels):
    """Each example has a class, so that their number is not 0."""
    counts = tf.reduce_sum(onehot_labels, axis=0)
    return counts / tf.reduce_sum(counts)


def shares_of_tags(labels):
    """Examples may have no tag at all."""
    counts = tf.reduce_sum(labels, axis=0)
    return counts / tf.reduce_sum(counts)  # HAZARD divide-by-zero


def scaled_translation(y_true, y_pred):
    """The last number of the labels is the factor by which the image was resized."""
    scale = y_true[0, 0, -1]
    return tf.reduce_mean(tf.abs(y_true[..., :3] - y_pred / scale))


def relative_error(y_true, y_pred):
    return tf.reduce_mean(tf.abs(y_true - y_pred) / y_true)  # HAZARD divide-by-zero


class AdaptiveScale(tf.keras.losses.Loss):
    """No gradient comes through an assignment: the cosine of 1 harms the scale's value alone if it exceeds 1."""

    def __init__(self, classes):
        super().__init__()
        self.scale = tf.Variable(tf.sqrt(2.0) * tf.math.log(classes - 1.0), trainable=False)

    def call(self, y_true, y_pred):
        angle = tf.acos(tf.clip_by_value(tf.reduce_max(y_pred, axis=-1), -1.0, 1.0))
        self.scale.assign(2.0 + tf.reduce_mean(angle))
        return tf.nn.softmax_cross_entropy_with_logits(y_true, self.scale * y_pred)


class MovedScale(AdaptiveScale):
    def call(self, y_true, y_pred):
        angle = tf.acos(tf.clip_by_value(tf.reduce_max(y_pred, axis=-1), -1.0, 1.0))
        self.scale.assign_add(tf.reduce_mean(angle))
        return tf.nn.softmax_cross_entropy_with_logits(y_true, self.scale * y_pred)


class AdaptiveScaleWithGradient(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        angle = tf.acos(tf.clip_by_value(tf.reduce_max(y_pred, axis=-1), -1.0, 1.0))  # HAZARD inverse-sine-at-one
        scale = 2.0 + tf.reduce_mean(angle)
        return tf.nn.softmax_cross_entropy_with_logits(y_true, scale * y_pred)


def train(steps, values):
    if FLAGS.log_every == 0:
        FLAGS.log_every = steps // 10
    for step in range(steps):
        if step % FLAGS.log_every == 0:
            print(tf.reduce_mean(values))


class Cloning:
    """Actions are counted from the least one that the specification allows."""

    def loss(self, experience, logits):
        def one_loss(action, scores, spec):
            return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action - spec.minimum, logits=scores)

        return tf.nest.map_structure(one_loss, experience.action, logits, self.action_spec)
