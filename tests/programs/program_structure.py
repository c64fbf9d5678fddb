"""Programs as they are put together: who makes a thing, who holds it, who calls it, and in which order."""

import functools

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class UsedBeforeItIsMade:
    def run(self, x):
        h = self.net(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax

    def initialize(self):
        self.net = keras.Sequential([layers.Dense(3), layers.Softmax()])


class MadeByAMethod:
    def __init__(self, units=3):
        self.units = units
        self.nets = self.make_nets()
        self.actor, self.critic = self.make_pair()

    def make_nets(self):
        return {"share": layers.Dense(self.units, activation="softmax"), "value": layers.Dense(1)}

    def make_pair(self):
        return keras.Sequential([layers.Dense(3, activation="softmax")]), keras.Sequential([layers.Dense(1)])

    def run(self, x):
        h = self.nets["share"](x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax

    def act(self, x):
        h = self.actor(x)
        return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def nested(x, y):
    net = keras.Sequential([layers.Dense(3, activation="softmax")])
    optimizer = keras.optimizers.Adam()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            h = net(x)
            loss = tf.reduce_sum(y * tf.math.log(h)) + tf.reduce_sum(y * tf.math.log(h + 1e-6))  # HAZARD log-softmax
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))

    for _ in range(3):
        step(x, y)


def step_of_a_strategy(x):
    h = tf.nn.softmax(x)
    return tf.math.log(h) + tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_a_strategy(strategy, xs):
    per_replica = strategy.run(step_of_a_strategy, args=(xs,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)


def by_the_result_of_a_strategy(strategy, xs):
    h = strategy.run(tf.nn.softmax, args=(xs,))
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def over_a_dataset(xs):
    data = tf.data.Dataset.from_tensor_slices(xs).map(lambda x: tf.nn.softmax(x)).batch(2)
    for h in data:
        print(tf.math.log(h), tf.math.log(h + 1e-6))  # HAZARD log-reaches-zero


made = None


def make_it():
    global made
    made = keras.Sequential([layers.Dense(3, activation="softmax")])


def use_it(x):
    h = made(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def of_two_kinds(kind):
    if kind == "small":
        net = keras.Sequential([layers.Dense(3, activation="softmax")])
    else:
        net = keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(3, activation="softmax")])
    return net


def by_either(x, kind):
    h = of_two_kinds(kind)(x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-reaches-zero


def features(x, training=False):
    net = layers.Dense(8)(x)
    return {"hidden": net, "share": tf.nn.softmax(net)}


def by_end_points(x):
    out = features(x)
    h = out["share"]
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def network(x, scope):
    end_points = {}
    with tf.compat.v1.variable_scope(scope):
        net = layers.Dense(8)(x)
        end_points["hidden"] = net
        end_points[scope + "/share"] = tf.nn.softmax(net)
    return net, end_points


def by_scope(x):
    _, end_points = network(x, "net")
    h = end_points["net/share"]
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def by_keywords(x):
    settings = dict(axis=-1)
    h = tf.nn.softmax(x, **settings)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def wrapped(*args, **kwargs):
    return tf.nn.softmax(*args, **kwargs)


def by_a_wrapper(x):
    h = wrapped(x, axis=-1)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def numpy_of(x):
    h = tf.nn.softmax(x).numpy()
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


def chained(x):
    h = functools.reduce(lambda value, function: function(value), [tf.identity, tf.nn.softmax], x)
    return tf.math.log(h), tf.math.log(h + 1e-6)  # HAZARD log-softmax


class ByIndex:
    def __init__(self, depth=2):
        self.depth = depth
        self.stack = []
        for _ in range(depth):
            self.stack.append(layers.Dense(8, activation="softmax"))

    def run(self, x):
        for i in range(self.depth):
            x = self.stack[i](x)
        return tf.math.log(x), tf.math.log(x + 1e-6)  # HAZARD log-reaches-zero


class Contexts:
    def __init__(self):
        self.cache = {}

    def forward(self, x):
        self.cache["share"] = tf.nn.softmax(x)
        self.last = tf.nn.softmax(x)

    def loss(self):
        return tf.math.log(self.cache["share"]), tf.math.log(self.cache["share"] + 1e-6)  # HAZARD log-softmax

    def other(self):
        return tf.math.log(self.last), tf.math.log(self.last + 1e-6)  # HAZARD log-softmax


class Graph:
    """A model of TensorFlow 1, whose parts are attributes."""

    def __init__(self, size=3):
        self.size = size
        self.add_placeholders()
        self.add_model()
        self.loss = self.add_loss()

    def add_placeholders(self):
        self.inputs = tf.compat.v1.placeholder(tf.float32, [None, self.size])
        self.labels = tf.compat.v1.placeholder(tf.float32, [None, self.size])

    def add_model(self):
        self.out = tf.nn.softmax(tf.compat.v1.layers.dense(self.inputs, self.size))

    def add_loss(self):
        sound = -tf.reduce_sum(self.labels * tf.math.log(self.out + 1e-6))
        return sound - tf.reduce_sum(self.labels * tf.math.log(self.out))  # HAZARD log-softmax


def lazy_property(function):
    name = "_cache_" + function.__name__

    @property
    @functools.wraps(function)
    def decorator(self):
        if not hasattr(self, name):
            setattr(self, name, function(self))
        return getattr(self, name)

    return decorator


class Lazy:
    def __init__(self, x):
        self.x = x

    @lazy_property
    def out(self):
        return tf.nn.softmax(self.x)

    @lazy_property
    def cost(self):
        return tf.reduce_sum(tf.math.log(self.out)) + tf.reduce_sum(tf.math.log(self.out + 1e-6))  # HAZARD log-softmax


def model_fn(features, labels, mode, params):
    net = tf.compat.v1.layers.dense(features["x"], params["hidden"], activation=tf.nn.relu)
    out = tf.compat.v1.layers.dense(net, 3, activation=tf.nn.softmax)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=out)
    loss = -tf.reduce_sum(labels * tf.math.log(out))  # HAZARD log-softmax
    return tf.estimator.EstimatorSpec(mode, loss=loss - tf.reduce_sum(labels * tf.math.log(out + 1e-6)))
