import tensorflow as tf

x = tf.Variable([[1.0, 2.0]])
z = tf.sort(x, axis=-1, direction="DESCENDING")
k = tf.range(1.0, 3.0)
total = tf.cumsum(z, axis=-1)
reveal(tf.reduce_sum(tf.cast(1.0 + k * z > total, tf.float32), axis=-1))  # [1, inf): the size of a support, which holds the first element at least
reveal(tf.reduce_sum(tf.cast(z - (total - 1.0) / k > 0.0, tf.float32), axis=-1))  # [1, inf): the size of a support, which holds the first element at least
reveal(tf.reduce_sum(tf.cast(total - 1.0 < k * z, tf.float32), axis=-1))  # [1, inf): the size of a support, which holds the first element at least
reveal(tf.reduce_sum(tf.cast(k * z > total, tf.float32), axis=-1))  # [0, inf): a comparison, 0 where it is False; seen 0
reveal(tf.reduce_sum(tf.cast(1.0 + k * z > total, tf.float32), axis=0))  # [0, inf): a comparison, 0 where it is False; seen 0
reveal(tf.reduce_sum(tf.cast(1.0 + z > total, tf.float32), axis=-1))  # [1, inf): the size of a support, which holds the first element at least
reveal(tf.reduce_sum(tf.cast(1.0 + k * x > total, tf.float32), axis=-1))  # [0, inf): a comparison, 0 where it is False; seen 0
