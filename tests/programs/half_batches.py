"""What a batch holds under its keys, in a model that computes in float16: Keras casts each entry by itself."""

import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")


class Pooled(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.embed = tf.keras.layers.Dense(4, use_bias=False)

    def call(self, inputs):
        valid = tf.cast(inputs["valid"], tf.bool)
        x = self.embed(inputs["signal"])
        size = tf.reduce_mean(tf.square(x), axis=-1, keepdims=True)
        scaled = x * tf.math.rsqrt(size + 1e-8)  # HAZARD epsilon-float16
        return tf.where(valid[..., tf.newaxis], scaled, tf.zeros_like(scaled))


class Largest(tf.keras.metrics.Metric):
    """A metric computes in float32, whatever the policy: the square of a large number is finite."""

    def __init__(self):
        super().__init__(name="largest")
        self.total = self.add_weight(name="total", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.total.assign_add(tf.reduce_max(tf.cast(y_true, tf.float32)) * 1000.0)

    def result(self):
        return tf.square(self.total)


model = Pooled()
model.compile("adam", "mse", metrics=[Largest()])
