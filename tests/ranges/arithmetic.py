import math

import tensorflow as tf

x = tf.Variable([1.0, 2.0])
y = tf.Variable([1.0, 2.0])
EPS = 1e-6
reveal(x * x)  # [0, inf): a square; seen 0
reveal(x**2)  # [0, inf): a square; seen 0
reveal(tf.pow(x, 2))  # [0, inf): a square; seen 0
reveal(x * y)  # (-inf, inf)
reveal(tf.reduce_sum(tf.square(x)))  # [0, inf): a sum of squares, 0 when every term is; seen 0
reveal(tf.reduce_mean(tf.square(x - y), axis=-1))  # [0, inf): a mean of squares, 0 when every term is; seen 0
reveal(tf.reduce_sum(tf.square(x)) + EPS)  # [1e-06, inf): a sum of squares, 0 when every term is; seen 1e-06
reveal(tf.sqrt(tf.reduce_sum(tf.square(x))))  # [0, inf): a square root; seen 0
reveal(tf.abs(x))  # [0, inf): an absolute value; seen 0
reveal(tf.maximum(x, 0.0))  # [0, inf): a maximum; seen 0
reveal(tf.minimum(tf.exp(x), 5.0))  # [0, 5]: a minimum; seen 5
reveal(tf.clip_by_value(x, 0.1, 0.9))  # [0.1, 0.9]: clipped to this range; seen [0.1, 0.9]
reveal(math.sqrt(2.0) * tf.sigmoid(x))  # [0, 1.4142135]: a sigmoid, which saturates at 0 and 1; seen [0, 1.4142135]
reveal(x - x)  # 0: a value minus itself; seen 0
