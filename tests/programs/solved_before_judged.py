"""Situations that fitted operands hide are tried once the shapes are solved, and centres may outnumber examples."""

import tensorflow as tf


class Contrast(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.head = tf.keras.layers.Dense(32)

    def call(self, x):
        return self.head(x)

    def mean_of_positives(self, labels, features, floor):
        features = tf.math.l2_normalize(features, axis=1)
        alone = tf.eye(tf.shape(features)[0])
        scores = tf.matmul(features, features, transpose_b=True) / 0.1 - 1e9 * alone
        log_prob = scores - tf.reduce_logsumexp(scores, axis=1, keepdims=True)
        labels = tf.reshape(labels, [-1, 1])
        positives = tf.cast(tf.equal(labels, tf.transpose(labels)), tf.float32) - alone
        total = tf.reduce_sum(positives * log_prob, axis=1)
        if floor:
            return -tf.reduce_mean(total / tf.maximum(tf.reduce_sum(positives, axis=1), 1.0))
        return -tf.reduce_mean(total / tf.reduce_sum(positives, axis=1))  # HAZARD divide-by-mask-sum

    def train_step(self, data):
        images, labels = data
        with tf.GradientTape() as tape:
            features = self(images, training=True)
            loss = self.mean_of_positives(labels, features, False) + self.mean_of_positives(labels, features, True)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


class Angles(tf.keras.layers.Layer):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def build(self, input_shape):
        self.centres = self.add_weight(name="centres", shape=(input_shape[-1], self.classes))

    def call(self, embedding):
        cosine = tf.matmul(tf.math.l2_normalize(embedding, axis=1), tf.math.l2_normalize(self.centres, axis=0))
        return tf.cos(tf.acos(cosine) + 0.5)  # HAZARD inverse-sine-outside


class SoundAngles(Angles):
    def call(self, embedding):
        cosine = tf.matmul(tf.math.l2_normalize(embedding, axis=1), tf.math.l2_normalize(self.centres, axis=0))
        return tf.cos(tf.acos(tf.clip_by_value(cosine, -0.999999, 0.999999)) + 0.5)


def scores(images, angles=Angles(10), sound=SoundAngles(10)):
    embedding = tf.keras.layers.Dense(16)(images)
    return angles(embedding), sound(embedding)
