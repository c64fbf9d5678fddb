"""Patterns 115 to 125: losses that are given what they are not made for."""

import keras
import tensorflow as tf


@pattern(115, "double-softmax-with-logits", x=((5.0, -3.0, 0.0),), y=((0.0, 1.0, 0.0),))
def softmax_twice_loss(x, y):
    return tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=tf.nn.softmax(x))  # hazard


@pattern(115, "double-softmax-with-logits", x=((5.0, -3.0, 0.0),), y=(1,))
def sparse_softmax_twice_loss(x, y):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.nn.softmax(x))  # hazard


@pattern(115, "double-softmax-with-logits", x=(5.0, -3.0), y=(0.0, 1.0))
def sigmoid_twice_loss(x, y):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=tf.nn.sigmoid(x))  # hazard


@pattern(115, "double-softmax-with-logits", x=((5.0, -3.0, 0.0),))
def softmax_of_softmax(x):
    return tf.nn.softmax(tf.nn.softmax(x))  # hazard


@pattern(116, "from-logits-true-after-softmax", x=((5.0, -3.0, 0.0, 1.0),), y=((0.0, 1.0), (1.0, 0.0)))
def reshaped_probabilities_loss(x, y):
    p = tf.reshape(tf.nn.softmax(x), (2, 2))
    return tf.keras.losses.categorical_crossentropy(y, p, from_logits=True)  # hazard


@pattern(117, "logits-with-from-logits-false", only="source")
def logits_compiled():
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(3)])
    model.compile("adam", loss="sparse_categorical_crossentropy")  # hazard
    return model


@pattern(117, "logits-with-from-logits-false", only="source")
def logits_compiled_with_an_object():
    model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(3)])
    model.compile("adam", loss=tf.keras.losses.CategoricalCrossentropy())  # hazard
    return model


@pattern(117, "logits-with-from-logits-false", x=((1.0, 2.0),), y=((0.0, 1.0, 0.0),))
def logits_as_probabilities_loss(x, y):
    logits = tf.keras.layers.Dense(3)(x)
    return tf.keras.losses.categorical_crossentropy(y, logits)  # hazard


@pattern(118, "softmax-single-unit", x=((1.0, 2.0),))
def single_unit_loss(x):
    return tf.keras.layers.Dense(1, activation="softmax")(x)  # hazard


@pattern(119, "relu-before-softmax-or-loss", x=((-1.0, -2.0, -3.0),))
def softmax_of_relu(x):
    return tf.nn.softmax(tf.nn.relu(x))  # hazard


@pattern(119, "relu-before-softmax-or-loss", x=((1.0, 2.0),), y=((0.0, 1.0, 0.0),))
def relu_layer_before_loss(x, y):
    h = tf.keras.layers.Dense(3, activation="relu")(x)
    return tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=h)  # hazard


@pattern(120, "wrong-range-into-crossentropy", x=((1.0, 2.0),), y=((0.0,),))
def tanh_as_probability_loss(x, y):
    p = tf.keras.layers.Dense(1, activation="tanh")(x)
    return tf.keras.losses.binary_crossentropy(y, p)  # hazard


@pattern(120, "wrong-range-into-crossentropy", only="source")
def relu_as_probability():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation="relu")])
    model.compile("adam", loss="binary_crossentropy")  # hazard
    return model


@pattern(121, "label-out-of-range-xla", x=((1.0, 2.0, 3.0),), y=(-1,))
def ignored_label_loss(x, y):
    labels = tf.where(y > 0, y, -1)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)  # hazard


@pattern(122, "ctc-infeasible-alignment",
         why="whether a label is longer than its frames depends on the data; the loss of 711 is finite")
def long_label_loss():
    labels, logits = tf.constant([[1, 2, 1, 2, 1]]), tf.zeros((3, 1, 4))
    return tf.nn.ctc_loss(labels, logits, tf.constant([5]), tf.constant([3]))


@pattern(123, "ctc-on-probabilities", x=(((1.0, 2.0, 3.0),), ((1.0, 2.0, 3.0),)), y=((1,),))
def probabilities_into_ctc_loss(x, y):
    return tf.nn.ctc_loss(y, tf.nn.softmax(x), tf.constant([1]), tf.constant([2]))  # hazard


@pattern(124, "log-probability-misuse", x=((1.0, 2.0, 3.0),))
def log_of_log_softmax(x):
    return tf.math.log(tf.nn.log_softmax(x))  # hazard


@pattern(124, "log-probability-misuse", x=((1.0, 2.0, 3.0),), y=((0.0, 1.0, 0.0),))
def log_probabilities_as_probabilities_loss(x, y):
    return tf.keras.losses.categorical_crossentropy(y, tf.nn.log_softmax(x))  # hazard


@pattern(125, "negative-prediction-domain", x=((-20.0, 2.0),), y=((1.0, 2.0),))
def poisson_of_tanh_loss(x, y):
    return tf.keras.losses.poisson(y, tf.tanh(x))  # hazard


@pattern(125, "negative-prediction-domain", x=((1.0, 2.0),), y=((1.0, 2.0),))
def squared_logarithmic_loss(x, y):
    p = 2.0 * tf.tanh(tf.keras.layers.Dense(2)(x))
    return tf.square(tf.math.log1p(p) - tf.math.log1p(y))  # hazard
