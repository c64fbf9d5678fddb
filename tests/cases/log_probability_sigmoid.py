"""A binary cross-entropy by hand over a sigmoid, in a tape (TF 2)."""
import tensorflow as tf

w = tf.Variable([[40.0], [40.0]])


def loss_fn(labels, features):
    logits = tf.matmul(features, w)
    p = tf.sigmoid(logits)
    return -tf.reduce_mean(labels * tf.math.log(p) + (1.0 - labels) * tf.math.log(1.0 - p))  # HAZARD log-sigmoid log-one-minus-sigmoid


def main():
    features = tf.constant([[1.0, 2.0], [-1.0, -2.0]])
    labels = tf.constant([[1.0], [0.0]])
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, features)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return [w.numpy(), loss.numpy()]


RESULT = main()

# TRAIL 10: 9 22 17
