"""The gradient penalty in a Keras model's own `train_step`, with `keras.ops`."""
import keras
import tensorflow as tf
from keras import ops


class WGAN(keras.Model):
    def __init__(self):
        super().__init__()
        self.critic = keras.Sequential(
            [keras.layers.Input((3,)), keras.layers.Dense(1, activation="tanh", kernel_initializer=keras.initializers.Constant(9.0))]
        )

    def penalty(self, images):
        with tf.GradientTape() as gp_tape:
            gp_tape.watch(images)
            pred = self.critic(images, training=True)
        grads = gp_tape.gradient(pred, [images])[0]
        norm = ops.sqrt(ops.sum(ops.square(grads), axis=[1]))  # HAZARD sqrt-at-zero
        return ops.mean((norm - 1.0) ** 2)

    def train_step(self, images):
        with tf.GradientTape() as tape:
            loss = 10.0 * self.penalty(images)
        grads = tape.gradient(loss, self.critic.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.critic.trainable_variables))
        return {"loss": loss}


def main():
    model = WGAN()
    model.compile(optimizer=keras.optimizers.SGD(0.1))
    model.fit(tf.data.Dataset.from_tensors(tf.constant([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])), verbose=0)
    return [w.numpy() for w in model.critic.trainable_variables]


RESULT = main()

# TRAIL 19: 37 33 24 25
