"""Tables of embeddings that are one table for a graph: concatenated, multiplied by its matrix, and split again."""

import tensorflow as tf


class Propagation:
    def __init__(self):
        self.users = tf.placeholder(tf.int32, shape=(None,))
        self.liked = tf.placeholder(tf.int32, shape=(None,))
        self.other = tf.placeholder(tf.int32, shape=(None,))
        initializer = tf.contrib.layers.xavier_initializer()
        self.weights = {"users": tf.Variable(initializer([10, 4])), "items": tf.Variable(initializer([20, 4]))}
        both = tf.concat([self.weights["users"], self.weights["items"]], axis=0)
        layers = [both]
        for _ in range(3):
            both = tf.sparse_tensor_dense_matmul(self.graph, both)
            layers += [tf.math.l2_normalize(both, axis=1)]
        users, items = tf.split(tf.concat(layers, 1), [10, 20], 0)
        user = tf.nn.embedding_lookup(users, self.users)
        liked, other = tf.nn.embedding_lookup(items, self.liked), tf.nn.embedding_lookup(items, self.other)
        self.loss = self.ranking_loss(user, liked, other) + self.sound_loss(user, liked, other)
        self.step = tf.train.AdamOptimizer(1e-3).minimize(self.loss)

    def ranking_loss(self, user, liked, other):
        margin = tf.reduce_sum(tf.multiply(user, liked), axis=1) - tf.reduce_sum(tf.multiply(user, other), axis=1)
        return -tf.reduce_mean(tf.log(tf.nn.sigmoid(margin)))  # HAZARD log-sigmoid

    def sound_loss(self, user, liked, other):
        margin = tf.reduce_sum(tf.multiply(user, liked), axis=1) - tf.reduce_sum(tf.multiply(user, other), axis=1)
        return -tf.reduce_mean(tf.math.log_sigmoid(margin))


class PropagationOfAnyNumber(Propagation):
    """The numbers of users and items come with the data."""

    def __init__(self, data, layers):
        self.users = tf.placeholder(tf.int32, shape=(None,))
        self.liked = tf.placeholder(tf.int32, shape=(None,))
        self.other = tf.placeholder(tf.int32, shape=(None,))
        self.data = data
        initializer = tf.contrib.layers.xavier_initializer()
        self.tables = [tf.Variable(initializer([10, 4])), tf.Variable(initializer([20, 4]))]
        both = tf.concat(self.tables, axis=0)
        kept = [both]
        for k in range(layers):
            both = tf.nn.leaky_relu(tf.matmul(both, self.tables["layer_%d" % k]))
            kept += [tf.math.l2_normalize(both, axis=1)]
        users, items = tf.split(tf.concat(kept, 1), [self.data.n_users, self.data.n_items], 0)
        user = tf.nn.embedding_lookup(users, self.users)
        liked, other = tf.nn.embedding_lookup(items, self.liked), tf.nn.embedding_lookup(items, self.other)
        self.loss = self.loss_of_any_number(user, liked, other) + self.sound_loss(user, liked, other)
        self.step = tf.train.AdamOptimizer(1e-3).minimize(self.loss)

    def loss_of_any_number(self, user, liked, other):
        margin = tf.reduce_sum(tf.multiply(user, liked), axis=1) - tf.reduce_sum(tf.multiply(user, other), axis=1)
        return -tf.reduce_mean(tf.log(tf.nn.sigmoid(margin)))  # HAZARD log-sigmoid
