"""A softmax over the edges of each node of a graph: its exponentials are added up by segments."""

import tensorflow as tf


def attention_of_edges(energies, targets, nodes):
    grown = tf.exp(energies)
    total = tf.math.unsorted_segment_sum(grown, targets, nodes)
    return grown / tf.gather(total, targets)  # HAZARD softmax-by-hand


def sound_attention_of_edges(energies, targets, nodes):
    highest = tf.math.unsorted_segment_max(energies, targets, nodes)
    grown = tf.exp(energies - tf.gather(highest, targets))
    total = tf.math.unsorted_segment_sum(grown, targets, nodes)
    return grown / tf.gather(total, targets)


def attention_of_pairs(s, targets, nodes):
    grown = tf.exp(s)  # POSSIBLE exp-overflow
    return grown / tf.gather(tf.math.segment_sum(grown, targets), targets)  # POSSIBLE divide-by-zero


def sound_attention_of_pairs(s, targets, nodes):
    grown = tf.exp(tf.clip_by_value(s, -20.0, 20.0))
    return grown / tf.gather(tf.math.segment_sum(grown, targets), targets)
