"""What distributions and bijectors compute is differentiated by whoever trains with them."""

import tensorflow as tf
import tensorflow_probability as tfp


class Extreme(tfp.bijectors.Bijector):
    def __init__(self, concentration=0):
        super().__init__(forward_min_event_ndims=0)
        self.concentration = concentration

    def _forward(self, x):
        concentration = tf.convert_to_tensor(self.concentration)
        tail = tf.exp(-tf.math.log1p(x * concentration) / concentration)  # HAZARD divide-by-zero
        return tf.where(tf.equal(concentration, 0.0), tf.nn.softplus(-x), tail)


class ExtremeChosenEarly(tfp.bijectors.Bijector):
    def __init__(self, concentration=0):
        super().__init__(forward_min_event_ndims=0)
        self.concentration = concentration

    def _forward(self, x):
        concentration = tf.convert_to_tensor(self.concentration)
        is_zero = tf.equal(concentration, 0.0)
        safe = tf.where(is_zero, 1.0, concentration)
        tail = tf.exp(-tf.math.log1p(tf.square(x) * safe) / safe)
        return tf.where(is_zero, tf.nn.softplus(-x), tail)


class Outcomes(tfp.distributions.Distribution):
    def __init__(self, logits):
        self.logits = logits

    def _entropy(self):
        probs = tf.nn.softmax(self.logits)
        return -tf.reduce_sum(tf.math.multiply_no_nan(tf.math.log(probs), probs), -1)  # HAZARD log-softmax

    def _mode(self):
        return tf.argmax(self.logits, -1)


class OutcomesByLogits(tfp.distributions.Distribution):
    def __init__(self, logits):
        self.logits = logits

    def _entropy(self):
        log_probs = tf.nn.log_softmax(self.logits)
        return -tf.reduce_sum(tf.exp(log_probs) * log_probs, -1)


def weight_of_a_row(x, raw):
    weights = tfp.distributions.Normal(tf.zeros(3), tf.nn.softplus(raw) + 1e-3)
    spread = tf.sqrt(tf.matmul(tf.square(tf.nn.relu(x)), tf.linalg.diag(weights.variance())))
    bad = tfp.distributions.Normal(x, spread).kl_divergence(tfp.distributions.Normal(0.0, 1.0))  # HAZARD log-reaches-zero
    return bad + tfp.distributions.kl_divergence(tfp.distributions.Normal(x, spread + 1e-3), weights)


def likelihood_of_counts(x, counts):
    rate = tf.nn.softmax(x)
    bad = tfp.distributions.Poisson(rate * tf.reduce_sum(counts, -1, keepdims=True)).log_prob(counts)  # HAZARD log-reaches-zero
    return bad + tfp.distributions.Poisson(rate + 1e-6).log_prob(counts)


def likelihood_of_amounts(x, amount_loss):
    location, scale = x, tf.nn.softplus(x) + 1e-3
    bad = tfp.distributions.LogNormal(location, scale).log_prob(tf.nn.relu(amount_loss))  # HAZARD log-relu
    return bad + tfp.distributions.LogNormal(location, scale).log_prob(tf.nn.relu(amount_loss) + 1e-3)


def spread_by_its_name(raw, y):
    normal = tfp.distributions.Normal(0.0, tf.nn.relu(raw))
    kept = tfp.distributions.Normal(0.0, tf.nn.relu(raw) + 1e-3)
    return y / normal.scale + y / normal.stddev() + y / kept.scale + y / kept.stddev()  # HAZARD divide-by-zero


def overlap_loss(labels, predictions):
    mean, variance = tf.nn.moments(predictions * labels, axes=[0])
    between = tfp.distributions.Normal(loc=mean, scale=tf.sqrt(variance))
    return 1.0 - between.cdf(0.0)  # HAZARD divide-by-root


def sound_overlap_loss(labels, predictions):
    mean, variance = tf.nn.moments(predictions * labels, axes=[0])
    between = tfp.distributions.Normal(loc=mean, scale=tf.sqrt(variance + 1e-6))
    return 1.0 - between.cdf(0.0)


def censored(x, y):
    loc, raw = tf.unstack(tf.keras.layers.Dense(2)(x), axis=-1)
    level = tfp.distributions.Normal(loc, 0.1 + tf.nn.softplus(raw))
    lost = tf.math.log(level.survival_function(5.0))  # HAZARD log-reaches-zero
    return tf.reduce_mean(lost) + tf.reduce_mean(level.log_prob(y) + level.log_survival_function(5.0))


def amount_loss(x, rain):
    shape = 0.01 + tf.nn.softplus(tf.keras.layers.Dense(1)(x))
    amount = tfp.distributions.Gamma(concentration=shape, rate=1.0)
    wet = tf.cast(rain > 0.0, tf.float32)
    lost = amount.log_prob(rain) * wet  # HAZARD xlogy-at-zero
    return tf.reduce_mean(lost + amount.log_prob(tf.where(rain > 0.0, rain, 1.0)) * wet)


class Policy(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.mean, self.deviation = tf.keras.layers.Dense(2), tf.keras.layers.Dense(2, activation="softplus")

    def call(self, x):
        drawn = tfp.distributions.Normal(self.mean(x), self.deviation(x) + 1e-3).sample()
        return tf.math.log(1.0 - tf.square(tf.tanh(drawn)))  # HAZARD log-one-minus-tanh-squared


class SoundPolicy(Policy):
    def call(self, x):
        drawn = tfp.distributions.Normal(self.mean(x), self.deviation(x) + 1e-3).sample()
        return 2.0 * (0.6931472 - drawn - tf.math.softplus(-2.0 * drawn))


class Kernel:
    def __init__(self, lengths):
        start = tf.math.log(tf.math.expm1(tf.maximum(lengths, 0.1)))
        self.lengths = tf.Variable(start, name="lengths")

    def scaled(self, x):
        return x / tf.nn.softplus(self.lengths)

    def scaled_by_any_number(self, x):
        return x / tf.nn.relu(self.lengths)  # HAZARD divide-by-zero
