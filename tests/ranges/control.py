import tensorflow as tf
from functools import partial

x = tf.Variable([1.0])


def positive(v, floor=1e-3):
    return tf.maximum(v, floor)


def flag():
    return bool(input())


reveal(positive(x))  # [0.001, inf): a maximum
reveal(positive(x, floor=0.5))  # [0.5, inf): a maximum
reveal(partial(positive, floor=0.25)(x))  # [0.25, inf): a maximum
reveal((lambda v: tf.nn.relu(v))(x))  # [0, inf): a ReLU, 0 for every negative input

if flag():
    either = tf.sigmoid(x)
else:
    either = tf.nn.relu(x) + 2.0
reveal(either)  # [0, inf): a sigmoid or a ReLU plus 2

total = tf.constant(0.0)
for step in range(10):
    total = total + tf.square(x)
reveal(total)  # [0, inf): a value plus a square or another value

falling = tf.constant(1.0)
for step in range(10):
    falling = falling * 0.5
reveal(falling)  # [0, 1]
turned = x
for step in range(3):
    turned = [tf.nn.relu(x)]
reveal(tf.nn.softmax(turned))  # [0, 1]: a softmax, exactly 0 where another logit is much larger

pair = (tf.sigmoid(x), tf.tanh(x))
first, second = pair
reveal(second)  # [-1, 1]: a tanh, which saturates at -1 and 1
named = {"p": first}
reveal(named["p"])  # [0, 1]: a sigmoid, which saturates at 0 and 1
reveal(tf.cond(flag(), lambda: tf.sigmoid(x), lambda: tf.tanh(x)))  # [-1, 1]: a sigmoid or a tanh
reveal([tf.nn.relu(v) for v in (x, x)][0])  # [0, inf): a ReLU, 0 for every negative input


class Box:
    def __init__(self, value):
        self.value = tf.sigmoid(value)

    @property
    def half(self):
        return self.value * 0.5

    def shown(self):
        reveal(self.half)  # [0, 0.5]: a sigmoid times 0.5, 0 when the sigmoid is 0


Box(x).shown()
