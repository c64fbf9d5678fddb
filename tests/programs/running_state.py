"""State: moving averages, slots of optimisers, what metrics add up, counters, buffers."""

import tensorflow as tf
from tensorflow import keras


class Normalizer:
    def __init__(self):
        self.count = tf.Variable(0.0, trainable=False)
        self.total = tf.Variable(tf.zeros(3), trainable=False)

    def update(self, x):
        self.count.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
        self.total.assign_add(tf.reduce_sum(x, axis=0))

    def mean(self):
        return self.total / self.count, self.total / (self.count + 1e-6)  # HAZARD divide-by-zero


class Precision(keras.metrics.Metric):
    def __init__(self, name="precision", **kwargs):
        super().__init__(name=name, **kwargs)
        self.hits = self.add_weight(name="hits", initializer="zeros")
        self.found = self.add_weight(name="found", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        chosen = tf.cast(y_pred > 0.5, tf.float32)
        self.hits.assign_add(tf.reduce_sum(y_true * chosen))
        self.found.assign_add(tf.reduce_sum(chosen))

    def result(self):
        return self.hits / self.found  # POSSIBLE divide-by-zero


class SoundPrecision(Precision):
    def result(self):
        return tf.math.divide_no_nan(self.hits, self.found)


class RunningVariance(keras.layers.Layer):
    def build(self, shape):
        self.mean = self.add_weight(name="mean", shape=shape[-1:], initializer="zeros", trainable=False)
        self.variance = self.add_weight(name="variance", shape=shape[-1:], initializer="zeros", trainable=False)

    def call(self, x, training=None):
        if training:
            mean, variance = tf.nn.moments(x, axes=[0])
            self.mean.assign(0.9 * self.mean + 0.1 * mean)
            self.variance.assign(0.9 * self.variance + 0.1 * variance)
        sound = (x - self.mean) / tf.sqrt(self.variance + 1e-3)
        return (x - self.mean) / tf.sqrt(self.variance), sound  # HAZARD divide-by-root


class OwnAdam(keras.optimizers.Optimizer):
    def build(self, variables):
        self.velocities = [self.add_variable_from_reference(v, "velocity") for v in variables]

    def update_step(self, gradient, variable, learning_rate):
        velocity = self.velocities[self._get_variable_index(variable)]
        velocity.assign(0.9 * velocity + 0.1 * tf.square(gradient))
        variable.assign_sub(learning_rate * gradient / tf.sqrt(velocity))  # HAZARD divide-by-root
        variable.assign_sub(learning_rate * gradient / (tf.sqrt(velocity) + 1e-7))


class OldAdam(keras.optimizers.legacy.Optimizer):
    def _create_slots(self, variables):
        for variable in variables:
            self.add_slot(variable, "rms")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        rms = self.get_slot(var, "rms")
        rms.assign(0.9 * rms + 0.1 * tf.square(grad))
        sound = grad / (tf.sqrt(rms) + 1e-7)
        return var.assign_sub(grad / tf.sqrt(rms)), sound  # HAZARD divide-by-root


class Debiased:
    def __init__(self, decay=0.99):
        self.decay = decay
        self.step = tf.Variable(0.0, trainable=False)
        self.average = tf.Variable(0.0, trainable=False)

    def update(self, x):
        self.average.assign(self.decay * self.average + (1.0 - self.decay) * x)
        sound = self.average / (1.0 - tf.pow(self.decay, self.step + 1.0))
        unsound = self.average / (1.0 - tf.pow(self.decay, self.step))  # HAZARD divide-by-zero
        self.step.assign_add(1.0)
        return sound, unsound


class Confusion(keras.metrics.Metric):
    def __init__(self, classes=3):
        super().__init__()
        self.matrix = self.add_weight(name="matrix", shape=(classes, classes), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.matrix.assign_add(tf.math.confusion_matrix(y_true, tf.argmax(y_pred, -1), dtype=tf.float32))

    def result(self):
        diagonal = tf.linalg.diag_part(self.matrix)
        sound = diagonal / (tf.reduce_sum(self.matrix, axis=1) + 1e-6)
        return diagonal / tf.reduce_sum(self.matrix, axis=1), sound  # HAZARD divide-by-zero


class Counting:
    def __init__(self):
        self.seen = tf.Variable(0.0, trainable=False)

    def update(self, x):
        unsound = tf.reduce_sum(x) / self.seen  # HAZARD divide-by-zero
        self.seen.assign_add(1.0)
        return unsound, self._averaged(x)

    def _averaged(self, x):
        return tf.reduce_sum(x) / self.seen


class OwnAdagrad:
    def __init__(self, variables):
        self.variables = variables
        self.sums = [tf.Variable(tf.zeros([3])) for _ in range(2)]

    def step(self, grads):
        for variable, total, grad in zip(self.variables, self.sums, grads):
            total.assign_add(tf.square(grad))
            variable.assign_sub(0.1 * grad * tf.math.rsqrt(total + 1e-8))
            variable.assign_sub(0.1 * grad * tf.math.rsqrt(total))  # HAZARD divide-by-root


def conditionally(x, warm):
    seen = tf.Variable(0.0, trainable=False)
    if warm:
        seen.assign_add(1.0)
    return x / seen  # HAZARD divide-by-zero


class Whitened(tf.keras.layers.Layer):
    """The moving mean of the squares is never less than the square of the moving mean."""

    def __init__(self, channels):
        super().__init__()
        self.mean = tf.Variable(tf.zeros((channels,)), trainable=False)
        self.squares = tf.Variable(tf.zeros((channels,)), trainable=False)

    def move(self, variable, value):
        variable.assign(0.9 * variable + 0.1 * value)

    def call(self, x, training=None):
        mean, squares = tf.reduce_mean(x, axis=0), tf.reduce_mean(tf.square(x), axis=0)
        if training:
            self.move(self.mean, mean)
            self.move(self.squares, squares)
            return x - mean
        return (x - self.mean) / tf.sqrt(self.squares - tf.square(self.mean) + 1e-3)
