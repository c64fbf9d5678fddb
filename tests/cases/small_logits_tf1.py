"""A six-class classifier whose logits are the log of an activation that gets small (TF 1.15)."""
import numpy as np
import tensorflow as tf

features = tf.placeholder(tf.float32, [None, 5])
labels = tf.placeholder(tf.float32, [None, 6])

kernel = tf.get_variable("kernel", [5, 6], initializer=tf.constant_initializer(-0.5))
hidden = tf.nn.relu(tf.matmul(features, kernel))
logits = tf.log(hidden)  # HAZARD log-relu
logits = tf.clip_by_value(logits, -15.0, 15.0)  # HAZARD log-clipped-late
probabilities = tf.nn.softmax(logits)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def main():
    feed = {features: np.ones([4, 5], np.float32), labels: np.eye(6, dtype=np.float32)[:4]}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, feed)
        return session.run([kernel, probabilities, loss], feed)


RESULT = main()

# TRAIL 10: 9
# TRAIL 11: 9 10 14
