"""a loss that expects probabilities gets logits: Keras clips them, and their gradient is 0

Keras clips probabilities to [1e-7, 1 - 1e-7]. A logit outside that interval is stuck at a loss of 16.1 with a gradient
of exactly 0. The model learns hardly anything, and no warning is printed. Pass `from_logits=True`, or end the model
with the activation.
"""
import tensorflow as tf

from tfnanlint.template import below, logits

code = "TFN803"
severity = "warning"


def before(y=((0.0, 1.0),), x: logits = ((3.0, -2.0),)):
    return tf.keras.losses.categorical_crossentropy(y, x)


def rework(y, x):
    return tf.keras.losses.categorical_crossentropy(y, x, from_logits=True)


def before_sparse(y=(1,), x: logits = ((3.0, -2.0),)):
    return tf.keras.losses.sparse_categorical_crossentropy(y, x)


def rework_sparse(y, x):
    return tf.keras.losses.sparse_categorical_crossentropy(y, x, from_logits=True)


def before_binary(y=((0.0, 1.0),), x: logits = ((3.0, -2.0),)):
    return tf.keras.losses.binary_crossentropy(y, x)


def rework_binary(y, x):
    return tf.keras.losses.binary_crossentropy(y, x, from_logits=True)


def before_negative(y=((0.0, 1.0),), x: below(-1e-3) = ((-3.0, -2.0),)):
    return tf.keras.losses.categorical_crossentropy(y, x)


def rework_negative(y, x):
    return tf.keras.losses.categorical_crossentropy(y, x, from_logits=True)


def before_binary_negative(y=((0.0, 1.0),), x: below(-1e-3) = ((-3.0, -2.0),)):
    return tf.keras.losses.binary_crossentropy(y, x)


def rework_binary_negative(y, x):
    return tf.keras.losses.binary_crossentropy(y, x, from_logits=True)


def before_relu(y=((0.0, 1.0),), x=((3.0, -2.0),)):
    return tf.keras.losses.binary_crossentropy(y, tf.nn.relu(x))


def rework_relu(y, x):
    return tf.keras.losses.binary_crossentropy(y, tf.sigmoid(x))


def before_relu_categorical(y=((0.0, 1.0),), x=((-3.0, -2.0),)):
    return tf.keras.losses.categorical_crossentropy(y, tf.nn.relu(x))


def rework_relu_categorical(y, x):
    return tf.keras.losses.categorical_crossentropy(y, tf.nn.softmax(x))


def quiet_from_logits(y=((0.0, 1.0),), x=((3.0, -2.0),)):
    h = tf.keras.layers.Dense(2)(x)
    return tf.keras.losses.categorical_crossentropy(y, h, from_logits=True)


def quiet_behind_a_softmax(y=((0.0, 1.0),), x=((3.0, -2.0),)):
    h = tf.keras.layers.Dense(2, activation="softmax")(x)
    return tf.keras.losses.categorical_crossentropy(y, h)


def quiet_behind_a_sigmoid(y=((0.0, 1.0),), x=((3.0, -2.0),)):
    return tf.keras.losses.binary_crossentropy(y, tf.sigmoid(tf.keras.layers.Dense(2)(x)))
