"""Updates of variables in graphs of TensorFlow 1, and branches that are decided by the same setting."""

import tensorflow.compat.v1 as tf


class Debiased:
    def __init__(self):
        self.decay = tf.Variable(initial_value=1.0, trainable=False)
        self.mean = tf.Variable(initial_value=0.0, trainable=False)

    def after_update(self, x):
        mean = tf.assign(self.mean, 0.9 * self.mean + 0.1 * x)
        decay = tf.assign(self.decay, self.decay * 0.9)
        with tf.control_dependencies([mean, decay]):
            return self.mean.read_value() / (1.0 - self.decay.read_value())

    def in_a_group(self, x):
        update = tf.group(tf.assign(self.mean, 0.9 * self.mean + 0.1 * x), tf.assign(self.decay, self.decay * 0.9))
        with tf.control_dependencies([update]):
            return tf.identity(self.mean) / (1.0 - self.decay)

    def before_update(self, x):
        value = self.mean / (1.0 - self.decay)  # HAZARD divide-by-zero
        return value, tf.assign(self.decay, self.decay * 0.9), tf.assign(self.mean, 0.9 * self.mean + 0.1 * x)


class Share:
    def __init__(self, classes):
        self.average = tf.Variable(tf.ones([8, classes]) / classes, trainable=False)
        self.given = tf.Variable(load(classes), trainable=False)

    def __call__(self):
        share = tf.reduce_mean(self.average, axis=0)
        return share / tf.reduce_sum(share) + self.given / tf.reduce_sum(self.given)

    def update(self, x):
        return tf.assign(self.average, tf.concat([self.average[1:], [x]], axis=0)), tf.assign(self.given, x)


class Copy:
    def __init__(self, args, x, y):
        outputs = []
        for _ in range(args.steps):
            output = tf.layers.dense(x, 5)
            if args.labels == "one_hot":
                output = tf.nn.softmax(output)
            elif args.labels == "many_hot":
                output = tf.sigmoid(output)
            outputs.append(output)
        output = tf.stack(outputs, axis=1)
        if args.labels == "one_hot":
            self.loss = -tf.reduce_mean(y * tf.log(output + 1e-8))
        elif args.labels == "many_hot":
            self.loss = -tf.reduce_mean(y * tf.log(output + 1e-8))
        else:
            self.loss = -tf.reduce_mean(y * tf.log(output + 1e-8))  # HAZARD log-below-zero


def first_or_average(gradient, average):
    size = tf.reduce_sum(tf.square(gradient))
    average = tf.cond(tf.equal(average, 0.0), lambda: size, lambda: 0.9 * average + 0.1 * size)
    return gradient / tf.sqrt(average + 1e-8)


def boxes(x, anchors):
    predicted = tf.layers.dense(x, 5)
    centre, size, score = predicted[..., :2], tf.exp(predicted[..., 2:4]), tf.sigmoid(predicted[..., 4:])
    return tf.concat([centre, size * anchors, score], axis=-1)


def share_of_all(results_per_batch):
    correct, total = 0.0, 0.0
    for result in results_per_batch:
        correct += result[0]
        total += result[1]
    return 1.0 * correct / total
