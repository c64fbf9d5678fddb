"""A conditional WGAN with gradient penalty on tabular data, in a class (TF 2, Keras)."""
import numpy as np
import tensorflow as tf
from tensorflow import keras


class ConditionalWGAN:
    def __init__(self, features=4, conditions=2, noise=3, penalty=10.0):
        self.noise = noise
        self.penalty = penalty
        self.features = features
        self.generator = self.build_generator(features, noise + conditions)
        self.critic = self.build_critic(features + conditions)
        self.critic_optimizer = keras.optimizers.SGD(1e-4)

    def build_generator(self, features, width):
        return keras.Sequential([keras.layers.Input((width,)), keras.layers.Dense(8), keras.layers.ReLU(), keras.layers.Dense(features)])

    def build_critic(self, width):
        return keras.Sequential(
            [
                keras.layers.Input((width,)),
                keras.layers.Dense(16, kernel_initializer="ones"),
                keras.layers.LeakyReLU(0.2),
                keras.layers.Dense(16, kernel_initializer="ones"),
                keras.layers.LeakyReLU(0.2),
                keras.layers.Dense(1, activation="tanh", kernel_initializer="ones"),
            ]
        )

    def gradient_penalty(self, real, fake, condition):
        alpha = tf.random.uniform([tf.shape(real)[0], 1])
        x_interpolated = alpha * real + (1.0 - alpha) * fake
        with tf.GradientTape() as gp_tape:
            gp_tape.watch(x_interpolated)
            scores = self.critic(tf.concat([x_interpolated, condition], axis=1))
        grads = gp_tape.gradient(scores, x_interpolated)
        grad_norms = tf.norm(grads, axis=-1)  # HAZARD norm-at-zero
        return tf.reduce_mean(tf.square(grad_norms - 1.0))

    def train_critic(self, real, condition):
        noise = tf.random.normal([tf.shape(real)[0], self.noise])
        fake = self.generator(tf.concat([noise, condition], axis=1))
        with tf.GradientTape() as tape:
            real_score = self.critic(tf.concat([real, condition], axis=1))
            fake_score = self.critic(tf.concat([fake, condition], axis=1))
            loss = tf.reduce_mean(fake_score) - tf.reduce_mean(real_score)
            loss += self.penalty * self.gradient_penalty(real, fake, condition)
        grads = tape.gradient(loss, self.critic.trainable_variables)
        self.critic_optimizer.apply_gradients(zip(grads, self.critic.trainable_variables))
        return loss


def main():
    keras.utils.set_random_seed(0)
    gan = ConditionalWGAN()
    real = tf.constant(np.full([6, 4], 3.0, np.float32))
    condition = tf.ones([6, 2])
    loss = gan.train_critic(real, condition)
    return [loss.numpy(), *[w.numpy() for w in gan.critic.trainable_variables]]


RESULT = main()

# TRAIL 38: 63 59 48 49
