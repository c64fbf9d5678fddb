"""Reinforcement learning: policy gradients, entropies, PPO ratios, normalised advantages, squashed Gaussians."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

policy = tf.keras.Sequential([layers.Dense(64, activation="tanh"), layers.Dense(4, activation="softmax")])
actor = tf.keras.Sequential([layers.Dense(64, activation="tanh"), layers.Dense(4)])
optimizer = tf.keras.optimizers.Adam()


def reinforce(states, actions, returns):
    with tf.GradientTape() as tape:
        probs = policy(states)
        chosen = tf.reduce_sum(probs * tf.one_hot(actions, 4), axis=1)
        loss = -tf.reduce_mean(tf.math.log(chosen) * returns)  # HAZARD log-softmax
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))


def sound_reinforce(states, actions, returns):
    with tf.GradientTape() as tape:
        logits = actor(states)
        nll = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
        entropy = -tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), axis=1)
        loss = tf.reduce_mean(nll * returns - 0.01 * entropy)
    return tape.gradient(loss, actor.trainable_variables)


def gathered(states, actions, returns):
    with tf.GradientTape() as tape:
        probs = policy(states)
        indices = tf.stack([tf.range(tf.shape(actions)[0]), actions], axis=1)
        chosen = tf.gather_nd(probs, indices)
        loss = -tf.reduce_mean(tf.math.log(chosen) * returns)  # HAZARD log-reaches-zero
    return tape.gradient(loss, policy.trainable_variables)


def entropy_bonus(states):
    with tf.GradientTape() as tape:
        p = policy(states)
        loss = tf.reduce_mean(tf.reduce_sum(p * tf.math.log(p), axis=1))  # HAZARD log-times-argument
    return tape.gradient(loss, policy.trainable_variables)


def ppo(states, actions, old_log_probs, advantages, clip=0.2):
    with tf.GradientTape() as tape:
        log_probs = tf.reduce_sum(tf.nn.log_softmax(actor(states)) * tf.one_hot(actions, 4), axis=1)
        ratio = tf.exp(log_probs - old_log_probs)
        clipped = tf.clip_by_value(ratio, 1.0 - clip, 1.0 + clip)
        loss = -tf.reduce_mean(tf.minimum(ratio * advantages, clipped * advantages))
    return tape.gradient(loss, actor.trainable_variables)


def normalise(advantages):
    return (advantages - tf.reduce_mean(advantages)) / tf.math.reduce_std(advantages)  # HAZARD divide-by-std


def sound_normalise(advantages):
    return (advantages - tf.reduce_mean(advantages)) / (tf.math.reduce_std(advantages) + 1e-8)


class SquashedGaussian(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.trunk = layers.Dense(64, activation="relu")
        self.mean = layers.Dense(2)
        self.log_std = layers.Dense(2)

    def call(self, states):
        h = self.trunk(states)
        mean = self.mean(h)
        log_std = tf.clip_by_value(self.log_std(h), -20, 2)
        std = tf.exp(log_std)
        u = mean + std * tf.random.normal(tf.shape(mean))
        a = tf.tanh(u)
        log_prob = -0.5 * (((u - mean) / std) ** 2 + 2 * log_std + np.log(2 * np.pi))
        bad = log_prob - tf.math.log(1 - a**2)  # MISSED log-reaches-zero  # FALSE log-one-minus-tanh-squared
        good = log_prob - tf.math.log(1 - a**2 + 1e-6)
        best = log_prob - 2 * (np.log(2.0) - u - tf.nn.softplus(-2 * u))
        return a, bad, good, best


def kl_of_policies(old, new):
    p, q = tf.nn.softmax(old), tf.nn.softmax(new)
    return tf.reduce_sum(p * tf.math.log(p / q))  # HAZARD log-softmax


def sound_kl(old, new):
    return tf.reduce_sum(tf.nn.softmax(old) * (tf.nn.log_softmax(old) - tf.nn.log_softmax(new)))


def huber(target, q_values, actions):
    with tf.GradientTape() as tape:
        q = tf.reduce_sum(actor(q_values) * tf.one_hot(actions, 4), axis=1)
        error = target - q
        loss = tf.where(tf.abs(error) < 1.0, 0.5 * tf.square(error), tf.abs(error) - 0.5)
        other = tf.reduce_mean(tf.sqrt(1.0 + tf.square(error)) - 1.0)
    return tape.gradient(tf.reduce_mean(loss) + other, actor.trainable_variables)


def sound_share_of_detached_advantages(network, observations, rewards, log_ratio):
    advantages = rewards - network(observations).numpy()
    scaled = (advantages - tf.reduce_mean(advantages)) / (tf.math.reduce_std(advantages) + 1e-8)
    loss = -tf.reduce_mean(log_ratio * scaled)
    return loss
