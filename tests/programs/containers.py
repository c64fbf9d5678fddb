"""Values kept in dictionaries, tuples, lists, named tuples and data classes."""

import collections
import dataclasses
from typing import NamedTuple

import numpy as np
import tensorflow as tf

w = tf.Variable([[1.0, 2.0]])


def heads(x):
    return {"p": tf.sigmoid(x), "safe": tf.sigmoid(x) + 1e-6}


def from_dictionary(x):
    out = heads(x)
    return tf.math.log(out["p"]), tf.math.log(out["safe"])  # HAZARD log-sigmoid


def from_dict_call(x):
    out = dict(p=tf.sigmoid(x), safe=tf.sigmoid(x) + 1e-6)
    return tf.math.log(out["p"]), tf.math.log(out["safe"])  # HAZARD log-sigmoid


def updated(x):
    out = {}
    out["p"] = tf.sigmoid(x)
    out.update({"safe": tf.sigmoid(x) + 1e-6})
    for name, value in out.items():
        print(name)
    return tf.math.log(out["p"]), tf.math.log(out["safe"])  # HAZARD log-sigmoid


def pair(x):
    return tf.sigmoid(x), tf.sigmoid(x) + 1e-6


def from_tuple(x):
    p, safe = pair(x)
    both = pair(x)
    return tf.math.log(p), tf.math.log(safe), tf.math.log(both[1])  # HAZARD log-sigmoid


Output = collections.namedtuple("Output", ["p", "safe"])


def from_named_tuple(x):
    out = Output(p=tf.sigmoid(x), safe=tf.sigmoid(x) + 1e-6)
    return tf.math.log(out.p), tf.math.log(out.safe)  # HAZARD log-sigmoid


class Typed(NamedTuple):
    p: tf.Tensor
    safe: tf.Tensor


def from_typed(x):
    out = Typed(tf.sigmoid(x), tf.sigmoid(x) + 1e-6)
    first, second = out
    return tf.math.log(out.p), tf.math.log(second)  # HAZARD log-sigmoid


@dataclasses.dataclass
class Record:
    p: tf.Tensor
    safe: tf.Tensor
    eps: float = 1e-6


def from_record(x):
    out = Record(tf.sigmoid(x), safe=tf.sigmoid(x) + 1e-6)
    return tf.math.log(out.p), tf.math.log(out.safe), tf.math.log(out.p + out.eps)  # HAZARD log-sigmoid


def split(x):
    p = tf.sigmoid(x)
    first, second = tf.split(p, 2, axis=-1)
    a, b = tf.unstack(p + 1e-6, axis=-1)
    return tf.math.log(first), tf.math.log(a)  # HAZARD log-reaches-zero


def nested(x):
    state = {"heads": [tf.sigmoid(x), (tf.sigmoid(x) + 1e-6,)]}
    return tf.math.log(state["heads"][0]), tf.math.log(state["heads"][1][0])  # HAZARD log-sigmoid


def zipped(xs, ys):
    losses = []
    for p, y in zip([tf.sigmoid(x) for x in xs], ys):
        losses.append(-y * tf.math.log(p))  # HAZARD log-reaches-zero
    for i, (p, y) in enumerate(zip([tf.sigmoid(x) for x in xs], ys)):
        losses.append(-y * tf.math.log(p + 1e-6))
    return tf.add_n(losses)


def converted(images):
    noise = np.random.normal(size=(3, 4)).astype("float32")
    data = np.asarray(images).astype("float32")
    return [
        noise / tf.norm(noise, axis=-1, keepdims=True),
        data / tf.norm(data, axis=-1, keepdims=True),  # HAZARD divide-by-norm
    ]


def smallest_of_all(matrix):
    values = tf.abs(tf.linalg.eigvalsh(matrix))
    return tf.reduce_max(values, axis=-1) / tf.reduce_min(values, axis=-1)
