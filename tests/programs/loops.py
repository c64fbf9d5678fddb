"""Values carried around loops, through `with` and `try` blocks, and in comprehensions."""

import tensorflow as tf

w = tf.Variable([[1.0, 2.0]])


def summed(x):
    total = tf.zeros_like(x)
    for step in range(10):
        total += tf.square(w - x)
    return total


def train(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.sqrt(summed(x)))  # MISSED sqrt-at-zero
    return tape.gradient(loss, w)


def sound_train(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.sqrt(summed(x) + 1e-9))
    return tape.gradient(loss, w)


def shrinking(x):
    p = tf.sigmoid(x)
    while tf.reduce_max(p) > 0.1:
        p = p * 0.5
    return tf.math.log(p)  # HAZARD log-reaches-zero


def kept_up(x):
    p = tf.sigmoid(x) + 1e-6
    for _ in range(3):
        p = tf.maximum(p * 0.5, 1e-6)
    return tf.math.log(p)


def while_loop(x):
    i, p = tf.while_loop(lambda i, p: i < 5, lambda i, p: (i + 1, p * tf.sigmoid(x)), (0, tf.sigmoid(x)))
    j, q = tf.while_loop(lambda j, q: j < 5, lambda j, q: [j + 1, tf.maximum(q * 0.5, 1e-6)], [0, tf.ones([3])])
    return tf.math.log(p), tf.math.log(q)  # HAZARD log-reaches-zero


def single_while(x):
    p = tf.while_loop(lambda p: tf.reduce_max(p) > 0.5, lambda p: p * 0.5, [tf.sigmoid(x)])
    return tf.math.log(p)  # HAZARD log-reaches-zero


def scan(x):
    p = tf.scan(lambda a, v: a * tf.sigmoid(v), x, initializer=tf.ones([3]))
    return tf.math.log(p)  # HAZARD log-reaches-zero


def folded(x):
    p = tf.foldl(lambda a, v: a * tf.sigmoid(v), x, initializer=tf.ones([3]))
    q = tf.foldl(lambda a, v: a + tf.sigmoid(v), x, initializer=tf.ones([3]))
    return tf.math.log(p), tf.math.log(q)  # HAZARD log-reaches-zero


def comprehensions(xs):
    ps = [tf.sigmoid(x) for x in xs]
    logs = [tf.math.log(p) for p in ps]  # HAZARD log-reaches-zero
    named = {str(i): tf.sigmoid(x) for i, x in enumerate(xs)}
    values = [tf.math.log(p) for p in named.values()]  # HAZARD log-reaches-zero
    sound = [tf.math.log(p + 1e-6) for p in ps]
    return logs, values, sound, sum(tf.math.log(p + 1e-6) for p in ps)


def appended(xs):
    ps, qs = [], []
    for x in xs:
        ps.append(tf.sigmoid(x))
        qs.append(tf.sigmoid(x) + 1e-6)
    return tf.math.log(tf.stack(ps)), tf.math.log(tf.stack(qs))  # HAZARD log-reaches-zero


def scoped(x):
    with tf.name_scope("head"):
        p = tf.sigmoid(x)
    with tf.device("/cpu:0"), tf.name_scope("b"):
        q = p + 1e-6
    return tf.math.log(p), tf.math.log(q)  # HAZARD log-sigmoid


def tried(x):
    try:
        p = tf.sigmoid(x)
    except ValueError:
        p = tf.nn.softmax(x)
    finally:
        print("done")
    return tf.math.log(p)  # HAZARD log-reaches-zero


def tried_soundly(x):
    try:
        p = tf.sigmoid(x) + 1e-6
    except ValueError:
        raise
    return tf.math.log(p)


def broken_out(x):
    p = tf.sigmoid(x)
    for _ in range(3):
        if tf.reduce_mean(p) > 0.5:
            p = p + 1e-6
            break
        p = p + 1e-6
    return tf.math.log(p + 1e-7)


def counted(batches):
    steps, total = 0, 0.0
    for batch in batches:
        if batch is None:
            continue
        total += tf.reduce_mean(batch)
        steps += 1
    return total / steps


def counted_selection(batches):
    selected, total = 0.0, 0.0
    for batch in batches:
        mask = tf.cast(batch > 0.0, tf.float32)
        total += tf.reduce_sum(batch)
        selected += tf.reduce_sum(mask)
    return total / selected  # HAZARD divide-by-zero


def normalised_by_power_iteration(kernel, start):
    def turn(i, left, right):
        right = tf.nn.l2_normalize(tf.matmul(left, tf.transpose(kernel)))
        return i + 1, tf.nn.l2_normalize(tf.matmul(right, kernel)), right

    nothing_yet = tf.zeros([1, tf.shape(kernel)[0]])
    _, left, right = tf.while_loop(lambda i, left, right: i < 1, turn, (tf.constant(0), start + 1.0, nothing_yet))
    return kernel / tf.matmul(tf.matmul(right, kernel), tf.transpose(left))[0, 0]


def divided_by_what_a_loop_ends_with(x):
    def turn(i, share):
        return i + 1, tf.reduce_sum(tf.nn.relu(x))

    _, share = tf.while_loop(lambda i, share: i < 1, turn, (tf.constant(0), tf.constant(1.0)))
    return x / share  # HAZARD divide-by-zero
