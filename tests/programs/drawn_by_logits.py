"""What is drawn by NaN is meaningless; a logit of -inf is never drawn, which may be meant."""

import tensorflow as tf


class Policy(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(32, activation="relu")
        self.scores = tf.keras.layers.Dense(5)

    def call(self, inputs):
        return self.scores(self.hidden(inputs))


class Agent:
    def __init__(self):
        self.policy = Policy()

    def act(self, observation):
        scores = self.policy.predict_on_batch(observation)
        return tf.random.categorical(tf.math.log(scores), num_samples=1)  # HAZARD log-below-zero

    def act_by_scores(self, observation):
        return tf.random.categorical(self.policy(observation), num_samples=1)

    def act_by_shares(self, observation):
        shares = tf.nn.softmax(self.policy(observation))
        return tf.random.categorical(tf.math.log(shares), num_samples=1)
