"""ReLU before softmax, by the layers of a subclassed model (TF 2)."""
import tensorflow as tf


class Classifier(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(8, activation="relu")
        self.scores = tf.keras.layers.Dense(3, activation="relu")
        self.normalise = tf.keras.layers.Softmax()  # ADVICE softmax-of-relu

    def call(self, inputs):
        return self.normalise(self.scores(self.hidden(inputs)))


def main():
    tf.keras.utils.set_random_seed(0)
    model = Classifier()
    model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy")
    model.fit(tf.ones([4, 5]), tf.constant([0, 1, 2, 0]), verbose=0)
    return [w.numpy() for w in model.trainable_variables]


RESULT = main()

# TRAIL 10: 9 24 19 13
