"""Values that pass through classes: attributes, methods, inheritance, properties, static methods."""

import tensorflow as tf


class Base(tf.Module):
    def __init__(self, floor):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0]])
        self.floor = floor

    def probabilities(self, x):
        return tf.nn.softmax(self.logits(x))

    def logits(self, x):
        return tf.matmul(x, self.w)

    def safe(self, p):
        return tf.maximum(p, self.floor)


class Child(Base):
    def __init__(self):
        super().__init__(1e-6)
        self.scale = 2.0

    def logits(self, x):
        return self.scale * super().logits(x)

    def entropy(self, x):
        p = self.probabilities(x)
        return -tf.reduce_sum(p * tf.math.log(p))  # HAZARD log-times-argument

    def sound_entropy(self, x):
        p = self.safe(self.probabilities(x))
        return -tf.reduce_sum(p * tf.math.log(p))


class Stored:
    def __init__(self):
        self.p = None

    def forward(self, x):
        self.p = tf.nn.sigmoid(x)
        return self.p

    def loss(self, y):
        return -tf.reduce_mean(y * tf.math.log(self.p))  # HAZARD log-sigmoid

    @staticmethod
    def clipped(p):
        return tf.clip_by_value(p, 1e-6, 1.0)

    @classmethod
    def twice(cls, p):
        return cls.clipped(p) * 2.0

    def sound_loss(self, y):
        return -tf.reduce_mean(y * tf.math.log(self.clipped(self.p)))

    def another_sound_loss(self, y):
        return -tf.reduce_mean(y * tf.math.log(self.twice(self.p)))


class Callable:
    eps = 0.0

    def __call__(self, x):
        return tf.sqrt(tf.reduce_sum(tf.square(x), axis=-1) + self.eps)  # MISSED sqrt-at-zero


class Guarded(Callable):
    eps = 1e-6

    def __call__(self, x):
        return tf.sqrt(tf.reduce_sum(tf.square(x), axis=-1) + self.eps)


w = tf.Variable([[1.0, 2.0]])


def train(x, y):
    distance, guarded = Callable(), Guarded()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(distance(w - x)) + tf.reduce_mean(guarded(w - y))
    return tape.gradient(loss, w)
