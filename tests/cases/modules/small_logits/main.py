"""Logits as the log of activations that a module beside it computes and clips too late (TF 2)."""
import tensorflow as tf
import heads

w = tf.Variable([[-1.0, 2.0], [-1.0, 2.0]])


def main():
    x = tf.ones([3, 2])
    with tf.GradientTape() as tape:
        probabilities = tf.nn.softmax(heads.clipped_logits(tf.matmul(x, w)))
        loss = -tf.reduce_mean(probabilities[:, 1])
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return [w.numpy(), loss.numpy()]


RESULT = main()

# TRAIL heads.py:7: heads.py:6 17 11
# TRAIL heads.py:7: heads.py:6 17 11 13
