"""The NaN patch as a script over a Sequential model, with `keras.ops`."""
import keras
import tensorflow as tf
from keras import ops

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
x = tf.constant([[1.0, float("nan")], [1.0, 2.0]])

with tf.GradientTape() as tape:
    y = net(x)
    y = ops.where(ops.isnan(y), ops.zeros_like(y), y)  # HAZARD nan-patched-late
    loss = tf.reduce_mean(tf.square(y))
grads = tape.gradient(loss, net.trainable_variables)

RESULT = [loss.numpy(), *[g.numpy() for g in grads]]

# TRAIL 12: 7 7 7 14
