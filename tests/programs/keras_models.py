"""Keras models of every kind, activations in every writing."""

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def activations(x):
    by_name = layers.Dense(3, activation="softmax")(x)
    by_position = layers.Dense(3, "softmax")(x)
    by_function = layers.Dense(3, activation=tf.nn.softmax)(x)
    by_keras = layers.Dense(3, activation=keras.activations.softmax)(x)
    by_object = layers.Dense(3, activation=layers.Softmax())(x)
    by_layer = layers.Activation("softmax")(layers.Dense(3)(x))
    by_activation_layer = layers.Softmax()(layers.Dense(3)(x))
    by_get = layers.Dense(3, activation=keras.activations.get("softmax"))(x)
    return [
        tf.math.log(by_name),  # HAZARD log-softmax
        tf.math.log(by_position),  # HAZARD log-softmax
        tf.math.log(by_function),  # HAZARD log-softmax
        tf.math.log(by_keras),  # HAZARD log-softmax
        tf.math.log(by_object),  # HAZARD log-softmax
        tf.math.log(by_layer),  # HAZARD log-softmax
        tf.math.log(by_activation_layer),  # HAZARD log-softmax
        tf.math.log(by_get),  # HAZARD log-softmax
        tf.math.log(layers.Dense(3, activation="softplus")(x) + 1.0),
        tf.math.log(layers.Dense(3, activation=lambda v: tf.exp(tf.clip_by_value(v, -10.0, 10.0)))(x)),
    ]


def functional():
    inputs = keras.Input((4,))
    h = layers.Dense(8, activation="relu")(inputs)
    p = layers.Dense(3, activation="softmax")(h)
    logs = layers.Lambda(lambda t: tf.math.log(t))(p)  # HAZARD log-softmax
    sound = layers.Lambda(lambda t: tf.math.log(t + 1e-6))(p)
    by_name = layers.Lambda(tf.math.log)(p)  # HAZARD log-softmax
    return keras.Model(inputs, [logs, sound, by_name])


def nested_functional(x):
    inputs = keras.Input((4,))
    encoder = keras.Model(inputs, layers.Dense(3, activation="sigmoid")(inputs))
    return tf.math.log(encoder(x)), tf.math.log(encoder(x) + 1e-6)  # HAZARD log-sigmoid


def rescaled_functional(x):
    inputs = keras.Input((4,))
    pixels = layers.Rescaling(1.0 / 127.5, offset=-1.0)(inputs)
    encoder = keras.Model(inputs, layers.Dense(3, activation="sigmoid")(pixels))
    return tf.math.log(encoder(x)), tf.math.log(encoder(x) + 1e-6)  # HAZARD log-sigmoid


def keyword_functional(x):
    inputs = keras.Input((4,))
    encoder = keras.Model(inputs=inputs, outputs={"p": layers.Dense(3, activation="sigmoid")(inputs)})
    return tf.math.log(encoder(x)["p"])  # HAZARD log-sigmoid


def sequential(x):
    model = keras.Sequential()
    model.add(layers.Dense(3))
    model.add(layers.Activation(tf.nn.sigmoid))
    return tf.math.log(model(x)), tf.math.log(model(x) + 1e-6)  # HAZARD log-sigmoid


def listed(x):
    model = keras.Sequential([layers.Dense(3), layers.Dense(3, "relu"), layers.Softmax()])  # HAZARD softmax-of-relu
    return tf.math.log(model(x, training=True) + 1e-6)


class Head(layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = layers.Dense(3, activation="softmax")

    def call(self, inputs):
        return self.dense(inputs)


class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.head = Head()
        self.drop = layers.Dropout(0.5)
        self.blocks = [layers.Dense(3, activation="sigmoid") for _ in range(3)]
        self.pipe = keras.Sequential([layers.Dense(3), layers.Dense(3, activation="sigmoid")])

    def call(self, inputs, training=False):
        p = self.drop(self.head(inputs), training=training)
        h = inputs
        for block in self.blocks:
            h = block(h)
        return [
            tf.math.log(p),  # HAZARD log-reaches-zero
            tf.math.log(p + 1e-6),
            tf.math.log(h),  # MISSED log-reaches-zero  # FALSE log-sigmoid
            tf.math.log(self.pipe(inputs)),  # HAZARD log-sigmoid
        ]


def multi_headed(x):
    shared = layers.Dense(8, activation="relu")(x)
    merged = layers.Concatenate()([layers.Dense(3, activation="sigmoid")(shared), layers.Dense(2, activation="sigmoid")(shared)])
    added = layers.Add()([tf.sigmoid(shared), tf.sigmoid(shared)])
    times = layers.Multiply()([tf.sigmoid(shared), tf.sigmoid(shared)])
    mean = layers.GlobalAveragePooling1D()(tf.nn.relu(x) + 1e-6)
    return tf.math.log(merged), tf.math.log(added + 1e-6), tf.math.log(times + 1e-6), tf.math.log(mean)  # HAZARD log-reaches-zero
