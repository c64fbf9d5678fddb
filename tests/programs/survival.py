"""Survival models: a batch in which nobody had the event has nothing to average over."""

import tensorflow as tf

network = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="selu"), tf.keras.layers.Dense(1)])


def log_risk_set(log_risk, durations):
    at_risk = durations[None, :] >= durations[:, None]
    return tf.reduce_logsumexp(tf.where(at_risk, log_risk[None, :], -1e9), axis=1)


def cox_loss(durations, events, log_risk):
    per_event = log_risk - log_risk_set(log_risk, durations)
    return -tf.reduce_sum(per_event * events) / tf.reduce_sum(events)  # HAZARD divide-by-zero


def cox_loss_of_at_least_one(durations, events, log_risk):
    per_event = log_risk - log_risk_set(log_risk, durations)
    return -tf.reduce_sum(per_event * events) / tf.maximum(tf.reduce_sum(events), 1.0)


def train(dataset, optimizer):
    for covariates, durations, events in dataset.batch(16):
        with tf.GradientTape() as tape:
            log_risk = tf.reshape(network(covariates), [-1])
            loss = cox_loss(durations, events, log_risk) + cox_loss_of_at_least_one(durations, events, log_risk)
        gradients = tape.gradient(loss, network.trainable_variables)
        optimizer.apply_gradients(zip(gradients, network.trainable_variables))
