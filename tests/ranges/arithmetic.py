import math

import tensorflow as tf

x = tf.Variable([1.0, 2.0])
y = tf.Variable([1.0, 2.0])
EPS = 1e-6
reveal(x * x)  # [0, inf): a square
reveal(x**2)  # [0, inf): a square
reveal(tf.pow(x, 2))  # [0, inf): a square
reveal(x * y)  # (-inf, inf)
reveal(tf.reduce_sum(tf.square(x)))  # [0, inf): a sum of squares, 0 when every term is
reveal(tf.reduce_mean(tf.square(x - y), axis=-1))  # [0, inf): a mean of squares, 0 when every term is
reveal(tf.reduce_sum(tf.square(x)) + EPS)  # [1e-06, inf): a sum of squares plus 1e-06
reveal(tf.sqrt(tf.reduce_sum(tf.square(x))))  # [0, inf): a square root
reveal(tf.abs(x))  # [0, inf): an absolute value
reveal(tf.maximum(x, 0.0))  # [0, inf): a maximum, 0 when no operand is larger
reveal(tf.minimum(tf.exp(x), 5.0))  # [0, 5]: a minimum
reveal(tf.clip_by_value(x, 0.1, 0.9))  # [0.1, 0.9]: a clipped value
reveal(math.sqrt(2.0) * tf.sigmoid(x))  # [0, 1.4142135]: 1.41421 times a sigmoid, 0 when the sigmoid is 0
reveal(x - x)  # 0: a value minus itself
