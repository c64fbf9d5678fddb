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
