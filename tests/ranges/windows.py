import tensorflow as tf
from keras import ops

x, y = tf.Variable([[1.0, 2.0]]), tf.Variable([[1.0, 2.0]])
reveal(tf.einsum("ij,ij->i", x, x))  # [0, inf): a sum of squares, 0 when every term is
reveal(tf.einsum("ij,ij->i", x, y))  # (-inf, inf): the output of a layer with weights, of either sign
reveal(tf.einsum("ij,kj->ik", x, x))  # (-inf, inf): the output of a layer with weights, of either sign
u, v = tf.nn.l2_normalize(x, -1), tf.nn.l2_normalize(y, -1)
reveal(tf.einsum("bi,ni->bn", u, v))  # [-1.0000004, 1.0000004]: a cosine, 1 for equal directions
reveal(tf.einsum("bi,ib->b", u, v))  # (-inf, inf): a value computed from a normalized vector
reveal(tf.matmul(u, v, transpose_b=True))  # [-1.0000004, 1.0000004]: a cosine, 1 for equal directions
reveal(tf.matmul(u, tf.transpose(v)))  # [-1.0000004, 1.0000004]: a cosine, 1 for equal directions
reveal(tf.matmul(u, v, transpose_a=True))  # (-inf, inf): a value computed from a normalized vector
reveal(tf.reduce_sum(u * v, -1))  # [-1.0000004, 1.0000004]: a cosine, 1 for equal directions
reveal(tf.reduce_sum(u * v))  # (-inf, inf): the sum of a normalized vector times a normalized vector, 0 when either is
reveal(tf.reduce_sum(tf.square(u), -1))  # [0, 1.0000004]: the squared length of a unit vector, 0 for a vector of zeros
reveal(tf.reduce_sum(tf.square(u)))  # [0, inf): a sum of squares, 0 when every term is
reveal(tf.reduce_sum(tf.square(tf.nn.l2_normalize(x))))  # [0, 1.0000004]: the squared length of a unit vector, 0 for a vector of zeros
reveal(tf.ensure_shape(x, (1, 2)) - tf.reduce_min(x))  # [0, inf): a difference from the minimum
reveal(ops.einsum("ij,jk->ik", tf.exp(x), tf.exp(y)))  # [0, inf): a value computed from an exponential
reveal(tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "VALID"))  # [0, inf): a maximum
reveal(tf.nn.avg_pool2d(tf.sigmoid(x), 2, 2, "SAME"))  # [0, 1]: a mean
reveal(tf.nn.conv2d(tf.nn.relu(x), tf.exp(y), 1, "SAME"))  # [0, inf): a value computed from a ReLU
reveal(tf.nn.conv2d(x, y, 1, "SAME"))  # (-inf, inf)
reveal(tf.image.resize(tf.sigmoid(x), [4, 4]))  # [0, 1]: a value computed from a sigmoid
reveal(tf.image.resize(tf.sigmoid(x), [4, 4], "bicubic"))  # (-inf, inf)
reveal(tf.nn.depth_to_space(tf.nn.relu(x), 2))  # [0, inf): a ReLU, 0 for every negative input
