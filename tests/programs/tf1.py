"""Programs of TensorFlow 1: placeholders, tf.layers, sessions, tf.gradients, compute_gradients."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 3])
keep = tf.placeholder_with_default(1.0, ())

h = tf.layers.dense(x, 8, activation=tf.nn.relu)
h = tf.layers.dropout(h, rate=0.5)
p = tf.layers.dense(h, 3, tf.nn.softmax)
loss = -tf.reduce_mean(tf.reduce_sum(y * tf.log(p), reduction_indices=[1]))  # HAZARD log-softmax
sound = -tf.reduce_mean(tf.reduce_sum(y * tf.log(p + 1e-6), reduction_indices=[1]))  # MISSED softmax-saturated
train = tf.train.AdamOptimizer(1e-3).minimize(loss + sound)

with tf.variable_scope("second"):
    w = tf.get_variable("w", [4, 3])
    b = tf.Variable(tf.zeros([3]))
    distance = tf.sqrt(tf.reduce_sum(tf.square(tf.matmul(x, w) + b - y), 1))  # HAZARD sqrt-at-zero
    grads = tf.gradients(distance, [w, b])

optimizer = tf.train.GradientDescentOptimizer(0.1)
reach = tf.norm(tf.matmul(x, w) - y, axis=1)  # MISSED norm-at-zero
pairs = optimizer.compute_gradients(tf.reduce_mean(reach))
clipped = [(tf.clip_by_norm(g, 1.0), v) for g, v in pairs if g is not None]
step = optimizer.apply_gradients(clipped)

measured = tf.norm(tf.matmul(x, w) - y, axis=1)
tf.summary.scalar("distance", tf.reduce_mean(measured))
frozen = tf.norm(tf.stop_gradient(tf.matmul(x, w)), axis=1)
more = tf.train.AdamOptimizer(1e-3).minimize(tf.reduce_mean(frozen * tf.reduce_sum(b)))

by_name = tf.sqrt(tf.reduce_sum(tf.square(tf.matmul(x, w) + b - y), 1))  # HAZARD sqrt-at-zero
with_room = tf.sqrt(tf.reduce_sum(tf.square(tf.matmul(x, w) + b - y), 1) + 1e-6)
step = optimizer.minimize(loss=tf.reduce_mean(by_name + with_room), var_list=[w, b])

slim = tf.contrib.layers.fully_connected(x, 3, activation_fn=tf.nn.sigmoid)
slim_log = tf.log(slim)  # HAZARD log-sigmoid
plain = tf.contrib.layers.fully_connected(x, 3, activation_fn=None)
conv = tf.layers.conv2d(tf.reshape(x, [-1, 2, 2, 1]), 3, 2, activation=tf.sigmoid)
conv_log = tf.log(conv)  # HAZARD log-sigmoid

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run([train, step, grads, more], {x: [[0.0] * 4], y: [[0.0] * 3]})
