"""What nobody knows decides nothing: not the numbers of an unknown function, not one number of an input or a weight."""

import tensorflow as tf
from elsewhere import WIDTHS, features_of, scaled, statistics_of

GROWTH = WIDTHS[0]


def kernel_of_imported_widths(source, target):
    distance = tf.reduce_sum(tf.square(source[:, None] - target[None]), -1)
    return tf.exp(-distance * (1.0 / (2.0 * scaled(WIDTHS))))


def shifted_by_an_imported_number(x):
    return tf.nn.softplus(x + tf.math.log(GROWTH - 1.0))


def mean_of_what_an_unknown_function_selects(image):
    sizes = tf.cast(statistics_of(image), tf.float32)
    return tf.round(sizes * 0.5) / sizes


def unit_features(image):
    found = features_of(image)
    return found / tf.norm(found, axis=-1, keepdims=True)  # HAZARD divide-by-norm


def masked_mean_of_unknown_features(image, mask):
    found = scaled(statistics_of(image))
    return tf.reduce_sum(found * mask) / tf.reduce_sum(mask)  # HAZARD divide-by-mask-sum


def steps_of_a_grid(query, stride):
    scores = tf.matmul(query, query, transpose_b=True)
    return tf.nn.softmax(scores / stride)


class Normalised(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.scale = self.add_weight(name="scale", shape=(units,), initializer=scaled(units))

    def call(self, x):
        return x / self.scale
