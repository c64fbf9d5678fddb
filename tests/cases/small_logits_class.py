"""Logits as the log of energies, in a layer (TF 2)."""
import tensorflow as tf


class EnergyHead(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units
        self.project = tf.keras.layers.Dense(4 * units, kernel_initializer="zeros")

    def call(self, inputs):
        frames = tf.reshape(self.project(inputs), [-1, self.units, 4])
        energy = tf.reduce_sum(tf.square(frames), axis=-1)
        return tf.math.log(energy)  # HAZARD log-reaches-zero


def main():
    head = EnergyHead(6)
    x = tf.ones([2, 5])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.softmax(head(x))[:, 0])
    grads = tape.gradient(loss, head.trainable_variables)
    return [loss.numpy(), *[g.numpy() for g in grads]]


RESULT = main()

# TRAIL 14: 13 26 21
