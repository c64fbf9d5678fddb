"""A tape that a script opens itself runs eagerly: no graph optimiser moves an epsilon there."""

import numpy as np
import tensorflow as tf

net = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="sigmoid")])
opt = tf.keras.optimizers.Adam()


def loss_of(p):
    return -tf.reduce_mean(tf.math.log(1.0 - p + 1e-10))


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(tf.math.log(1.0 - net(x) + 1e-10))  # HAZARD epsilon-reassociated
    return tape.gradient(loss, net.trainable_variables)


for x in np.load("batches.npy"):
    with tf.GradientTape() as tape:
        loss = loss_of(net(x))
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    step(x)
