"""One condition chooses several functions: each gets what was chosen together with it, and nothing else."""

import tensorflow as tf


def divergence(name):
    if name == "kl":

        def activation(v):
            return v

        def conjugate(t):
            return tf.exp(tf.minimum(t, 30.0) - 1)

    elif name == "reverse kl":

        def activation(v):
            return -1.0 - tf.nn.softplus(-v)

        def conjugate(t):
            return -1 - tf.math.log(-t)

    elif name == "pearson":

        def activation(v):
            return v

        def conjugate(t):
            return 0.25 * t * t + t

    elif name == "bounded":

        def activation(v):
            return tf.tanh(v)

        def conjugate(t):
            return tf.math.log(2 - t)

    else:

        def activation(v):
            return tf.sigmoid(v)

        def conjugate(t):
            return tf.math.log(1 - t)  # HAZARD log-one-minus-sigmoid

    return activation, conjugate


def losses(name):
    activation, conjugate = divergence(name)

    def discriminator_loss(real_logits, fake_logits):
        return tf.reduce_mean(conjugate(activation(fake_logits))) - tf.reduce_mean(activation(real_logits))

    return discriminator_loss


def chosen_with_a_value(logits, bounded):
    if bounded:
        scores, link = tf.tanh(logits), lambda t: tf.math.log(2 - t)
    else:
        scores, link = tf.abs(logits), lambda t: tf.math.log(1 + t)
    return tf.reduce_mean(link(scores))


class Configured:
    """The activation and the loss are chosen in two places: which belong together is in the configuration."""

    def __init__(self, config):
        inputs = tf.keras.Input((8,))
        hidden = tf.keras.layers.Dense(1)(inputs)
        if config.activation == "softplus":
            hidden = tf.nn.softplus(hidden)
        elif config.activation == "sigmoid":
            hidden = tf.nn.sigmoid(hidden)
        self.model = tf.keras.Model(inputs, tf.keras.layers.Average()([hidden, hidden[:, ::-1]]))
        if config.label == "counts":
            loss = tf.keras.losses.Poisson()
        else:
            loss = tf.keras.losses.BinaryCrossentropy()
        self.model.compile(loss=loss, optimizer="adam")


class OneHead:
    def __init__(self, label):
        inputs = tf.keras.Input((8,))
        self.model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
        loss = tf.keras.losses.Poisson() if label == "counts" else tf.keras.losses.BinaryCrossentropy()
        self.model.compile(loss=loss, optimizer="adam")  # HAZARD poisson-below-zero logits-as-probabilities
