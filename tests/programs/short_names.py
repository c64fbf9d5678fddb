"""Labels and predictions under the short names of Keras programs."""

from tensorflow.keras import backend as K


def balanced_squares(yt, yp):
    total = K.sum(K.ones_like(yt))
    of_negatives = total * K.sum(K.square(yp * (1 - yt))) / K.sum(1 - yt)  # HAZARD divide-by-zero
    of_positives = total * K.sum(K.square(1.0 - yp * yt)) / K.sum(yt)  # HAZARD divide-by-zero
    return of_negatives + of_positives


def sound_balanced_squares(yt, yp):
    total = K.sum(K.ones_like(yt))
    of_negatives = total * K.sum(K.square(yp * (1 - yt))) / (K.sum(1 - yt) + K.epsilon())
    of_positives = total * K.sum(K.square(1.0 - yp * yt)) / (K.sum(yt) + K.epsilon())
    return of_negatives + of_positives
