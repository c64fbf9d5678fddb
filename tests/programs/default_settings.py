"""Settings by their defaults, and the branches that they decide."""

import argparse
from types import SimpleNamespace

import numpy as np
import tensorflow as tf
from absl import flags
from tensorflow.keras import backend as K

parser = argparse.ArgumentParser()
parser.add_argument("--smooth", action="store_true")
parser.add_argument("--plain", action="store_false")
parser.add_argument("--floor", type=float, default=0.0)
args = parser.parse_args()
flags.DEFINE_bool("smoothed", False, "whether probabilities are smoothed")
flags.DEFINE_float("floored", 0.0, "added to probabilities")
FLAGS = flags.FLAGS
EPS = 0.0
SOUND = 1e-6
CONFIG = dict(eps=0.0, sound=1e-6, smooth=False)
NAMESPACE = SimpleNamespace(eps=0.0, sound=1e-6)


class Settings:
    eps = 0.0
    sound = 1e-6
    smooth = False


def by_a_default(x, smooth=False):
    h = tf.nn.softmax(x)
    if smooth:
        h = h + 1e-6
    return tf.math.log(h)  # HAZARD log-reaches-zero


def by_a_true_default(x, smooth=True):
    h = tf.nn.softmax(x)
    if smooth:
        h = h + 1e-6
    return tf.math.log(h)


def by_a_floor(x, floor=0.0):
    h = tf.nn.softmax(x)
    if floor:
        h = tf.maximum(h, floor)
    return tf.math.log(h)  # HAZARD log-reaches-zero


def by_no_floor(x, floor=None):
    h = tf.nn.softmax(x)
    if floor is not None:
        h = tf.maximum(h, floor)
    return tf.math.log(h)  # HAZARD log-reaches-zero


def by_a_switch(x):
    h = tf.nn.softmax(x)
    if args.smooth:
        h = h + 1e-6
    return tf.math.log(h)  # HAZARD log-reaches-zero


def by_a_number(x):
    h = tf.nn.softmax(x)
    if args.floor > 0:
        h = h + args.floor
    return tf.math.log(h)  # HAZARD log-softmax


def by_a_flag(x):
    h = tf.nn.softmax(x)
    if FLAGS.smoothed:
        h = h + 1e-6
    return tf.math.log(h), tf.math.log(h + FLAGS.floored)  # HAZARD log-reaches-zero


def by_constants(x):
    h = tf.nn.softmax(x)
    return tf.math.log(h + EPS), tf.math.log(h + SOUND)  # HAZARD log-reaches-zero


def by_a_table(x):
    h = tf.nn.softmax(x)
    if CONFIG["smooth"]:
        h = h + 1e-6
    return tf.math.log(h + CONFIG["eps"]), tf.math.log(h + CONFIG["sound"])  # HAZARD log-reaches-zero


def by_get(x, config={"eps": 0.0}):
    h = tf.nn.softmax(x)
    return tf.math.log(h + config.get("eps", 1e-6)), tf.math.log(h + config.get("sound", 1e-6))  # HAZARD log-reaches-zero


def by_a_namespace(x):
    h = tf.nn.softmax(x)
    return tf.math.log(h + NAMESPACE.eps), tf.math.log(h + NAMESPACE.sound)  # HAZARD log-reaches-zero


def by_a_class(x):
    h = tf.nn.softmax(x)
    if Settings.smooth:
        h = h + 1e-6
    return tf.math.log(h + Settings.eps), tf.math.log(h + Settings.sound)  # HAZARD log-reaches-zero


class Chosen:
    def __init__(self, smooth=False, eps=0.0, from_logits=True):
        self.smooth = smooth
        self.eps = eps
        self.from_logits = from_logits

    def run(self, x):
        h = tf.nn.softmax(x)
        if self.smooth:
            h = h + 1e-6
        return tf.math.log(h)  # HAZARD log-reaches-zero

    def by_logits(self, x):
        h = tf.nn.softmax(x) if self.from_logits else x + 1e-6
        return tf.math.log(h)  # HAZARD log-reaches-zero

    def by_eps(self, x):
        h = tf.nn.softmax(x)
        return tf.math.log(h + self.eps), tf.math.log(h + 1e-6)  # HAZARD log-reaches-zero


def by_keywords(x, **kwargs):
    h = tf.nn.softmax(x)
    eps = kwargs.pop("eps", 1e-6)
    return tf.math.log(h), tf.math.log(h + eps)  # HAZARD log-softmax


def called_without(x):
    return smoothed_on_demand(x)


def smoothed_on_demand(x, smooth=False):
    h = tf.nn.softmax(x)
    if smooth:
        h += 1e-6
    return tf.math.log(h)  # HAZARD log-softmax


def smoothed(x, smooth=False):
    h = tf.nn.softmax(x)
    if smooth:
        h += 1e-6
    return tf.math.log(h)


def called_with(x):
    return smoothed(x, smooth=True)


def overlap(y_true, y_pred, alpha=0.5, const=K.epsilon()):
    truth, predicted = tf.reshape(y_true, [-1]), tf.reshape(y_pred, [-1])
    hit = tf.reduce_sum(truth * predicted)
    missed = tf.reduce_sum(truth * (1 - predicted))
    invented = tf.reduce_sum((1 - truth) * predicted)
    return (hit + const) / (hit + alpha * missed + (1 - alpha) * invented + const)


def focal_overlap_loss(y_true, y_pred, gamma=4 / 3):
    y_pred = tf.squeeze(tf.convert_to_tensor(y_pred))
    y_true = tf.squeeze(tf.cast(y_true, y_pred.dtype))
    return tf.pow(1 - overlap(y_true, y_pred), 1 / gamma)  # HAZARD pow-at-zero


def focal_overlap_loss_of_positive(y_true, y_pred, gamma=4 / 3):
    y_pred = tf.squeeze(tf.convert_to_tensor(y_pred))
    y_true = tf.squeeze(tf.cast(y_true, y_pred.dtype))
    return tf.pow(1 - overlap(y_true, y_pred) + 1e-6, 1 / gamma)


def norm_of_order(x, order=np.inf):
    if order == np.inf:
        return tf.reduce_max(tf.abs(x))
    return tf.reduce_sum(tf.abs(x)) / tf.reduce_max(tf.abs(x))  # HAZARD divide-by-zero
