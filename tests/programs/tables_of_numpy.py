"""Tables over the steps from 0 that NumPy computes: it divides by 0 without an error, where Python raises one."""

import numpy as np
import tensorflow as tf


class TableSchedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, table):
        self.table = tf.constant(table)

    def __call__(self, step):
        last = tf.size(self.table) - 1
        return tf.gather(self.table, tf.minimum(tf.cast(step, tf.int32), last))


def inverse_root_table(peak, total_steps):
    steps = np.arange(total_steps, dtype=np.float64)
    return (peak * steps**-0.5).astype(np.float32)  # HAZARD divide-by-root


def inverse_root_table_from_one(peak, total_steps):
    steps = np.arange(1, total_steps + 1, dtype=np.float64)
    return (peak * steps**-0.5).astype(np.float32)


def harmonic_table(peak, total_steps):
    return peak / np.arange(total_steps)  # HAZARD divide-by-zero


def harmonic_table_from_one(peak, total_steps):
    return peak / (np.arange(total_steps) + 1)


def numbers_of_python(peak, total_steps):
    return [peak / step for step in range(total_steps)]


def optimizers(total_steps):
    return [
        tf.keras.optimizers.Adam(TableSchedule(table))
        for table in (
            inverse_root_table(1e-3, total_steps),
            inverse_root_table_from_one(1e-3, total_steps),
            harmonic_table(1e-3, total_steps),
            harmonic_table_from_one(1e-3, total_steps),
            numbers_of_python(1e-3, total_steps),
        )
    ]
