"""The NaN patch at the end of a subclassed model (TF 2)."""
import tensorflow as tf


class Regressor(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(8, activation="relu")
        self.out = tf.keras.layers.Dense(1)

    def call(self, inputs):
        y = self.out(self.hidden(inputs))
        return tf.where(tf.math.is_nan(y), 0.0, y)  # HAZARD nan-patched-late


def main():
    tf.keras.utils.set_random_seed(0)
    model = Regressor()
    x = tf.constant([[1.0, float("nan")], [1.0, 2.0]])
    y = tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(y - model(x)))
    grads = tape.gradient(loss, model.trainable_variables)
    return [loss.numpy(), *[g.numpy() for g in grads]]


RESULT = main()

# TRAIL 13: 8 8 9 27 22 23
