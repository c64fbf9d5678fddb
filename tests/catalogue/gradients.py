"""Patterns 1 to 35: the value is right, and its gradient is not finite."""

import keras
import tensorflow as tf


@pattern(1, "norm-grad-zero", x=((0.0, 0.0), (3.0, 4.0)))
def norm_loss(x):
    return tf.norm(x, axis=-1)  # hazard


@pattern(1, "norm-grad-zero", x=((0.0, 0.0), (3.0, 4.0)))
def euclidean_norm_loss(x):
    return tf.math.reduce_euclidean_norm(x, axis=-1)  # hazard


@pattern(1, "norm-grad-zero", x=((0.0, 0.0), (3.0, 4.0)))
def cubic_norm_loss(x):
    return tf.norm(x, ord=3, axis=-1)  # hazard


@pattern(2, "sqrt-of-sum-square", x=((0.0, 0.0), (3.0, 4.0)))
def root_of_squares_loss(x):
    s = tf.reduce_sum(x * x, axis=1)
    return tf.sqrt(s)  # hazard


@pattern(2, "sqrt-of-sum-square", x=(0.0, 0.0), only="source")
def root_of_dot_product_loss(x):
    return tf.sqrt(tf.tensordot(x, x, 1))  # hazard


@pattern(3, "sqrt-grad-zero", x=(-1.0, 0.0, 4.0))
def square_root_loss(x):
    return tf.sqrt(tf.maximum(x, 0.0))  # hazard


@pattern(3, "sqrt-grad-zero", x=(-1.0, 0.0, 4.0))
def reciprocal_root_loss(x):
    v = tf.nn.relu(x)
    return v * tf.math.rsqrt(v)  # hazard


@pattern(3, "sqrt-grad-zero", x=(-1.0, 0.0, 4.0))
def root_by_logarithm_loss(x):
    return tf.exp(0.5 * tf.math.log(tf.nn.relu(x)))  # hazard


@pattern(4, "rmse-grad-zero", y=(1.0, 2.0), p=(1.0, 2.0))
def rmse_loss(y, p):
    return tf.sqrt(tf.reduce_mean(tf.square(p - y)))  # hazard


@pattern(4, "rmse-grad-zero", y=(1.0, 2.0), p=(1.0, 2.0))
def rmse_of_library_loss(y, p):
    return tf.sqrt(tf.keras.losses.mse(y, p))  # hazard


@pattern(4, "rmse-grad-zero", y=(1.0, 2.0), p=(1.0, 2.0))
def rmse_of_loss_object_loss(y, p):
    return tf.sqrt(tf.keras.losses.MeanSquaredError()(y, p))  # hazard


@pattern(5, "std-grad-zero", x=((1.0, 1.0), (1.0, 2.0)))
def deviation_loss(x):
    return tf.math.reduce_std(x, axis=-1)  # hazard


@pattern(5, "std-grad-zero", x=((1.0, 1.0), (1.0, 2.0)))
def root_of_moments_loss(x):
    mean, variance = tf.nn.moments(x, [1])
    return tf.sqrt(variance)  # hazard


@pattern(6, "euclidean-distance-zero", a=((1.0, 2.0),), b=((1.0, 2.0),))
def distance_loss(a, b):
    return tf.norm(a - b, axis=-1)  # hazard


@pattern(6, "euclidean-distance-zero", a=((1.0, 2.0),), b=((1.0, 2.0),))
def written_distance_loss(a, b):
    return tf.sqrt(tf.reduce_sum(tf.math.squared_difference(a, b), -1))  # hazard


@pattern(7, "pairwise-distance-negative", x=((1.0, 2.0), (1.0, 2.0)))
def pairwise_distance_loss(x):
    square = tf.reduce_sum(x * x, 1, keepdims=True)
    d2 = square - 2.0 * tf.matmul(x, x, transpose_b=True) + tf.transpose(square)
    return tf.sqrt(d2)  # hazard


@pattern(7, "pairwise-distance-negative", x=((1.0, 2.0), (1.0, 2.0)))
def clamped_pairwise_distance_loss(x):
    square = tf.reduce_sum(x * x, 1, keepdims=True)
    d2 = square - 2.0 * tf.matmul(x, x, transpose_b=True) + tf.transpose(square)
    return tf.sqrt(tf.maximum(d2, 0.0))  # hazard


