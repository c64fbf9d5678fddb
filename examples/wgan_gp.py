"""A Wasserstein GAN with gradient penalty, cut down to the part that trains the critic. Its weights become NaN."""
import tensorflow as tf
from tensorflow import keras


class WGAN:
    def __init__(self, features=4, penalty=10.0):
        self.penalty = penalty
        self.critic = keras.Sequential(
            [
                keras.layers.Dense(32),
                keras.layers.LeakyReLU(),
                keras.layers.Dense(1, activation="tanh"),
            ]
        )
        self.optimizer = keras.optimizers.Adam(1e-4)

    def gradient_penalty(self, real, fake):
        alpha = tf.random.uniform([tf.shape(real)[0], 1])
        between = alpha * real + (1.0 - alpha) * fake
        with tf.GradientTape() as tape:
            tape.watch(between)
            scores = self.critic(between)
        grads = tape.gradient(scores, between)
        return tf.reduce_mean(tf.square(tf.norm(grads, axis=-1) - 1.0))

    def train_critic(self, real, fake):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(real))
            loss += self.penalty * self.gradient_penalty(real, fake)
        grads = tape.gradient(loss, self.critic.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.critic.trainable_variables))
        return loss


def reinforce_loss(logits, actions, rewards):
    probabilities = tf.nn.softmax(logits)
    chosen = tf.reduce_sum(actions * tf.math.log(probabilities), axis=-1)
    return -tf.reduce_mean(chosen * rewards)
