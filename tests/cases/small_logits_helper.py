"""The clip that comes too late, in helper functions (TF 2)."""
import tensorflow as tf

w = tf.Variable([[-1.0, 2.0], [-1.0, 2.0]])


def activations(x):
    return tf.nn.relu(tf.matmul(x, w))


def to_logits(a):
    return tf.clip_by_value(tf.math.log(a), -15.0, 15.0)  # HAZARD log-clipped-late log-relu


def main():
    x = tf.ones([3, 2])
    with tf.GradientTape() as tape:
        probabilities = tf.nn.softmax(to_logits(activations(x)))
        loss = -tf.reduce_mean(probabilities[:, 1])
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return [w.numpy(), loss.numpy()]


RESULT = main()

# TRAIL 12: 8 24 18
# TRAIL 12: 8 24 18 20
