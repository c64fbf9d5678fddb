"""A bin of a metric that nothing falls into has a count of 0."""

import tensorflow as tf
from tensorflow import keras


class CalibrationError(keras.metrics.Metric):
    def __init__(self, bins=10, name="ece", **kwargs):
        super().__init__(name=name, **kwargs)
        self.bins = bins
        for key in ("count", "correct"):
            setattr(self, key, self.add_weight(name=key, shape=(bins,), initializer="zeros"))

    def update_state(self, y_true, y_pred, sample_weight=None):
        confidence = tf.reduce_max(y_pred, axis=-1)
        hit = tf.cast(tf.equal(tf.argmax(y_pred, axis=-1), tf.cast(y_true, tf.int64)), tf.float32)
        place = tf.clip_by_value(tf.cast(tf.floor(confidence * self.bins), tf.int32), 0, self.bins - 1)
        self.count.assign_add(tf.math.unsorted_segment_sum(tf.ones_like(hit), place, self.bins))
        self.correct.assign_add(tf.math.unsorted_segment_sum(hit, place, self.bins))

    def result(self):
        return tf.reduce_mean(self.correct / self.count)  # HAZARD divide-by-zero


class SoundCalibrationError(CalibrationError):
    def result(self):
        return tf.reduce_mean(tf.math.divide_no_nan(self.correct, self.count))
