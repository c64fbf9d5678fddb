"""What is known of labels and of draws: a row of labels has one class, and what has probability 0 is not drawn."""

import tensorflow as tf
import tensorflow_probability as tfp


class Scaled(tf.keras.losses.Loss):
    def __init__(self):
        super().__init__()
        self.scale = tf.Variable(16.0, trainable=False)

    def call(self, y_true, scores):
        others = tf.where(tf.cast(y_true, tf.bool), tf.zeros_like(scores), 0.1 + tf.nn.softplus(scores))
        self.scale.assign(tf.math.log(tf.reduce_mean(tf.reduce_sum(others, axis=1))))
        return tf.keras.losses.categorical_crossentropy(y_true, scores * self.scale, from_logits=True)


class Policy(tf.keras.Model):
    def __init__(self, n):
        super().__init__()
        self.out = tf.keras.layers.Dense(n, activation="softmax")

    def sample(self, observed):
        policy = tfp.distributions.Categorical(probs=self.out(observed))
        action = policy.sample()
        return action, policy.log_prob(action)

    def log_prob(self, observed, action):
        return tfp.distributions.Categorical(probs=self.out(observed)).log_prob(action)  # HAZARD log-softmax


def penalized(model, loss, factor=0.0):
    with tf.GradientTape() as tape:
        total = loss(model)
        if factor != 0:
            lengths = [tf.sqrt(tf.reduce_sum(tf.square(w))) for w in model.trainable_variables]  # HAZARD sqrt-at-zero
            total += factor * tf.reduce_sum(lengths)
    return tape.gradient(total, model.trainable_variables)
