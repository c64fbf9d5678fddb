"""The last turn of a loop is known by its test: a network whose last layer has no activation, and one whose has."""

import tensorflow as tf

tf1 = tf.compat.v1


class Network:
    def __init__(self, config):
        self.config = config
        self.weights, self.biases = [], []
        for i in range(self.config.layers):
            self.weights.append(tf1.get_variable(f"w_{i}", [16, 16]))
            self.biases.append(tf1.get_variable(f"b_{i}", [16], initializer=tf.zeros_initializer()))
        self.inputs = tf1.placeholder(tf.float32, [None, 16])
        self.labels = tf1.placeholder(tf.float32, [None, 16])

    def train(self, scores):
        return tf1.train.AdamOptimizer().minimize(tf.reduce_mean(tf.square(self.labels - scores)))

    def sound(self):
        out = None
        for i in range(self.config.layers):
            out = tf.matmul(self.inputs if i == 0 else out, self.weights[i]) + self.biases[i]
            if i < self.config.layers - 1:
                out = tf.nn.relu(out)
        return self.train(tf.nn.softmax(out))

    def sound_counted_from_one(self):
        out = None
        for i in range(0, self.config.layers):
            out = tf.matmul(self.inputs if i == 0 else out, self.weights[i]) + self.biases[i]
            if self.config.layers != i + 1:
                out = tf.nn.relu(out)
        return self.train(tf.nn.softmax(out))

    def sound_enumerated(self, units):
        out = None
        for i, unit in enumerate(units):
            out = tf1.layers.dense(self.inputs if i == 0 else out, unit)
            out = out if i == len(units) - 1 else tf.nn.relu(out)
        return self.train(tf.nn.softmax(out))

    def unsound(self):
        out = None
        for i in range(self.config.layers):
            out = tf.matmul(self.inputs if i == 0 else out, self.weights[i]) + self.biases[i]
            if i == self.config.layers - 1:
                out = tf.nn.relu(out)
        return self.train(tf.nn.softmax(out))  # HAZARD softmax-of-relu

    def unsound_everywhere(self):
        out = None
        for i in range(self.config.layers):
            out = tf.matmul(self.inputs if i == 0 else out, self.weights[i]) + self.biases[i]
            if i < self.config.layers:
                out = tf.nn.relu(out)
        return self.train(tf.nn.softmax(out))  # HAZARD softmax-of-relu
