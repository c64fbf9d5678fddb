"""Subscripts with masks: `x[mask]` holds the selected elements, and none of them where the mask selects nothing."""

import tensorflow as tf


def by_name(values, mask):
    return tf.reduce_mean(values[mask])  # HAZARD mean-of-nothing


def by_name_of_an_object(values, valid):
    chosen = values[tf.reshape(valid, [-1])]
    return tf.reduce_sum(chosen) / tf.cast(tf.size(chosen), tf.float32)  # HAZARD divide-by-zero


def by_type(values, selected):
    return tf.reduce_mean(values[tf.cast(selected, tf.bool)])  # HAZARD mean-of-nothing


def of_each_row(values, masks):
    def one(row):
        mask, x = row
        return tf.reduce_mean(x[mask])  # HAZARD mean-of-nothing

    return tf.map_fn(one, (masks, values), dtype=tf.float32)


def at_least_one(values, mask):
    chosen = values[mask]
    return tf.reduce_sum(chosen) / tf.maximum(tf.cast(tf.size(chosen), tf.float32), 1.0)


def by_positions(values, places):
    return tf.reduce_mean(values[places])


def of_a_masked_row(values, mask, row):
    return tf.reduce_mean(values[row]) + tf.reduce_sum(values[mask])
