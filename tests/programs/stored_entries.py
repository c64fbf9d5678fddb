"""What a program stores in a dictionary that it is given is what it reads there; the other entries stay."""

import tensorflow as tf


def predicted(batch, model):
    batch["probability"] = tf.nn.softmax(model(batch["image"]))
    return -tf.reduce_mean(batch["onehot"] * tf.math.log(batch["probability"]))  # HAZARD log-softmax


def predicted_safely(batch, model):
    batch["probability"] = tf.nn.softmax(model(batch["image"])) + 1e-7
    return -tf.reduce_mean(batch["onehot"] * tf.math.log(batch["probability"]))


def _score(features):
    return tf.math.log(features["activation"])  # HAZARD log-relu


def read_by_a_helper(features, weights):
    features["activation"] = tf.nn.relu(features["x"] * weights)
    return tf.reduce_sum(_score(features))


def stored_in_one_arm(batch, rectify=False):
    if rectify:
        batch["activation"] = tf.nn.relu(batch["activation"])
    else:
        batch["activation"] = tf.nn.softplus(batch["activation"]) + 1.0
    return tf.reduce_sum(tf.math.log(batch["activation"]))  # HAZARD log-reaches-zero


class Trainer:
    def __init__(self, options):
        self.options = options
        self.options["every"] = max(self.options["every"], 1)

    def is_due(self, step):
        return step % self.options["every"] == 0 and step % self.options["pause"] == 0

    def rescale(self, x):
        self.options["width"] = tf.nn.relu(tf.reduce_max(x)) + 1.0
        return x / self.options["width"]


def train(model, dataset, settings):
    settings["steps"] = settings["epochs"] * len(dataset)
    for batch in dataset:
        step = model.train(batch).step.numpy()
        if step % settings["every"] == 0:
            model.save()
    return tf.constant(0.0)
