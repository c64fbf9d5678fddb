"""Settings with defaults: arguments of a command, flags, tables that another one updates, what is handed to a function."""

import argparse

import tensorflow as tf
from absl import flags

parser = argparse.ArgumentParser()
parser.add_argument("--eps", type=float, default=0.0)
parser.add_argument("-f", "--floor-of-all", type=float, default=1e-6)
parser.add_argument("--free", type=float)
args = parser.parse_args()
flags.DEFINE_float("eps", 0.0, "added to probabilities")
floor = flags.DEFINE_float("floor", 1e-6, "added to probabilities")
FLAGS = flags.FLAGS
DEFAULTS = {"eps": 0.0, "floor": 1e-6}


def by_arguments(x):
    p = tf.nn.softmax(x)
    sound = tf.math.log(p + args.floor_of_all)
    return tf.math.log(p + args.eps), sound, tf.math.log(p + args.free)  # HAZARD log-reaches-zero


def by_flags(x):
    p = tf.nn.softmax(x)
    sound = tf.math.log(p + FLAGS.floor), tf.math.log(p + floor.value)
    return tf.math.log(p + FLAGS.eps), sound  # HAZARD log-reaches-zero


def by_table(x, config=None):
    config = {**DEFAULTS, **(config or {})}
    p = tf.nn.softmax(x)
    return tf.math.log(p + config["eps"]), tf.math.log(p + config["floor"])  # HAZARD log-reaches-zero


def handed_on(options, x):
    p = tf.nn.softmax(x)
    return tf.math.log(p + options.eps), tf.math.log(p + options.floor)  # HAZARD log-reaches-zero


def main(x):
    inner = argparse.ArgumentParser()
    group = inner.add_argument_group("numbers")
    group.add_argument("--eps", default=0.0)
    group.add_argument("--floor", default=1e-6)
    options, rest = inner.parse_known_args()
    return handed_on(options, x), rest
