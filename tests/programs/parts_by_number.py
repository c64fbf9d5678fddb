"""Parts that are cut out with the numbers that a comprehension or a parameter counts are different parts."""

import tensorflow as tf


class Affine(tf.Module):
    def __init__(self):
        super().__init__()
        self.matrix = tf.Variable(tf.random.normal([4, 3, 3]))

    def rows(self):
        return [
            [
                self.matrix[
                    :,  # each of the batch
                    i,
                    j,
                ]
                for j in range(3)
            ]
            for i in range(3)
        ]

    @tf.function
    def spread(self):
        m = self.rows()
        return tf.reduce_sum(1.0 / (m[0][0] - m[1][1]))

    @tf.function
    def twice(self):
        m = self.rows()
        return tf.reduce_sum(1.0 / (m[2][0] * m[0][1] - m[0][1] * m[2][0]))  # HAZARD divide-by-zero


def step(features, place=1):
    with tf.GradientTape() as tape:
        tape.watch(features)
        scaled = features / (1.0 + tf.abs(features))
        same = tf.norm(scaled[:, place] - scaled[:, 1], axis=0)  # HAZARD norm-at-zero
        other = tf.exp(-tf.square(scaled[:, place] - scaled[:, 0]))
        loss = tf.reduce_sum(same) + tf.reduce_sum(other)
    return tape.gradient(loss, features)
