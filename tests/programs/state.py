"""State: what a metric adds up, what a variable is assigned, weights with initializers, what a test evaluates."""

import tensorflow as tf
from tensorflow import keras


class LogLoss(keras.metrics.Metric):
    def __init__(self):
        super().__init__()
        self.total = self.add_weight(name="total", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        p = tf.nn.softmax(y_pred)
        self.total.assign_add(tf.reduce_sum(tf.math.log(p)))  # HAZARD log-softmax
        self.total.assign_add(tf.reduce_sum(tf.math.log(p + 1e-6)))
        self.count.assign_add(1.0)

    def result(self):
        return self.total / (self.count + 1.0)


class Averaged:
    def __init__(self):
        self.average = tf.Variable(0.5, trainable=False)

    def update(self, x):
        self.average.assign(0.9 * self.average + 0.1 * tf.math.log(tf.nn.softmax(x)))  # HAZARD log-softmax

    def update_soundly(self, x):
        self.average.assign_sub(0.1 * (self.average - tf.math.log(tf.nn.softmax(x) + 1e-6)))


class TestLosses(tf.test.TestCase):
    def check(self, x):
        p = self.evaluate(tf.nn.softmax(x))
        return tf.math.log(p), tf.math.log(p + 1e-6)  # HAZARD log-softmax


class Spectra:
    """What `__init__` gives an attribute is not what it has once a method has stored another."""

    def __init__(self):
        self.size = (0, 0)
        self.count = 0

    def normalised(self, x):
        rows, columns = self.size
        return x / tf.sqrt(float(rows * columns)) / float(self.count)

    def of(self, images):
        self.size = (images.shape[1], images.shape[2])
        self.count = images.shape[0]
        return self.normalised(images)
