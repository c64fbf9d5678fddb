"""a Poisson loss of a negative prediction is NaN

The loss takes the log of the prediction. Keras adds 1e-7 to it, which protects against 0 but not against negative
numbers. End the model with a softplus or an exponential.
"""
import tensorflow as tf

from tfnanlint.template import below, logits

code = "TFN804"


def before(y=((1.0, 2.0),), p: below(-1e-3) = ((-1.0, 2.0),)):
    return tf.keras.losses.poisson(y, p)


def rework(y, p):
    return tf.keras.losses.poisson(y, tf.nn.softplus(p))


def before_linear(y=((1.0, 2.0),), p: logits = ((-1.0, 2.0),)):
    return tf.keras.losses.poisson(y, p)


def quiet_softplus(y=((1.0, 2.0),), p=((-1.0, 2.0),)):
    return tf.keras.losses.poisson(y, tf.nn.softplus(p))
