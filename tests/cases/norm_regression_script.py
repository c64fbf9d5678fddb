"""The masked regression as one notebook-style script."""
import tensorflow as tf

# %% data
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
y = tf.constant([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])
mask = tf.linalg.diag([0.0, 1.0, 0.0])

# %% model
w = tf.Variable(tf.ones([2, 3]))

# %% training
for step in range(3):
    with tf.GradientTape() as tape:
        diff = y - tf.matmul(tf.matmul(x, w), mask)
        lengths = tf.sqrt(tf.reduce_sum(diff**2, axis=0))  # HAZARD sqrt-at-zero
        loss = tf.reduce_mean(lengths)
    (g,) = tape.gradient(loss, [w])
    w.assign_sub(0.01 * g)

# %% report
RESULT = [w.numpy(), loss.numpy()]

# TRAIL 16: 18
