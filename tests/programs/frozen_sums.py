"""A layer whose weights stay at one number adds up what it is given: shares stay shares, and are no logits."""

import tensorflow as tf
from tensorflow.keras import layers

x = tf.keras.Input(shape=(5, 8))
chosen = tf.keras.Input(shape=(5, 4))
shares = layers.Dense(4, activation="sigmoid")(x)

total = layers.Dense(1, trainable=False, kernel_initializer=tf.keras.initializers.constant(value=1))
of_the_chosen = total(layers.Multiply()([shares, chosen]))
model = tf.keras.Model(inputs=[x, chosen], outputs=of_the_chosen)
model.compile(loss=tf.keras.losses.BinaryCrossentropy(), optimizer="sgd")

head = layers.Dense(1)
learned = tf.keras.Model(inputs=[x, chosen], outputs=head(layers.Multiply()([shares, chosen])))
learned.compile(loss=tf.keras.losses.BinaryCrossentropy(), optimizer="sgd")  # HAZARD logits-as-probabilities
