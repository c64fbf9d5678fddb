"""What a loop decides in its last turn: the head of a network that a builder stacks, and what an episode has drawn."""

import tensorflow as tf
from tensorflow import keras


class Convolution(keras.layers.Layer):
    def __init__(self, units, activation=tf.nn.relu):
        super().__init__()
        self.units = units
        self.activation = activation

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[0][-1], self.units), name="kernel")

    def call(self, inputs):
        features, adjacency = inputs
        return self.activation(tf.matmul(tf.matmul(adjacency, features), self.kernel))


def builder(nodes, features, hidden=16, classes=3, layers=2, activation=tf.nn.relu):
    adjacency = keras.Input((nodes,))
    inputs = keras.Input((features,))
    h = inputs
    for i in range(layers):
        if i == layers - 1:
            activation = tf.nn.softmax
            hidden = classes
        h = Convolution(hidden, activation=activation)([h, adjacency])
    return keras.Model([inputs, adjacency], h)


def sound_training():
    model = builder(10, 10)
    model.compile("adam", loss="categorical_crossentropy")
    return model


def run_episode(model, state, steps):
    chosen = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for t in tf.range(steps):
        logits = model(tf.expand_dims(state, 0))
        action = tf.random.categorical(logits, 1)[0, 0]
        chosen = chosen.write(t, tf.nn.softmax(logits)[0, action])
        state = state + 1.0
    return chosen.stack()


def sound_loss_of_an_episode(state, returns):
    model = keras.Sequential([keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])
    chosen = run_episode(model, state, 5)
    return -tf.reduce_sum(tf.math.log(tf.expand_dims(chosen, 1)) * returns)
