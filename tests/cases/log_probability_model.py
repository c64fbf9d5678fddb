"""The log of a model's softmax in a policy gradient, in a class (TF 2, Keras)."""
import tensorflow as tf


class Policy(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.logits_layer = tf.keras.layers.Dense(3, kernel_initializer=tf.keras.initializers.Constant([[90.0, 0.0, -90.0]]))

    def call(self, states):
        return self.logits_layer(states)

    def log_prob(self, states, actions):
        probs = tf.nn.softmax(self(states))
        return tf.reduce_sum(actions * tf.math.log(probs), axis=-1)  # HAZARD log-softmax


def main():
    policy = Policy()
    states, actions = tf.constant([[1.0], [2.0]]), tf.constant([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(policy.log_prob(states, actions))
    grads = tape.gradient(loss, policy.trainable_variables)
    return [loss.numpy(), *[g.numpy() for g in grads]]


RESULT = main()

# TRAIL 15: 14 27 22
