import tensorflow as tf
from keras import ops

x = tf.Variable([1.0, 2.0])
reveal(x)  # (-inf, inf)
reveal(tf.nn.softmax(x))  # [0, 1]: a softmax, exactly 0 where another logit is much larger
reveal(ops.softmax(x))  # [0, 1]: a softmax, exactly 0 where another logit is much larger
reveal(tf.sigmoid(x))  # [0, 1]: a sigmoid, which saturates at 0 and 1
reveal(1.0 - tf.sigmoid(x))  # [0, 1]: 1 minus a sigmoid, 0 when the sigmoid is 1
reveal(tf.tanh(x))  # [-1, 1]: a tanh, which saturates at -1 and 1
reveal(tf.nn.relu(x))  # [0, inf): a ReLU, 0 for every negative input
reveal(tf.nn.relu(x) + 1.0)  # [1, inf): a ReLU plus 1
reveal(tf.nn.softplus(x))  # [0, inf): a softplus
reveal(tf.exp(x))  # [0, inf): an exponential
reveal(tf.nn.log_softmax(x))  # (-inf, 0]: a log-softmax, 0 for a class with probability 1
reveal(tf.sigmoid(x * tf.nn.relu(x)))  # [0, 1]: a sigmoid, which saturates at 0 and 1
