import tensorflow as tf

x = tf.Variable([[1.0, 2.0]])
top = tf.reduce_max(x, axis=-1, keepdims=True)
reveal(x - top)  # (-inf, 0]: a difference from the maximum
reveal(x - tf.stop_gradient(top))  # (-inf, 0]: a difference from the maximum
e = tf.exp(x - top)
reveal(e)  # [0, 1]: an exponential
reveal(tf.reduce_sum(e, axis=-1, keepdims=True))  # [1, inf): a sum with a term that is 1
reveal(tf.nn.relu(x) / tf.reduce_sum(tf.nn.relu(x)))  # [0, 1]: a share of a sum
reveal(tf.reduce_max(x) - tf.reduce_min(x))  # [0, inf): a maximum minus a minimum, 0 when all elements are equal
p = tf.nn.softmax(x, axis=-1)
reveal(tf.reduce_sum(p, axis=-1))  # 1: a softmax summed over its axis

# A condition says more about what it chooses.
safe = tf.where(x > 0.0, x, 1.0)
reveal(safe)  # [1.1754944e-38, inf): 1 or another value
reveal(tf.where(x < 2.0, x, 2.0))  # (-inf, 2]: 2 or another value
reveal(tf.where(tf.equal(x, 0.0), tf.ones_like(x), x))  # (-inf, inf), not 0
tf.debugging.assert_positive(x)
reveal(x)  # [1.1754944e-38, inf)

# Means and sums of squares are not negative.
data = tf.io.parse_tensor(record, tf.float32)
reveal(tf.reduce_mean(tf.square(data - tf.sigmoid(x))))  # [0, inf): a mean of squares, 0 when every term is
reveal(tf.reduce_sum(tf.square(data - tf.nn.softmax(x)), axis=1))  # [0, inf): a sum of squares, 0 when every term is

# Multiplied with one-hot rows and summed, one element of each row is chosen.
chosen = tf.one_hot(tf.argmax(x, axis=1), 2)
reveal(tf.reduce_sum(p * chosen, axis=-1))  # [0, 1]: a softmax, exactly 0 where another logit is much larger
reveal(tf.reduce_sum(tf.cast(chosen, tf.float32) * p, axis=1))  # [0, inf): the sum of a one-hot encoding times a softmax, 0 when either is
reveal(tf.reduce_sum(p * chosen))  # [0, inf): the sum of a softmax times a one-hot encoding, 0 when either is

# Rows that are never zero as a whole.
angle = tf.Variable([0.5])
point = tf.stack([tf.cos(angle), tf.sin(angle)], axis=-1)
reveal(tf.reduce_max(tf.abs(point), axis=-1))  # [0.7071, 1]: a maximum over rows that are never zero
reveal(tf.norm(point, axis=-1))  # [0.999, 1.001]: a norm of rows that are never zero
reveal(tf.cos(angle) ** 2 + tf.sin(angle) ** 2)  # [0.999, 1.001]: the squares of a cosine and a sine
y = tf.Variable([[1.0, 2.0]])
homogeneous = tf.concat([y, tf.ones([1, 1])], axis=-1)
reveal(tf.norm(homogeneous, axis=-1))  # [1, inf): a norm of rows that are never zero
reveal(tf.reduce_sum(tf.square(homogeneous), axis=-1))  # [1, inf): a sum of squares with a term away from 0
reveal(tf.norm(homogeneous, axis=0))  # [0, inf): a norm, 0 for a zero vector
reveal(tf.norm(tf.linalg.set_diag(tf.matmul(x, x), tf.ones([1])), axis=-1))  # [1, inf): a norm of rows that are never zero
top_mask = tf.cast(tf.equal(x, tf.reduce_max(x, axis=-1, keepdims=True)), tf.float32)
reveal(tf.reduce_sum(top_mask, axis=-1))  # [1, inf): a count of at least one element
reveal(tf.reduce_sum(top_mask, axis=0))  # [0, inf): a count of True values, 0 when none is

# What is asserted holds.
selected = tf.math.count_nonzero(y, dtype=tf.float32)
reveal(selected)  # [0, inf): a count, 0 when nothing is selected
checks = [tf.debugging.assert_positive(selected, "nothing is selected")]
reveal(selected)  # [1.1754944e-38, inf): a count, 0 when nothing is selected
reveal(tf.reduce_min(tf.abs(y)))  # [0, inf): the minimum of an absolute value

# An exponential of what is not positive is at most 1.
z = (data - y) / tf.nn.softplus(x)
reveal(tf.exp(-0.5 * tf.square(z)))  # [0, 1]: an exponential
reveal(tf.exp(-tf.reduce_sum(tf.square(z), axis=-1) / 2.0 - some_function(x)))  # [0, inf): an exponential
reveal(p * tf.exp(-tf.square(z)))  # [0, 1]: a softmax times an exponential, 0 when either is
reveal(tf.exp(-tf.square(z)) / tf.exp(x))  # [0, 1]: an exponential divided by an exponential
reveal(tf.exp(-tf.square(y[:, None] - y[None, :])))  # [0, 1]: an exponential
reveal(tf.exp(tf.square(x) - tf.square(y)))  # [0, inf): an exponential
reveal(tf.exp(-tf.square(tf.tanh(x))))  # [0.36787945, 1]: an exponential

reveal(tf.exp(-tf.square((tf.range(9.0) - 4.0) / x)))  # [0, 1]: an exponential

# A sum over a segment has the sign of its terms.
ids = tf.io.parse_tensor(record, tf.int64)
counts = tf.math.unsorted_segment_sum(tf.ones_like(data), ids, 10)
reveal(counts)  # [0, inf)
reveal(tf.gather(counts, ids))  # [0, inf)
reveal(tf.math.unsorted_segment_sum(data, ids, 10))  # (-inf, inf)

# The zeros of a value that is not negative are filled by a mark of where they are.
zero = tf.cast(tf.equal(tf.nn.relu(x), 0.0), tf.float32)
reveal(tf.nn.relu(x) + 1e-12 * zero)  # [1.1754944e-38, inf): its zeros are replaced
reveal(y + 1e-12 * tf.cast(tf.equal(y, 0.0), tf.float32))  # (-inf, inf): a value plus 1e-12 times a comparison

# Where a mask is applied on some paths only, the value is in the hull of both.
a = tf.exp(tf.tanh(x))
if mask is not None:
    a *= tf.cast(tf.greater(mask, 0.0), tf.float32)
reveal(a)  # [0, 2.7182817]: an exponential times a comparison, 0 when the comparison is 0
