"""Arrays that a program makes for a function of another library to fill, and loops whose step nobody can read."""

import numpy as np
import tensorflow as tf
from mpi4py import MPI

from elsewhere import solver_step


def all_reduce(*args, **kwargs):
    return MPI.COMM_WORLD.Allreduce(*args, **kwargs)


def sound_mean_of_all_processes(x):
    held = np.zeros(2, np.float32)
    MPI.COMM_WORLD.Allreduce(np.array([np.sum(x), len(x)], np.float32), held, op=MPI.SUM)
    return tf.convert_to_tensor(held[0] / held[1])


def sound_mean_by_a_helper(x):
    held = np.zeros_like(x)
    all_reduce(x, held, op=MPI.SUM)
    total, count = held
    return tf.convert_to_tensor(total / count)


def mean_that_is_only_shown(x):
    held = tf.zeros([2])
    print(held)
    return tf.reduce_sum(x) / held[1]  # HAZARD divide-by-zero


def sound_count_of_an_unknown_step(n):
    _, total, count = tf.while_loop(
        lambda i, _, __: i < n, solver_step, [tf.constant(0), tf.zeros((4,)), tf.constant(0.0)]
    )
    return total / count


def count_of_no_step(n):
    def step(i, total, count):
        return i + 1, total + 1.0, count

    _, total, count = tf.while_loop(lambda i, _, __: i < n, step, [tf.constant(0), tf.zeros((4,)), tf.constant(0.0)])
    return total / count  # HAZARD divide-by-zero


def sound_limits(text, longest=None):
    limits = np.ones(tf.shape(text)) * float("inf")
    if longest is not None:
        for word, limit in longest.items():
            limits[np.array(text) == word] = limit
    return tf.cast(tf.convert_to_tensor(limits), tf.float32)
