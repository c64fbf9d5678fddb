"""Records of which some fields are replaced, values that are repeated, and batches whose entries have other names."""

import dataclasses
from itertools import repeat

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Config:
    floor: float = 0.0
    scale: float = 2.0


unfloored = dataclasses.replace(Config(floor=1e-6), floor=0.0)
floored = dataclasses.replace(Config(), floor=1e-6)


def without_a_floor(x):
    return tf.math.log(tf.nn.relu(x) + unfloored.floor)  # HAZARD log-reaches-zero


def with_a_floor(x):
    return tf.math.log(tf.nn.relu(x) + floored.floor)


def repeated(x):
    first, second = tuple(repeat(tf.nn.relu(x), 2))
    return tf.math.log(first + 1.0) + tf.math.log(second)  # HAZARD log-relu


def entropy(p):
    return -(p * tf.math.log(p) + (1.0 - p) * tf.math.log(1.0 - p))  # HAZARD log-times-argument


def normalised(labels, logits):
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(loss) / entropy(tf.reduce_mean(labels))


fed = {"click": tf.compat.v1.placeholder(tf.float32, [None], "click")}
score = normalised(fed["click"], tf.keras.layers.Dense(1)(tf.keras.Input((3,)))[:, 0])