@pattern(8, "wgan-gp-gradient-norm", x=((1.0, 2.0),))
def gradient_penalty_loss(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = tf.reduce_sum(tf.tanh(x))
    gradients = tape.gradient(score, x)
    slopes = tf.sqrt(tf.reduce_sum(tf.square(gradients), axis=1))  # hazard
    return tf.reduce_mean((slopes - 1.0) ** 2)


@pattern(9, "contrastive-triplet-distance", a=((1.0, 2.0),), p=((1.0, 2.0),), n=((1.0, 2.0),))
def triplet_loss(a, p, n):
    near = tf.norm(a - p, axis=-1)  # hazard
    far = tf.norm(a - n, axis=-1)  # hazard
    return tf.maximum(near - far + 0.5, 0.0)


@pattern(10, "normalize-by-norm", x=((0.0, 0.0), (3.0, 4.0)))
def normalized(x):
    return x / tf.norm(x, axis=-1, keepdims=True)  # hazard


@pattern(10, "normalize-by-norm", x=((0.0, 0.0), (3.0, 4.0)))
def normalized_by_root(x):
    return x / tf.sqrt(tf.reduce_sum(tf.square(x), 1, keepdims=True))  # hazard


@pattern(10, "normalize-by-norm", x=((0.0, 0.0), (3.0, 4.0)))
def normalized_by_library(x):
    return tf.linalg.normalize(x, axis=-1)[0]  # hazard


@pattern(10, "normalize-by-norm", a=((0.0, 0.0),), b=((3.0, 4.0),))
def cosine(a, b):
    return tf.reduce_sum(a * b, -1) / (tf.norm(a, axis=-1) * tf.norm(b, axis=-1))  # hazard


@pattern(11, "pow-fractional-zero", x=(-1.0, 0.0, 4.0))
def fractional_power_loss(x):
    return tf.nn.relu(x) ** 0.3  # hazard


@pattern(12, "pow-zero-exponent-or-tensor-exponent", x=(-1.0, 0.0, 4.0))
def zeroth_power_loss(x):
    return tf.pow(tf.nn.relu(x), 0.0)  # hazard


@pattern(12, "pow-zero-exponent-or-tensor-exponent", x=(-1.0, 0.0, 4.0))
def power_of_itself_loss(x):
    v = tf.nn.relu(x)
    return v**v  # hazard


@pattern(13, "abs-pow-signed-root", x=((0.0, 0.0), (3.0, 4.0)))
def power_of_magnitude_loss(x):
    return tf.reduce_sum(tf.abs(x), -1) ** 0.75  # hazard


@pattern(13, "abs-pow-signed-root", x=((0.0, 0.0), (3.0, 4.0)))
def charbonnier_loss(x):
    return tf.pow(tf.reduce_sum(tf.square(x), -1), 0.45)  # hazard


@pattern(13, "abs-pow-signed-root", x=((0.0, 2.0), (3.0, 4.0)), only="pedantic")
def signed_power_loss(x):
    return tf.sign(x) * tf.pow(tf.abs(x), 1 / 3)  # hazard


@pattern(14, "focal-loss-gamma-below-1", x=(-200.0, 200.0))
def focal_loss(x):
    p = tf.sigmoid(x)
    return tf.pow(1.0 - p, 0.5) * tf.nn.softplus(-x)  # hazard


@pattern(14, "focal-loss-gamma-below-1", x=(-200.0, 200.0))
def focal_with_a_logarithm_loss(x):
    p = tf.sigmoid(x)
    return -((1.0 - p) ** 2.0) * tf.math.log(p)  # hazard


@pattern(15, "srgb-lab-gamma-where", x=(0.0, 0.5))
def srgb_loss(x):
    x = tf.clip_by_value(x, 0.0, 1.0)
    return tf.where(x <= 0.0031308, 12.92 * x, 1.055 * tf.pow(x, 1 / 2.4) - 0.055)  # hazard


@pattern(16, "acos-asin-atanh-domain-edge", u=((2.0, 0.0),), v=((2.0, 0.0),))
def angle_loss(u, v):
    cosine = tf.reduce_sum(tf.math.l2_normalize(u, axis=-1) * tf.math.l2_normalize(v, axis=-1), -1)
    return tf.acos(cosine)  # hazard


@pattern(16, "acos-asin-atanh-domain-edge", x=(-1.0, 0.5, 1.0))
def clipped_angle_loss(x):
    return tf.acos(tf.clip_by_value(x, -1.0, 1.0))  # hazard


@pattern(16, "acos-asin-atanh-domain-edge", x=(-1.0, 0.5, 1.0))
def barely_clipped_angle_loss(x):
    return tf.acos(tf.clip_by_value(x, -1 + 1e-8, 1 - 1e-8))  # hazard


@pattern(17, "arcface-sine-from-cosine", u=((2.0, 0.0),), w=((2.0,), (0.0,)))
def sine_from_cosine_loss(u, w):
    cosine = tf.matmul(tf.math.l2_normalize(u, axis=1), tf.math.l2_normalize(w, axis=0))
    return tf.sqrt(1.0 - tf.square(cosine))  # hazard


@pattern(17, "arcface-sine-from-cosine", u=((2.0, 0.0),), w=((2.0,), (0.0,)))
def clipped_sine_from_cosine_loss(u, w):
    cosine = tf.matmul(tf.math.l2_normalize(u, axis=1), tf.math.l2_normalize(w, axis=0))
    return tf.sqrt(tf.clip_by_value(1.0 - tf.square(cosine), 0.0, 1.0))  # hazard


@pattern(18, "atan2-origin", x=(-1.0, 2.0), y=(-1.0, 2.0))
def polar_angle_loss(x, y):
    return tf.atan2(tf.nn.relu(y), tf.nn.relu(x))  # hazard


@pattern(18, "atan2-origin", x=(-1.0, 2.0), y=(0.0, 2.0))
def angle_of_a_quotient(x, y):
    return tf.atan(y / tf.nn.relu(x))  # hazard


@pattern(19, "complex-angle-gradient", x=(0.0, 0.0, 0.0, 0.0))
def phase_loss(x):
    spectrum = tf.signal.rfft(x)
    return tf.math.angle(spectrum)  # hazard


@pattern(19, "complex-angle-gradient", x=(0.0, 0.0, 0.0, 0.0))
def magnitude_loss(x):
    spectrum = tf.signal.rfft(x)
    return tf.sqrt(tf.math.real(spectrum) ** 2 + tf.math.imag(spectrum) ** 2)  # hazard


@pattern(20, "where-nan-gradient", x=(-1.0, 0.0, 2.0))
def chosen_logarithm_loss(x):
    v = tf.nn.relu(x)
    return tf.where(v > 0.0, tf.math.log(v), 0.0)  # hazard


@pattern(20, "where-nan-gradient", a=(1.0, 2.0), b=(0.0, 2.0))
def chosen_quotient_loss(a, b):
    return tf.where(tf.not_equal(b, 0.0), a / b, 0.0)  # hazard


@pattern(20, "where-nan-gradient", x=(0.0, 2.0))
def chosen_sinc_loss(x):
    return tf.where(tf.not_equal(x, 0.0), tf.sin(x) / x, 1.0)  # hazard


@pattern(20, "where-nan-gradient", x=(0.0, 100.0))
def chosen_exponential_loss(x):
    return tf.where(x < 80.0, tf.exp(x), 0.0)  # hazard


@pattern(20, "where-nan-gradient", x=(0.0, 100.0))
def chosen_softplus_loss(x):
    return tf.where(x < 50.0, tf.math.log(1.0 + tf.exp(x)), x)  # hazard


@pattern(21, "cumprod-wrong-gradient", x=(-1.0, 0.5, 2.0), only="pedantic")
def transmittance_loss(x):
    alpha = 1.0 - tf.exp(-tf.nn.relu(x))
    return tf.math.cumprod(1.0 - alpha + 1e-10, axis=-1, exclusive=True)  # hazard


@pattern(21, "cumprod-wrong-gradient", x=(-1.0, 0.5, 2.0))
def running_product_loss(x):
    return tf.math.cumprod(tf.nn.relu(x))  # hazard


@pattern(22, "capsule-squash", s=((0.0, 0.0), (3.0, 4.0)))
def squash(s):
    n2 = tf.reduce_sum(tf.square(s), -1, keepdims=True)
    return n2 / (1.0 + n2) * s / tf.sqrt(n2)  # hazard


@pattern(23, "axis-angle-sinc-quaternion", v=((0.0, 0.0, 0.0),))
def axis_angle(v):
    angle = tf.norm(v, axis=-1, keepdims=True)
    return tf.sin(angle / 2.0) * v / angle  # hazard


@pattern(24, "image-gradient-magnitude", x=(((((1.0,), (1.0,)), ((1.0,), (1.0,)))),))
def edges_loss(x):
    return tf.sqrt(tf.reduce_sum(tf.square(tf.image.sobel_edges(x)), -1))  # hazard


@pattern(24, "image-gradient-magnitude", x=((1.0, 1.0), (1.0, 1.0)))
def slope_loss(x):
    dx, dy = x[:1, 1:] - x[:1, :-1], x[1:, :1] - x[:-1, :1]
    return tf.sqrt(dx**2 + dy**2)  # hazard


@pattern(25, "gem-pooling", x=((-1.0, -2.0), (3.0, 4.0)))
def pooled_loss(x):
    return tf.pow(tf.reduce_mean(tf.pow(tf.nn.relu(x), 3.0), axis=-1), 1.0 / 3.0)  # hazard


@pattern(26, "psnr-as-loss", a=(1.0, 2.0), b=(1.0, 2.0))
def written_psnr_loss(a, b):
    mse = tf.reduce_mean(tf.square(a - b))
    return -10.0 * tf.math.log(mse) / tf.math.log(10.0)  # hazard


@pattern(27, "ms-ssim-loss", mcs=(-0.5, 0.5), weights=(0.3, 0.7))
def structure_loss(mcs, weights):
    return tf.reduce_prod(tf.nn.relu(mcs) ** 0.3)  # hazard


@pattern(28, "silog-depth-loss", p=(1.0, 2.0), t=(1.0, 2.0))
def silog_loss(p, t):
    d = tf.math.log(p) - tf.math.log(t)
    return tf.sqrt(tf.reduce_mean(d**2) - 0.85 * tf.reduce_mean(d) ** 2)  # hazard


@pattern(29, "schedule-sqrt-edge", t=(0.0, 0.5, 1.0))
def noise_schedule_loss(t):
    alpha = tf.clip_by_value(t, 0.0, 1.0)
    return tf.sqrt(1.0 - alpha)  # hazard


@pattern(29, "schedule-sqrt-edge", t=(0.0, 0.5, 1.0))
def signal_schedule(t):
    alpha = tf.clip_by_value(t, 0.0, 1.0)
    return 1.0 / tf.sqrt(alpha)  # hazard


@pattern(30, "clip-by-global-norm-differentiated", x=(0.0, 0.0))
def clipped_loss(x):
    return tf.clip_by_global_norm([x], 1.0)[0]  # hazard


@pattern(31, "sigmoid-by-hand", x=(-200.0, 200.0))
def written_sigmoid_loss(x):
    return 1.0 / (1.0 + tf.exp(-x))  # hazard


@pattern(31, "sigmoid-by-hand", x=(-200.0, 200.0))
def quotient_sigmoid(x):
    return tf.exp(x) / (1.0 + tf.exp(x))  # hazard


@pattern(31, "sigmoid-by-hand", x=(-200.0, 200.0))
def written_swish_loss(x):
    return x / (1.0 + tf.exp(-x))  # hazard


@pattern(31, "sigmoid-by-hand", x=(-200.0, 200.0))
def written_tanh_loss(x):
    return 2.0 / (1.0 + tf.exp(-2.0 * x)) - 1.0  # hazard


@pattern(32, "elu-by-hand", x=(-200.0, 200.0))
def written_elu_loss(x):
    return tf.where(x > 0.0, x, tf.exp(x) - 1.0)  # hazard


@pattern(32, "elu-by-hand", x=(-200.0, 200.0))
def added_elu_loss(x):
    return tf.nn.relu(x) + tf.minimum(0.0, tf.exp(x) - 1.0)  # hazard


@pattern(33, "yolo-sqrt-wh", x=(-1.0, 0.0, 4.0), w=(1.0, 2.0, 3.0))
def box_loss(x, w):
    predicted = tf.nn.relu(x)
    return tf.square(tf.sqrt(predicted) - tf.sqrt(w))  # hazard


@pattern(34, "xla-only-zero-upstream-nan", x=((0.0, 0.0), (3.0, 4.0)))
def chosen_root_loss(x):
    s = tf.reduce_sum(tf.square(x), -1)
    return tf.where(s > 0.0, tf.sqrt(s), 0.0)  # hazard


@pattern(34, "xla-only-zero-upstream-nan", x=((0.0, 0.0), (3.0, 4.0)))
def divided_by_norm_and_epsilon_loss(x):
    return x / (tf.norm(x, axis=-1, keepdims=True) + 1e-8)  # hazard


@pattern(35, "near-degenerate-eigenvectors", a=((1.0, 0.0), (0.0, 1.0)),
         why="finite for exact repeats; ranges cannot show that two eigenvalues are nearly equal")
def eigenvector_loss(a):
    return tf.linalg.eigh(a)[1]
