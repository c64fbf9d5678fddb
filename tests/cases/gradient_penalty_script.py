"""The gradient penalty in one cell after another (notebook style, TF 2)."""
import tensorflow as tf
from tensorflow.keras import layers

critic = tf.keras.Sequential([layers.Input((3,)), layers.Dense(1, activation="tanh", kernel_initializer=tf.keras.initializers.Constant(9.0))])
optimizer = tf.keras.optimizers.Adam(1e-4)

real, fake = tf.constant([[1.0, 2.0, 3.0]]), tf.constant([[3.0, 2.0, 1.0]])
for step in range(2):
    mixed = 0.5 * real + 0.5 * fake
    with tf.GradientTape() as tape:
        with tf.GradientTape() as gp_tape:
            gp_tape.watch(mixed)
            scores = critic(mixed, training=True)
        slopes = gp_tape.gradient(scores, [mixed])[0]
        norm = tf.norm(slopes, axis=1)  # HAZARD norm-at-zero
        loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * tf.reduce_mean((norm - 1.0) ** 2)
    gradients = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(gradients, critic.trainable_variables))

RESULT = [w.numpy() for w in critic.trainable_variables]

# TRAIL 16: 18
