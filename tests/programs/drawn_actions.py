"""An action that is drawn by a probability does not have the probability 0."""

import numpy as np
import tensorflow.compat.v1 as tf


class DrawnByItself:
    def __init__(self, session, states, actions, rewards):
        self.session, self.states = session, states
        hidden = tf.layers.dense(states, 20, activation=tf.nn.relu)
        self.probabilities = tf.layers.dense(hidden, 4, activation=tf.nn.softmax)
        likelihood = tf.log(self.probabilities[0, actions])
        self.train = tf.train.AdamOptimizer(0.01).minimize(-tf.reduce_mean(likelihood * rewards))

    def act(self, state):
        shares = self.session.run(self.probabilities, {self.states: state})
        return np.random.choice(np.arange(4), p=shares.ravel())
