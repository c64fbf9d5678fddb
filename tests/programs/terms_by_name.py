"""Terms of a loss under names: a loop fills the dictionary, and a comprehension leaves some of them out."""

import argparse

import tensorflow as tf


def summed_loss(x, y):
    heads = {"one": tf.nn.relu(x), "two": tf.nn.relu(y) + 1.0, "three": tf.nn.relu(x + y)}
    terms = {}
    for name, head in heads.items():
        terms[name] = tf.reduce_mean(head)
    terms["two"] = tf.math.log(terms["two"])
    terms["three"] = tf.math.log(terms["three"])  # HAZARD log-reaches-zero
    return tf.add_n([value for name, value in terms.items() if name != "one"])


def left_out_loss(x, y):
    terms = {"fit": tf.square(x - y), "shown": tf.math.log(tf.nn.relu(x))}
    return tf.add_n([tf.reduce_mean(value) for name, value in terms.items() if name != "shown"])


def kept_loss(x, y):
    terms = {"fit": tf.square(x - y), "depth": tf.math.log(tf.nn.relu(x))}  # HAZARD log-relu
    return tf.add_n([tf.reduce_mean(value) for name, value in terms.items() if name != "shown"])


def kept_in_the_middle(x, y, z, chosen):
    terms = [tf.abs(x), tf.abs(y), tf.math.log(tf.nn.relu(x)), tf.square(z), tf.square(y)]  # HAZARD log-relu
    return terms[chosen]


LOSSES = {}


def register(name):
    def put(function):
        LOSSES[name] = function
        return function

    return put


@register("entropy")
def entropy(labels, probabilities):
    return -tf.reduce_sum(labels * tf.math.log(probabilities))


@register("focal")
def focal(labels, probabilities):
    return -tf.reduce_sum(labels * (1.0 - probabilities) ** 2 * tf.math.log(probabilities))


def loss_of(config):
    chosen = LOSSES[config.loss]

    def loss(labels, outputs):
        return chosen(labels, tf.clip_by_value(outputs, 1e-6, 1.0 - 1e-6))

    return loss


def hinge(labels, outputs):
    return tf.reduce_mean(tf.maximum(0.0, 1.0 - labels * outputs))


def divergence(labels, outputs):
    return tf.reduce_sum(labels * tf.math.log(tf.nn.softmax(outputs)))  # HAZARD log-softmax


parser = argparse.ArgumentParser()
parser.add_argument("--loss", choices=["hinge", "divergence"], default="hinge")
parser.add_argument("--measure", default="hinge")


def train(labels, outputs):
    args = parser.parse_args()
    return hinge(labels, outputs) if args.loss == "hinge" else divergence(labels, outputs)


if __name__ == "__main__":
    total = train(tf.keras.Input((3,)), tf.keras.layers.Dense(3)(tf.keras.Input((8,))))
