"""Logits from counts that may be zero, in a notebook-style script (TF 2)."""
import tensorflow as tf

# %% features
words = tf.constant([[1.0, -1.0, 2.0], [3.0, -1.0, -2.0]])
scale = tf.Variable([1.0, 1.0, 1.0])

# %% one step
with tf.GradientTape() as tape:
    counts = tf.reduce_sum(tf.nn.relu(words * scale), axis=0)
    logits = tf.math.log(counts)  # HAZARD log-reaches-zero
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=tf.ones([3]) / 3.0, logits=logits))
gradient = tape.gradient(loss, scale)

RESULT = [loss.numpy(), gradient.numpy()]

# TRAIL 11: 10
