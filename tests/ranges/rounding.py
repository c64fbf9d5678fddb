import tensorflow as tf

p = tf.sigmoid(tf.Variable([1.0]))
reveal(1e-10 + 1 - p)  # [0, 1]: 1 minus a sigmoid, 0 when the sigmoid is 1
reveal(1 - p + 1e-6)  # [1e-06, 1.000001]: 1 minus a sigmoid plus 1e-06
reveal(tf.clip_by_value(p, 1e-8, 1 - 1e-8))  # [1e-08, 1]: a clipped value
reveal(tf.clip_by_value(p, 1e-7, 1 - 1e-7))  # [1e-07, 0.9999999]: a clipped value
reveal(tf.nn.relu(p) + 1e-50)  # [0, 1]: a ReLU plus 1e-50

h = tf.cast(p, tf.float16)
reveal(h + 1e-8)  # [0, 1]: a sigmoid plus 1e-08
reveal(h + 1e-3)  # [0.0010004044, 1.0009766]: a sigmoid plus 0.001
reveal(tf.exp(h * 20.0))  # [1, inf): an exponential
reveal(tf.exp(tf.cast(h, tf.float32) * 20.0))  # [1, 4.851652e+08]: an exponential

# Layers compute in the type of the policy, and cast their inputs to it.
tf.keras.mixed_precision.set_global_policy("mixed_float16")
dense = tf.keras.layers.Dense(3, activation="sigmoid")
reveal(dense(p) + 1e-8)  # [0, 1]: a sigmoid plus 1e-08
reveal(tf.keras.layers.Dense(3, activation="sigmoid", dtype="float32")(p) + 1e-8)  # [1e-08, 1]: a sigmoid plus 1e-08


class Half(tf.keras.layers.Layer):
    def call(self, inputs):
        reveal(tf.nn.relu(inputs) + 1e-8)  # [0, inf): a ReLU plus 1e-08
