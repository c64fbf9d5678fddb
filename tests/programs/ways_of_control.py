"""Control: early returns, raises, shape checks, closures given to `tf.cond`, loops, comprehensions, `try`."""

import tensorflow as tf


def after_an_early_return(x, mode=None):
    if mode == "zero":
        return tf.zeros_like(x)
    h = tf.nn.softmax(x)
    return tf.math.log(h)  # HAZARD log-softmax


def after_a_raise(x, axis=-1):
    if axis not in (-1, 1):
        raise ValueError(axis)
    h = tf.nn.softmax(x, axis=axis)
    return tf.math.log(h)  # HAZARD log-softmax


def after_a_shape_check(x):
    if x.shape.rank != 2:
        raise ValueError("two axes")
    assert x.shape[0] == 3
    tf.debugging.assert_rank(x, 2)
    h = tf.nn.softmax(x)
    return tf.math.log(h)  # HAZARD log-softmax


def by_closures(x, flag):
    h = tf.nn.softmax(x)

    def plain():
        return tf.math.log(h)  # HAZARD log-softmax

    def floored():
        return tf.math.log(h + 1e-6)

    return tf.cond(flag, plain, floored)


def by_closures_of_probabilities(x, flag):
    h = tf.cond(flag, lambda: tf.nn.softmax(x), lambda: tf.nn.softmax(2.0 * x))
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-reaches-zero


def by_a_while_loop(x):
    def body(i, total):
        h = tf.nn.softmax(x)
        return i + 1, total + tf.reduce_sum(tf.math.log(h) + tf.math.log(h + 1e-6))  # HAZARD log-softmax

    return tf.while_loop(lambda i, total: i < 3, body, (0, 0.0))


def by_a_scan(xs):
    def step(state, x):
        h = tf.nn.softmax(x + state)
        return tf.math.log(h) + tf.math.log(h + 1e-6)  # HAZARD log-softmax

    return tf.scan(step, xs, initializer=tf.zeros(3))


def by_a_loop(xs):
    total = 0.0
    for x in xs:
        h = tf.nn.softmax(x)
        total += tf.reduce_sum(tf.math.log(h))  # HAZARD log-softmax
        total += tf.reduce_sum(tf.math.log(h + 1e-6))
    return total


def by_a_list(xs):
    shares = []
    for x in xs:
        shares.append(tf.nn.softmax(x))
    h = tf.stack(shares)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-reaches-zero


def by_a_filter(xs):
    shares = [tf.nn.softmax(x) for x in xs if x is not None]
    return [tf.math.log(h) for h in shares], [tf.math.log(h + 1e-6) for h in shares]  # HAZARD log-reaches-zero


def by_a_try(x):
    try:
        h = tf.nn.softmax(x)
    except tf.errors.InvalidArgumentError:
        return None
    finally:
        print("done")
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_with(x):
    with tf.device("/cpu:0"), tf.name_scope("shares"):
        h = tf.nn.softmax(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_branches(x, kind):
    if kind == "softmax":
        h = tf.nn.softmax(x)
    elif kind == "sigmoid":
        h = tf.nn.sigmoid(x)
    else:
        raise NotImplementedError(kind)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-reaches-zero


def by_a_generator(xs):
    def shares():
        for x in xs:
            yield tf.nn.softmax(x)

    return [tf.math.log(h) for h in shares()], [tf.math.log(h + 1e-6) for h in shares()]  # HAZARD log-reaches-zero


def by_a_while(x):
    turns = 0
    h = tf.nn.softmax(x)
    while turns < 3:
        h = tf.nn.softmax(x * 2.0)
        turns += 1
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-reaches-zero


def by_a_tensor_array(xs):
    found = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        found = found.write(i, tf.nn.softmax(xs[i]))
    h = found.stack()
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-reaches-zero


def by_a_dictionary(x):
    out = {}
    out["h"] = tf.nn.softmax(x)
    out.update(q=tf.nn.softmax(2.0 * x))
    return tf.math.log(out["h"]), tf.math.log(out["q"] + 1e-6)  # HAZARD log-softmax


def by_starred(xs):
    first, *rest = [tf.nn.softmax(x) for x in xs]
    return tf.math.log(first), [tf.math.log(h + 1e-6) for h in rest]  # HAZARD log-reaches-zero


def by_zip(xs, ys):
    shares = [tf.nn.softmax(x) for x in xs]
    return sum(tf.reduce_sum(y * tf.math.log(h)) for y, h in zip(ys, shares)), sum(tf.math.log(h + 1e-6) for h in shares)  # HAZARD log-reaches-zero


def by_split(x):
    a, b = tf.split(tf.nn.softmax(x), 2, axis=-1)
    return tf.math.log(a), tf.math.log(b + 1e-6)  # HAZARD log-reaches-zero


def by_match(x, kind):
    match kind:
        case "softmax":
            h = tf.nn.softmax(x)
        case _:
            h = tf.nn.softmax(2.0 * x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-reaches-zero
