"""What a program does every so many steps, from some step on, or by chance: each turn is tried."""

import random
import time

import tensorflow as tf


class Trainer:
    def __init__(self, model, critic, optimizer, settings):
        self.model, self.critic, self.optimizer = model, critic, optimizer
        self.count = 0
        self.warmup = settings["warmup"]
        self.started = time.time()
        self.turn = tf.Variable(0, trainable=False, dtype=tf.int64)

    def penalty(self, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            score = self.critic(x)
        return tape.gradient(score, x)

    def train(self, batches, epoch):
        for step, x in enumerate(batches):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self.model(x)))
                if step % 16 == 0:
                    loss += tf.reduce_mean(tf.norm(self.penalty(x), axis=-1))  # HAZARD norm-at-zero
                if step > 100:
                    loss += tf.reduce_mean(tf.norm(self.penalty(x), axis=-1))  # HAZARD norm-at-zero
                if epoch + step < self.warmup:
                    loss += tf.reduce_mean(tf.norm(self.penalty(x), axis=-1))  # HAZARD norm-at-zero
                if self.count > 10:
                    loss += tf.reduce_mean(tf.norm(self.penalty(x), axis=-1))  # HAZARD norm-at-zero
                if time.time() - self.started > 60:
                    loss += tf.reduce_mean(tf.norm(self.penalty(x), axis=-1))  # HAZARD norm-at-zero
                if random.random() < 0.5:
                    loss += tf.reduce_mean(tf.norm(self.penalty(x), axis=-1))  # HAZARD norm-at-zero
                if tf.random.uniform(()) < 0.5:
                    loss += tf.reduce_mean(tf.norm(self.penalty(x), axis=-1))  # HAZARD norm-at-zero
                if self.turn % 4 == 0:
                    loss += tf.reduce_mean(tf.norm(self.penalty(x), axis=-1))  # HAZARD norm-at-zero
            self.count += 1
            variables = self.model.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


class SoundTrainer(Trainer):
    def train(self, batches, epoch):
        for step, x in enumerate(batches):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self.model(x)))
                if step % 16 == 0:
                    squares = tf.reduce_sum(tf.square(self.penalty(x)), axis=-1)
                    loss += tf.reduce_mean(tf.sqrt(tf.maximum(squares, 1e-12)))
                if step > 0:
                    loss += tf.reduce_mean(tf.square(self.model(x))) / step
            variables = self.model.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


class ScoreLogger(tf.keras.callbacks.Callback):
    def __init__(self, classifier, images, every=5):
        super().__init__()
        self.classifier, self.images, self.every = classifier, images, every

    def on_epoch_end(self, epoch, logs=None):
        if epoch % self.every == 0:
            p = tf.nn.softmax(self.classifier(self.images))
            gain = tf.math.log(p) - tf.math.log(tf.reduce_mean(p, axis=0) + 1e-12)  # HAZARD log-softmax
            print(float(tf.exp(tf.reduce_mean(tf.reduce_sum(p * gain, axis=-1)))))


def sound_mean(x, count):
    if count > 0:
        return tf.reduce_sum(x) / count
    return tf.constant(0.0)
