"""What stands between the features and the softmax."""
import tensorflow as tf


def clipped_logits(features):
    activations = tf.nn.relu(features)
    return tf.clip_by_value(tf.math.log(activations), -15.0, 15.0)  # HAZARD log-clipped-late log-relu


def bounded_logits(features):
    activations = tf.nn.relu(features)
    return tf.math.log(tf.clip_by_value(activations, 1e-6, 1e6))
