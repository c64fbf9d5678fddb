"""ReLU before softmax, in a Sequential model that is only compiled and trained (notebook style)."""
import tensorflow as tf
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Activation, Dense

model = Sequential()
model.add(Dense(8, activation="relu"))
model.add(Dense(3, activation="relu"))
model.add(Activation("softmax"))  # ADVICE softmax-of-relu
model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(tf.ones([4, 5]), tf.constant([0, 1, 2, 0]), epochs=1, verbose=0)

RESULT = [w.numpy() for w in model.trainable_variables]

# TRAIL 9: 8 10
