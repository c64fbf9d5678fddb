"""Formulas of everyday code that are sound: no situation makes them fail, and nothing is reported."""

from __future__ import annotations

import pytest
from trial_programs import findings, program

SOUND = """
def smooth_dice(y_true, y_pred, smooth=1.0):
    inter = tf.reduce_sum(y_true * y_pred, axis=[1, 2])
    union = tf.reduce_sum(y_true, axis=[1, 2]) + tf.reduce_sum(y_pred, axis=[1, 2])
    return 1.0 - tf.reduce_mean((2.0 * inter + smooth) / (union + smooth))


def layer_norm(x, gamma, beta, eps=1e-5):
    mean, var = tf.nn.moments(x, [-1], keepdims=True)
    return gamma * (x - mean) * tf.math.rsqrt(var + eps) + beta


def focal(y_true, logits, gamma=2.0):
    p = tf.sigmoid(logits)
    ce = tf.nn.sigmoid_cross_entropy_with_logits(labels=y_true, logits=logits)
    pt = y_true * p + (1 - y_true) * (1 - p)
    return tf.reduce_mean(tf.pow(1 - pt, gamma) * ce)


def haversine(lat1, lat2, dlon):
    a = tf.sin((lat2 - lat1) / 2) ** 2 + tf.cos(lat1) * tf.cos(lat2) * tf.sin(dlon / 2) ** 2
    return 2 * tf.asin(tf.sqrt(a))


def snr(signal, noise):
    ratio = tf.reduce_mean(tf.square(signal)) / (tf.reduce_mean(tf.square(noise)) + 1e-9)
    return 10 * tf.math.log(ratio + 1e-9) / tf.math.log(10.0)


def attention(q, k, v, mask):
    s = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
    s += (1.0 - mask) * -1e9
    return tf.matmul(tf.nn.softmax(s), v)


def temperature(logits, temperature):
    return tf.nn.softmax(logits / temperature)


def ppo(log_prob, old_log_prob, advantage, eps=0.2):
    ratio = tf.exp(log_prob - old_log_prob)
    return -tf.reduce_mean(tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 1 - eps, 1 + eps) * advantage))


def cosine(a, b):
    a = tf.nn.l2_normalize(a, -1)
    b = tf.nn.l2_normalize(b, -1)
    return tf.reduce_sum(a * b, -1)


def contrastive(y, d, margin=1.0):
    return tf.reduce_mean(y * tf.square(d) + (1 - y) * tf.square(tf.maximum(margin - d, 0.0)))


def gumbel(logits):
    u = tf.random.uniform(tf.shape(logits), minval=1e-6, maxval=1.0)
    return tf.nn.softmax(logits - tf.math.log(-tf.math.log(u)))


def huber(y, p, delta=1.0):
    e = tf.abs(y - p)
    return tf.where(e < delta, 0.5 * e * e, delta * (e - 0.5 * delta))


def minmax(image):
    lo, hi = tf.reduce_min(image), tf.reduce_max(image)
    return (image - lo) / tf.maximum(hi - lo, 1e-6)


def positional(position, d_model):
    angle = position / tf.pow(10000.0, tf.range(0, d_model, 2, dtype=tf.float32) / d_model)
    return tf.concat([tf.sin(angle), tf.cos(angle)], -1)


def masked_softmax(x, mask):
    e = tf.exp(x - tf.reduce_max(x, -1, keepdims=True)) * mask
    return e / (tf.reduce_sum(e, -1, keepdims=True) + 1e-9)


def iou(box1, box2):
    x1 = tf.maximum(box1[..., 0], box2[..., 0])
    y1 = tf.maximum(box1[..., 1], box2[..., 1])
    x2 = tf.minimum(box1[..., 2], box2[..., 2])
    y2 = tf.minimum(box1[..., 3], box2[..., 3])
    inter = tf.maximum(x2 - x1, 0.0) * tf.maximum(y2 - y1, 0.0)
    area1 = (box1[..., 2] - box1[..., 0]) * (box1[..., 3] - box1[..., 1])
    area2 = (box2[..., 2] - box2[..., 0]) * (box2[..., 3] - box2[..., 1])
    return inter / (area1 + area2 - inter + 1e-7)


def psnr(a, b):
    return -10.0 * tf.math.log(tf.reduce_mean(tf.square(a - b)) + 1e-10) / tf.math.log(10.0)


def wasserstein_gp(grads):
    norm = tf.sqrt(tf.reduce_sum(tf.square(grads), axis=[1, 2, 3]) + 1e-12)
    return tf.reduce_mean(tf.square(norm - 1.0))


def bce(y, p):
    p = tf.clip_by_value(p, 1e-7, 1 - 1e-7)
    return -tf.reduce_mean(y * tf.math.log(p) + (1 - y) * tf.math.log(1 - p))


def student_t(z, centers, alpha=1.0):
    d = tf.reduce_sum(tf.square(tf.expand_dims(z, 1) - centers), -1)
    q = 1.0 / (1.0 + d / alpha)
    q = q ** ((alpha + 1.0) / 2.0)
    return q / tf.reduce_sum(q, 1, keepdims=True)


def logcosh(y, p):
    x = p - y
    return tf.reduce_mean(x + tf.nn.softplus(-2.0 * x) - tf.math.log(2.0))


def triplet(anchor, positive, negative, margin=0.2):
    d = lambda a, b: tf.reduce_sum(tf.square(a - b), -1)
    return tf.reduce_mean(tf.maximum(d(anchor, positive) - d(anchor, negative) + margin, 0.0))


def batch_hard(labels, embeddings):
    dot = tf.matmul(embeddings, embeddings, transpose_b=True)
    sq = tf.linalg.diag_part(dot)
    d = tf.maximum(sq[None] - 2.0 * dot + sq[:, None], 0.0)
    m = tf.cast(tf.equal(d, 0.0), tf.float32)
    d = tf.sqrt(d + m * 1e-16) * (1.0 - m)
    return tf.reduce_mean(d)


def crf_norm(scores, mask):
    a = scores[:, 0]
    for t in range(1, 5):
        n = tf.reduce_logsumexp(a, -1, keepdims=True) + scores[:, t]
        a = tf.where(mask[:, t:t+1] > 0, n, a)
    return tf.reduce_logsumexp(a, -1)


def ema(values, decay=0.9):
    out = values[0]
    for v in values:
        out = decay * out + (1 - decay) * v
    return out


def adam(grad, m, v, t, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8):
    m = b1 * m + (1 - b1) * grad
    v = b2 * v + (1 - b2) * tf.square(grad)
    mh = m / (1 - tf.pow(b1, t))
    vh = v / (1 - tf.pow(b2, t))
    return lr * mh / (tf.sqrt(vh) + eps)


def group_norm(x, g, gamma, beta):
    n, h, w, c = x.shape
    x = tf.reshape(x, [n, h, w, g, c // g])
    mean, var = tf.nn.moments(x, [1, 2, 4], keepdims=True)
    x = (x - mean) / tf.sqrt(var + 1e-5)
    return tf.reshape(x, [n, h, w, c]) * gamma + beta


def entropy(logits):
    p = tf.nn.softmax(logits)
    return -tf.reduce_sum(p * tf.nn.log_softmax(logits), -1)


def js(p_logits, q_logits):
    lp, lq = tf.nn.log_softmax(p_logits), tf.nn.log_softmax(q_logits)
    lm = tf.reduce_logsumexp(tf.stack([lp, lq]), 0) - tf.math.log(2.0)
    return 0.5 * tf.reduce_sum(tf.exp(lp) * (lp - lm) + tf.exp(lq) * (lq - lm), -1)


def advantage_norm(adv):
    return (adv - tf.reduce_mean(adv)) / (tf.math.reduce_std(adv) + 1e-8)


def mape(y_true, y_pred):
    return 100 * tf.reduce_mean(tf.abs((y_true - y_pred) / tf.maximum(tf.abs(y_true), 1e-7)))


def r2(y_true, y_pred):
    res = tf.reduce_sum(tf.square(y_true - y_pred))
    tot = tf.reduce_sum(tf.square(y_true - tf.reduce_mean(y_true)))
    return 1 - res / (tot + 1e-7)


def f1(y_true, y_pred):
    tp = tf.reduce_sum(y_true * y_pred)
    p = tp / (tf.reduce_sum(y_pred) + 1e-7)
    r = tp / (tf.reduce_sum(y_true) + 1e-7)
    return 2 * p * r / (p + r + 1e-7)


def mixture(y, logits, mu, scale):
    s = tf.nn.softplus(scale) + 1e-3
    lp = -0.5 * tf.square((y - mu) / s) - tf.math.log(s)
    return -tf.reduce_mean(tf.reduce_logsumexp(tf.nn.log_softmax(logits) + lp, -1))


def rotary(x, pos):
    inv = 1.0 / (10000.0 ** (tf.range(0, 3, dtype=tf.float32) / 3.0))
    a = pos[:, None] * inv
    return x * tf.cos(a) + x * tf.sin(a)


def mel_log(audio):
    s = tf.abs(tf.signal.stft(audio, 256, 128))
    return tf.math.log(s + 1e-6)


def soft_iou(p, y):
    i = tf.reduce_sum(p * y)
    return (i + 1.0) / (tf.reduce_sum(p) + tf.reduce_sum(y) - i + 1.0)


def quantile(y, p, q=0.5):
    e = y - p
    return tf.reduce_mean(tf.maximum(q * e, (q - 1) * e))


def center(x, labels, centers):
    return tf.reduce_mean(tf.reduce_sum(tf.square(x - tf.gather(centers, labels)), -1))


def nce(z1, z2, temperature=0.1):
    z1, z2 = tf.math.l2_normalize(z1, 1), tf.math.l2_normalize(z2, 1)
    s = tf.matmul(z1, z2, transpose_b=True) / temperature
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.range(tf.shape(z1)[0]), logits=s)


def dueling(value, advantage):
    return value + advantage - tf.reduce_mean(advantage, axis=1, keepdims=True)


def td(reward, done, q_next, q, gamma=0.99):
    return tf.reduce_mean(tf.square(reward + gamma * (1 - done) * tf.reduce_max(q_next, 1) - tf.reduce_sum(q, 1)))
"""
FUNCTIONS = {text.partition("(")[0]: f"def {text}" for text in SOUND.split("\ndef ")[1:]}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_sound_formula_fails_in_no_ordinary_situation(name: str) -> None:
    likely = [f"{one.situation.name}: {one.summary}" for one in program(FUNCTIONS[name]).failures() if one.likely]
    assert likely == []
    assert findings(FUNCTIONS[name]) == []
