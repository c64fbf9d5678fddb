"""Functions that a script calls only on numbers of its own, to show that they run: data has what such numbers lack."""

import numpy as np
import tensorflow as tf


def rescale(image):
    low, high = tf.reduce_min(image), tf.reduce_max(image)
    return (image - low) / (high - low)  # HAZARD divide-by-zero


def sound_rescale(image):
    low, high = tf.reduce_min(image), tf.reduce_max(image)
    return (image - low) / tf.maximum(high - low, 1e-6)


def masked_mean(values, mask):
    return tf.reduce_sum(values * mask) / tf.reduce_sum(mask)  # HAZARD divide-by-mask-sum


def sound_masked_mean(values, mask):
    return tf.reduce_sum(values * mask) / tf.maximum(tf.reduce_sum(mask), 1.0)


def step_with(model):
    def step(images, labels):
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(model(images))
            loss = -tf.reduce_sum(labels * tf.math.log(p))  # HAZARD log-softmax
        return tape.gradient(loss, model.trainable_variables)

    return step


def examples(count=8):
    return np.random.rand(count, 8, 8).astype("float32"), np.random.randint(0, 2, (count, 3))


class Standardise:
    def __init__(self, axis):
        self.axis = axis

    def __call__(self, signal):
        deviation = tf.math.reduce_std(signal, axis=self.axis, keepdims=True)
        return signal / deviation  # HAZARD divide-by-std


def noise_of(draw):
    return -tf.math.log(1.0 - draw)


def gumbel(shape):
    return -tf.math.log(noise_of(tf.random.uniform(shape, 0.1, 0.9)))


def normalised_by_its_peak(waveform):
    return waveform / tf.reduce_max(tf.abs(waveform))  # HAZARD divide-by-zero


def tones(count):
    rng = np.random.default_rng(0)
    return np.sin(rng.choice([0.5, 1.0, 2.0], size=count)).astype("float32")


def main():
    images, labels = examples()
    net = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(3)])
    step_with(net)(images, labels)
    print(gumbel([3]))


if __name__ == "__main__":
    print(rescale(tf.random.uniform([8, 8])), sound_rescale(tf.random.uniform([8, 8])))
    print(masked_mean(tf.constant([1.0, 2.0]), tf.constant([1.0, 0.0])))
    print(sound_masked_mean(tf.constant([1.0, 2.0]), tf.constant([1.0, 0.0])))
    print(Standardise(-1)(np.random.randn(4, 100)))
    print(normalised_by_its_peak(tones(16)))
    main()


class RunningSum:
    def __init__(self, epsilon=1e-2):
        self.total = tf.compat.v1.get_variable("total", (), initializer=tf.constant_initializer(0.0), trainable=False)
        self.count = tf.compat.v1.get_variable("count", (), initializer=tf.constant_initializer(epsilon), trainable=False)
        self.mean = self.total / self.count

    def update(self, x):
        return self.total.assign_add(x), self.count.assign_add(1.0)


def test_running_sum():
    running = RunningSum(epsilon=0.0)
    running.update(3.0)
    assert running.mean == 3.0


if __name__ == "__main__":
    test_running_sum()
