"""A tape in a method of a file that traces nothing runs eagerly, where no graph optimiser moves an epsilon."""

import tensorflow as tf


class Policy(tf.keras.Model):
    def __init__(self, actions):
        super().__init__()
        self.mean = tf.keras.layers.Dense(actions)

    def call(self, states):
        action = tf.tanh(self.mean(states))
        return action, tf.reduce_sum(tf.math.log(1 - action**2 + 1e-16), axis=1)


class Agent:
    def __init__(self, actions):
        self.policy = Policy(actions)
        self.optimizer = tf.keras.optimizers.Adam(3e-4)

    def act(self, state):
        action, _ = self.policy(state[None])
        return action[0]

    def train(self, states, values):
        with tf.GradientTape() as tape:
            action, log_density = self.policy(states)
            loss = tf.reduce_mean(log_density - tf.math.log(tf.sigmoid(values * action[:, 0])))  # HAZARD log-sigmoid
        gradients = tape.gradient(loss, self.policy.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.policy.trainable_variables))
