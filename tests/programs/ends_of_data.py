"""Loops that an exception ends: the handler finds what the turns before have left."""

import numpy as np
import tensorflow as tf


def evaluate(session, loss, iterator):
    words, total, step = 0, 0.0, 0
    session.run(iterator.initializer)
    while True:
        try:
            fetched = session.run({"loss": loss})
            total += np.sum(fetched["loss"])
            words += len(fetched["loss"])
            if step % 100 == 0:
                print(total / words)
            step += 1
        except tf.errors.OutOfRangeError:
            print("test: %.3f, %.3f" % (total / words, np.exp(-total / words)))
            break
    return total / words


def last_scores(batches, weights):
    scores = tf.ones([4])
    while True:
        try:
            scores = tf.nn.relu(tf.matmul(next(batches), weights))
        except StopIteration:
            return tf.math.log(scores)  # HAZARD log-relu


def first_scores(batches, weights):
    scores = tf.ones([4])
    while True:
        try:
            scores = tf.nn.relu(tf.matmul(next(batches), weights))
        except ValueError:
            scores = tf.math.log(scores)  # ones: the turn has failed
            continue
        except StopIteration:
            return scores
