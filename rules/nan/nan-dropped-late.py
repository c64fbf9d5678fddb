"""masking NaN after trainable layers hides it; the weights still become NaN

Dropping the elements that are not finite stops the NaN in the forward pass only. In the backward pass the dropped
elements get a gradient of 0, which is multiplied by the NaN in the layer. 0 * NaN is NaN, so one bad example makes
every weight NaN. Clean the inputs before the first layer, or repair the op that produces the NaN.

https://github.com/keras-team/keras/pull/18829
https://github.com/keras-team/keras/pull/592
https://github.com/ragulpr/wtte-rnn/issues/50
https://github.com/ecmwf/WeatherGenerator/issues/2723
https://stackoverflow.com/questions/46292835
"""
import tensorflow as tf

from tfnanlint.template import differentiated, downstream

code = "TFN1203"
modes = ("eager", "graph")


def before(x: differentiated = ((1e999, -1e999), (1.0, 2.0))):
    y = downstream(tf.keras.layers.Dense(1, kernel_initializer="ones")(x))
    return tf.boolean_mask(y, tf.math.is_finite(y))


def before_with_is_nan_negated(x: differentiated = ((1e999, -1e999), (1.0, 2.0))):
    w = tf.Variable(((1.0,), (1.0,)))
    y = downstream(tf.matmul(x, w))
    return tf.boolean_mask(y, tf.logical_not(tf.math.is_nan(y)))


def quiet_inputs_dropped(x=((1e999, 1.0), (1.0, 2.0))):
    w = tf.Variable(((1.0,), (1.0,)))
    return tf.matmul(tf.boolean_mask(x, tf.reduce_all(tf.math.is_finite(x), axis=-1)), w)
