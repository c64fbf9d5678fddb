"""Patterns 135 to 143: settings under which training diverges or stands still."""

import keras
import tensorflow as tf


@pattern(135, "mixed-float16-without-loss-scaling", only="source",
         why="gradients that underflow in float16 are 0, which is finite; whether they do depends on the data")
def unscaled_step(x, y):
    keras.mixed_precision.set_global_policy("mixed_float16")
    model = keras.Sequential([keras.layers.Dense(2), keras.layers.Dense(1, dtype="float32")])
    optimizer = keras.optimizers.Adam()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@pattern(136, "learning-rate-too-high", only="source",
         why="a learning rate of 10 ruins a regression but leaves a classifier finite, and images are optimised at 100: it depends on the curvature")
def steep():
    return tf.keras.optimizers.SGD(10.0)


@pattern(136, "learning-rate-too-high", only="source",
         why="a learning rate of 10 ruins a regression but leaves a classifier finite, and images are optimised at 100: it depends on the curvature")
def steep_adam():
    return tf.keras.optimizers.Adam(learning_rate=10.0)


@pattern(137, "unscaled-inputs-or-targets", only="source",
         why="a classifier of pixels up to 255 stays finite, at a loss of 2.30; other ranges depend on the data")
def unscaled():
    (x, y), _ = tf.keras.datasets.mnist.load_data()
    model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(10)])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x, y)
    return model


@pattern(138, "large-stddev-initializer", only="source",
         why="how wide is too wide depends on the depth and on what normalises the layers")
def wide_initialiser():
    return tf.keras.layers.Dense(64, kernel_initializer=tf.keras.initializers.RandomNormal(stddev=10.0))


@pattern(138, "large-stddev-initializer", x=((1.0, 2.0),),
         why="how wide is too wide depends on the depth and on what normalises the layers")
def wide_weights(x):
    hidden = tf.nn.relu(tf.matmul(x, tf.Variable(tf.random.normal([2, 256]))))
    return tf.matmul(hidden, tf.Variable(tf.random.normal([256, 10])))


@pattern(139, "zero-weight-initializer", x=((1.0, 2.0),),
         why="zeros are finite, and right for gates, residual branches and last layers")
def zero_weights(x):
    hidden = tf.nn.relu(tf.matmul(x, tf.Variable(tf.zeros([2, 256]))))
    return tf.matmul(hidden, tf.Variable(tf.zeros([256, 10])))


@pattern(139, "zero-weight-initializer", only="source",
         why="zeros are finite, and right for gates, residual branches and last layers")
def zero_kernel():
    model = tf.keras.Sequential()
    model.add(tf.keras.layers.Dense(8, activation="relu", kernel_initializer="zeros"))
    model.add(tf.keras.layers.Dense(3, kernel_initializer="zeros"))
    return model(tf.ones((2, 2)))


@pattern(140, "deep-saturating-activations", x=((1.0, 2.0),),
         why="small gradients are finite, and how deep is too deep depends on initialisers and skip connections")
def deep(x):
    for _ in range(15):
        x = tf.keras.layers.Dense(2, activation="sigmoid")(x)
    return x


@pattern(141, "relu-rnn-unclipped", only="source",
         why="whether a recurrence explodes depends on its initial weights and the length of the sequence")
def recurrent(x):
    return tf.keras.layers.SimpleRNN(64, activation="relu", recurrent_initializer="random_normal")(x)


@pattern(142, "no-gradient-clipping", only="source",
         why="advice: most networks train without clipping, and the source does not show which ones need it")
def unclipped():
    return tf.keras.optimizers.Adam(1e-3)


@pattern(143, "check-numerics-leftover", only="source",
         why="a debugger left in costs time and changes no number")
def debugger_left_in():
    tf.debugging.enable_check_numerics()


@pattern(143, "check-numerics-leftover", only="source",
         why="a debugger left in costs time and changes no number")
def dump_left_in():
    tf.debugging.experimental.enable_dump_debug_info("dump")
