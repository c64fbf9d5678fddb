import tensorflow as tf
from tensorflow import keras

w = tf.Variable([1.0, 2.0])
data = tf.constant([1.0, 2.0])

with tf.GradientTape() as tape:
    loss = tf.reduce_sum(mark(w * 2.0))  # differentiated
    tf.print(mark(w + 3.0))
    tf.summary.scalar("norm", mark(w + 4.0))
    metric = mark(w * 5.0)
    frozen = tf.stop_gradient(mark(w * 6.0))
    loss += tf.reduce_sum(frozen)
    loss += tf.cast(tf.argmax(mark(w * 7.0)), tf.float32)
    loss += tf.reduce_sum(tf.where(mark(w + 8.0) > 0.0, mark(w * 9.0), 0.0))  # differentiated second
    loss += tf.reduce_sum(mark(data * 10.0))
gradient = tape.gradient(loss, w)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = tf.reduce_sum(mark(w**3))  # differentiated
    inside = inner.gradient(y, w)
    penalty = tf.reduce_sum(mark(tf.abs(inside)))  # differentiated
outer.gradient(penalty, w)


@tf.custom_gradient
def own(v):
    def grad(upstream):
        return upstream

    return mark(tf.abs(v) + 1.0), grad


with tf.GradientTape() as tape:
    z = tf.reduce_sum(own(w))
tape.gradient(z, w)


class Layer(keras.layers.Layer):
    def call(self, inputs):
        self.add_metric = mark(inputs + 1.0)
        return mark(inputs * 2.0)  # differentiated


def some_loss(y_true, y_pred):
    return tf.reduce_mean(mark(y_true - y_pred))  # differentiated


def some_metric(y_true, y_pred):
    return tf.reduce_mean(mark(y_true - y_pred))


optimizer = keras.optimizers.SGD()
optimizer.minimize(lambda: tf.reduce_sum(mark(w * 11.0)), [w])  # differentiated


class Regularizer(keras.regularizers.Regularizer):
    def __call__(self, v):
        return tf.reduce_sum(mark(tf.square(v)))  # differentiated


model = keras.Sequential([keras.layers.Dense(3), keras.layers.Lambda(lambda v: mark(v + 12.0))])  # differentiated
model.compile(loss=lambda a, b: mark(a - b), optimizer="sgd")  # differentiated

# What a function computes before it opens a tape is not recorded by it, though by one that is open already.
def trained(v, layer, step):
    advantage = mark(tf.abs(step))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(advantage * mark(layer(v)))  # differentiated
    return tape.gradient(loss, layer.trainable_variables)


def trained_twice(v, layer, step):
    with tf.GradientTape() as outer:
        shared = mark(tf.abs(step))  # differentiated
        with tf.GradientTape() as inner:
            loss = tf.reduce_sum(shared * mark(layer(v)))  # differentiated
        inside = tf.reduce_sum(inner.gradient(loss, layer.trainable_variables))
    return outer.gradient(inside, layer.trainable_variables)
