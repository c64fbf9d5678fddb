"""A schedule reaches the end that its program states, whatever number of steps it is given."""

import tensorflow as tf


class Annealed:
    def __init__(self, start=4.0, end=0.0, total_steps=1000):
        self.start, self.end, self.total_steps = start, end, total_steps

    def __call__(self, step):
        share = tf.minimum(tf.cast(step, tf.float32) / self.total_steps, 1.0)
        return self.start * (1.0 - share)


class Distillation:
    def __init__(self, teacher, student, total_steps):
        self.teacher, self.student = teacher, student
        self.temperature = Annealed(total_steps=total_steps)
        self.optimizer = tf.keras.optimizers.Adam(1e-3)
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False)

    def train_step(self, x):
        self.step.assign_add(1)
        with tf.GradientTape() as tape:
            temperature = self.temperature(self.step)
            targets = tf.nn.softmax(self.teacher(x) / temperature, axis=-1)  # HAZARD divide-by-zero
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(targets, self.student(x)))
        weights = self.student.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))

    def sound_step(self, x):
        self.step.assign_add(1)
        with tf.GradientTape() as tape:
            temperature = 1.0 + self.temperature(self.step)
            targets = tf.nn.softmax(self.teacher(x) / temperature, axis=-1)
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(targets, self.student(x)))
        weights = self.student.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
