"""a ReLU before a softmax removes every negative logit and its gradient

A softmax needs logits of both signs. A ReLU turns all negative ones into 0. If the logit of the right class is one of
them, its gradient is exactly 0: the model learns nothing from that example, and the unit stays dead. The last layer
before a softmax, or before a loss on logits, needs no activation.

https://stackoverflow.com/questions/37448557
"""
import tensorflow as tf

code = "TFN603"
dtypes = ("float32", "float64")
severity = "warning"


def before(x=((-1.0, -2.0, -3.0),), axis=-1):
    return tf.nn.softmax(tf.nn.relu(x), axis=axis)


def rework(x, axis):
    return tf.nn.softmax(x, axis=axis)


def before_log(x=((-1.0, -2.0, -3.0),), axis=-1):
    return tf.nn.log_softmax(tf.nn.relu(x), axis=axis)


def rework_log(x, axis):
    return tf.nn.log_softmax(x, axis=axis)


def before_loss(labels=((0.0, 1.0, 0.0),), x=((-1.0, -2.0, -3.0),), axis=-1):
    return tf.nn.softmax_cross_entropy_with_logits(labels, tf.nn.relu(x), axis=axis)


def rework_loss(labels, x, axis):
    return tf.nn.softmax_cross_entropy_with_logits(labels, x, axis=axis)


def before_sparse_loss(labels=(1,), x=((-1.0, -2.0, -3.0),)):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.nn.relu(x))


def rework_sparse_loss(labels, x):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)


def before_binary_loss(labels=(0.0,), x=(-1.0,)):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, tf.nn.relu(x))


def rework_binary_loss(labels, x):
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, x)


def before_keras_loss(labels=((0.0, 1.0, 0.0),), x=((-1.0, -2.0, -3.0),)):
    return tf.keras.losses.categorical_crossentropy(labels, tf.nn.relu(x), from_logits=True)


def rework_keras_loss(labels, x):
    return tf.keras.losses.categorical_crossentropy(labels, x, from_logits=True)


def before_sparse_keras_loss(labels=(1,), x=((-1.0, -2.0, -3.0),)):
    return tf.keras.losses.sparse_categorical_crossentropy(labels, tf.nn.relu(x), from_logits=True)


def rework_sparse_keras_loss(labels, x):
    return tf.keras.losses.sparse_categorical_crossentropy(labels, x, from_logits=True)


def before_binary_keras_loss(labels=((0.0,),), x=((-1.0,),)):
    return tf.keras.losses.binary_crossentropy(labels, tf.nn.relu(x), from_logits=True)


def rework_binary_keras_loss(labels, x):
    return tf.keras.losses.binary_crossentropy(labels, x, from_logits=True)


def quiet_layer_between(x=((-1.0, -2.0), (1.0, 2.0))):
    return tf.nn.softmax(tf.matmul(tf.nn.relu(x), tf.transpose(x)))


def quiet_leaky(x=(-1.0, -2.0, -3.0)):
    return tf.nn.softmax(tf.nn.leaky_relu(x))


def quiet_relu_after(x=(-1.0, -2.0, -3.0)):
    return tf.nn.relu(tf.nn.softmax(x))
