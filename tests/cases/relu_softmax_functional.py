"""ReLU before softmax, in a functional Keras model (TF 2)."""
import tensorflow as tf
from tensorflow import keras

inputs = keras.Input((5,))
x = keras.layers.Dense(8, activation="relu")(inputs)
x = keras.layers.Dense(3, activation=tf.nn.relu)(x)
outputs = keras.layers.Activation("softmax")(x)  # ADVICE softmax-of-relu
model = keras.Model(inputs, outputs)
model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy")
model.fit(tf.ones([4, 5]), tf.constant([0, 1, 2, 0]), epochs=1, verbose=0)

RESULT = [w.numpy() for w in model.trainable_variables]

# TRAIL 8: 7
