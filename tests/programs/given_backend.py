"""The backend of Keras, which a library of losses is given as an argument: nothing is imported."""


def cross_entropy(gt, pr, **kwargs):
    backend = kwargs["backend"]
    pr = backend.softmax(pr)
    return -backend.mean(gt * backend.log(pr))  # HAZARD log-softmax


def sound_cross_entropy(gt, pr, backend):
    pr = backend.clip(backend.softmax(pr), backend.epsilon(), 1.0)
    return -backend.mean(gt * backend.log(pr))


def root(pr, *, backend=None):
    return backend.mean(backend.log(backend.relu(pr)))  # HAZARD log-relu
