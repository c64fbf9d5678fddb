"""The log of a softmax through the old Keras backend, in a script."""
import tensorflow as tf
from tf_keras import backend as K

logits = tf.Variable([[200.0, 0.0, -200.0]])
labels = tf.constant([[0.0, 1.0, 0.0]])

with tf.GradientTape() as tape:
    probabilities = K.softmax(logits)
    loss = -K.sum(labels * K.log(probabilities))  # HAZARD log-softmax
gradient = tape.gradient(loss, logits)

RESULT = [loss.numpy(), gradient.numpy()]

# TRAIL 10: 9
