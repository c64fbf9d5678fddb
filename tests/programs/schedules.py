"""Tables that an object is given have numbers that fit each other, whichever step is picked; the trial makes them up."""

import tensorflow as tf


class Sampler:
    def __init__(self, alphas_prev, sigmas):
        self.alphas_prev = alphas_prev
        self.sigmas = sigmas

    def step(self, index, noise):
        alpha = tf.gather(self.alphas_prev, index)
        sigma = tf.gather(self.sigmas, index)
        return tf.sqrt(alpha) + tf.sqrt(1 - alpha - sigma**2) * noise
