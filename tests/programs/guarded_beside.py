"""A metric that guards one quotient of its masks, and not the other."""

import tensorflow as tf


def overlap_metrics(found, wanted):
    found = tf.cast(found > 128, tf.float32)
    wanted = tf.cast(wanted > 128, tf.float32)
    dice = 2.0 * tf.reduce_sum(found * wanted, axis=-1) / (  # HAZARD divide-by-overlap
        tf.reduce_sum(found, axis=-1) + tf.reduce_sum(wanted, axis=-1)
    )
    union = tf.reduce_sum(tf.maximum(found, wanted), axis=-1)
    return dice, tf.reduce_sum(found * wanted, axis=-1) / tf.maximum(0.01, union)


def sound_overlap_metrics(found, wanted):
    found = tf.cast(found > 128, tf.float32)
    wanted = tf.cast(wanted > 128, tf.float32)
    both = tf.reduce_sum(found * wanted, axis=-1)
    union = tf.reduce_sum(tf.maximum(found, wanted), axis=-1)
    return 2.0 * both / (both + union + 0.01), both / tf.maximum(0.01, union)
