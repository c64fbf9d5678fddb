"""Names that say less than the uses: `theta` need not be a weight, and what is called initial is not 0 for that."""

import tensorflow as tf


def negative_binomial(y_true, y_pred, theta, eps=1e-10):
    theta = tf.minimum(theta, 1e6)
    first = tf.math.lgamma(theta + eps) + tf.math.lgamma(y_true + 1.0) - tf.math.lgamma(y_true + theta + eps)
    second = (theta + y_true) * tf.math.log(1.0 + y_pred / (theta + eps))
    return tf.reduce_mean(first + second + y_true * (tf.math.log(theta + eps) - tf.math.log(y_pred + eps)))


class Hedger(tf.keras.Model):
    @tf.function
    def expected_shortfall(self, init_spot):
        return tf.reduce_mean(self(init_spot)) / init_spot


class DriftedHedger(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.state = tf.Variable(0.0, trainable=False)

    @tf.function
    def expected_shortfall(self, spot):
        loss = tf.reduce_mean(self(spot)) / self.state  # HAZARD divide-by-zero
        self.state.assign(tf.reduce_mean(spot))
        return loss
