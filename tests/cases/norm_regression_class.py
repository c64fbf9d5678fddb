"""The masked regression as a Keras model with a custom training step."""
import tensorflow as tf


class MaskedRegression(tf.keras.Model):
    def __init__(self, tasks):
        super().__init__()
        self.head = tf.keras.layers.Dense(tasks, kernel_initializer="ones")

    def distance(self, y, prediction):
        return tf.norm(y - prediction, axis=0)  # HAZARD norm-at-zero

    def train_step(self, data):
        x, y, mask = data
        with tf.GradientTape() as tape:
            prediction = tf.matmul(self.head(x), mask)
            loss = tf.reduce_mean(self.distance(y, prediction))
        grads = tape.gradient(loss, self.trainable_variables)
        for variable, grad in zip(self.trainable_variables, grads):
            variable.assign_sub(0.01 * grad)
        return {"loss": loss}


def main():
    model = MaskedRegression(3)
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.constant([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])
    mask = tf.linalg.diag([0.0, 1.0, 0.0])
    model.train_step((x, y, mask))
    return [v.numpy() for v in model.trainable_variables]


RESULT = main()

# TRAIL 11: 33 29 17 18
