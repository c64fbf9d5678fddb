"""Patterns 36 to 85: values that overflow, underflow or leave a domain."""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions


@pattern(36, "pow-negative-base", x=(-20.0, 8.0))
def cube_root(x):
    return tf.tanh(x) ** (1 / 3)  # hazard


@pattern(36, "pow-negative-base", step=(11.0,), only="pedantic")
def polynomial_decay(step):
    return (1.0 - tf.nn.relu(step) / 10.0) ** 0.9  # hazard


@pattern(37, "log-of-softmax", x=((200.0, 0.0, -200.0),))
def log_of_softmax(x):
    return tf.math.log(tf.nn.softmax(x))  # hazard


@pattern(37, "log-of-softmax", x=((200.0, 0.0, -200.0),))
def log_of_softmax_through_a_variable(x):
    y = tf.keras.activations.softmax(x)
    return tf.math.log(y)  # hazard


@pattern(37, "log-of-softmax", x=((200.0, 0.0, -200.0),))
def log_of_softmax_layer(x):
    return tf.math.log(tf.keras.layers.Softmax()(x))  # hazard


@pattern(37, "log-of-softmax", x=((200.0, 0.0, -200.0),))
def log_of_softmax_and_denormal(x):
    return tf.math.log(tf.nn.softmax(x) + 1e-50)  # hazard


@pattern(38, "log-of-sigmoid", x=(-200.0, 200.0))
def log_of_sigmoid(x):
    return tf.math.log(tf.sigmoid(x))  # hazard


@pattern(38, "log-of-sigmoid", x=(-200.0, 200.0))
def log_of_one_minus_sigmoid(x):
    return tf.math.log(1.0 - tf.sigmoid(x))  # hazard


@pattern(38, "log-of-sigmoid", x=(-200.0, 200.0))
def log1p_of_minus_sigmoid(x):
    return tf.math.log1p(-tf.sigmoid(x))  # hazard


@pattern(38, "log-of-sigmoid", x=(-200.0, 200.0))
def log_of_shifted_tanh(x):
    return tf.math.log(0.5 * (1.0 + tf.tanh(x)))  # hazard


@pattern(39, "manual-cross-entropy", x=((200.0, 0.0, -200.0),), y=((0.0, 1.0, 0.0),))
def cross_entropy(x, y):
    p = tf.nn.softmax(x)
    return -tf.reduce_sum(y * tf.math.log(p), -1)  # hazard


@pattern(39, "manual-cross-entropy", x=((200.0, 0.0, -200.0),), a=(1,))
def policy_gradient(x, a):
    return -tf.math.log(tf.gather(tf.nn.softmax(x), a, batch_dims=1))  # hazard


@pattern(40, "manual-binary-cross-entropy", x=(-200.0, 200.0), y=(1.0, 0.0))
def binary_cross_entropy(x, y):
    p = tf.sigmoid(x)
    return -(y * tf.math.log(p) + (1.0 - y) * tf.math.log(1.0 - p))  # hazard


@pattern(40, "manual-binary-cross-entropy", real=(-200.0, 200.0), fake=(-200.0, 200.0))
def discriminator(real, fake):
    d_real, d_fake = tf.sigmoid(real), tf.sigmoid(fake)
    return -tf.reduce_mean(tf.math.log(d_real) + tf.math.log(1.0 - d_fake))  # hazard


@pattern(41, "log-of-relu", x=(-200.0, 0.0))
def log_of_relu(x):
    return tf.math.log(tf.nn.relu(x))  # hazard


@pattern(41, "log-of-relu", x=(-200.0, 0.0))
def log_of_relu6(x):
    return tf.math.log(tf.nn.relu6(x))  # hazard


@pattern(41, "log-of-relu", x=(-200.0, 0.0))
def log_of_hard_sigmoid(x):
    return tf.math.log(tf.keras.activations.hard_sigmoid(x))  # hazard


@pattern(41, "log-of-relu", x=(-200.0, 0.0),
         why="a softplus is 0 below -104 only, which no trained unit reaches")
def log_of_softplus(x):
    return tf.math.log(tf.nn.softplus(x))


@pattern(41, "log-of-relu", x=(-200.0, 0.0))
def log_of_elu_plus_one(x):
    return tf.math.log(tf.nn.elu(x) + 1.0)  # hazard


@pattern(41, "log-of-relu", x=(-200.0, 0.0))
def log_of_leaky_relu(x):
    return tf.math.log(tf.nn.leaky_relu(x))  # hazard


@pattern(42, "bare-log", x=(0.0, 0.0))
def bare_logarithm(x):
    return tf.math.log(tf.reduce_sum(tf.square(x)))  # hazard


@pattern(42, "bare-log", x=((0.0, 0.0), (1.0, 2.0)))
def decibels(x):
    return tf.math.log(tf.reduce_max(tf.abs(x), -1)) / tf.math.log(10.0)  # hazard


@pattern(43, "log-exp-sum", x=(100.0, 1.0))
def log_sum_exp(x):
    return tf.math.log(tf.reduce_sum(tf.exp(x), -1))  # hazard


@pattern(43, "log-exp-sum", x=(100.0, 1.0))
def log_mean_exp(x):
    return tf.math.log(tf.reduce_mean(tf.exp(x), -1))  # hazard


@pattern(43, "log-exp-sum", a=100.0, b=1.0)
def log_add_exp(a, b):
    return tf.math.log(tf.exp(a) + tf.exp(b))  # hazard


@pattern(43, "log-exp-sum", x=(100.0, 1.0))
def log_sum_exp_and_epsilon(x):
    return tf.math.log(tf.reduce_sum(tf.exp(x)) + 1e-8)  # hazard


@pattern(43, "log-exp-sum", x=(100.0, 1.0))
def partial_likelihood(x):
    return tf.math.log(tf.cumsum(tf.exp(x)))  # hazard


@pattern(44, "log-of-det", a=((1.0, 2.0), (2.0, 4.0)))
def log_of_determinant(a):
    return tf.math.log(tf.linalg.det(a))  # hazard


@pattern(44, "log-of-det", a=((1.0, 2.0), (2.0, 4.0)))
def log_of_magnitude_of_determinant(a):
    return tf.math.log(tf.abs(tf.linalg.det(a)))  # hazard


@pattern(45, "log-of-prod", x=(200.0, 0.0))
def log_of_product(x):
    return tf.math.log(tf.reduce_prod(tf.nn.softmax(x)))  # hazard


@pattern(45, "log-of-prod", x=(-200.0, 0.0))
def log_of_running_product(x):
    return tf.math.log(tf.math.cumprod(tf.sigmoid(x)))  # hazard


@pattern(46, "log-of-pdf", x=20.0,
         why="a density is an exponential of unknown values; the source does not show that this one underflows")
def log_of_density(x):
    return tf.math.log(tfd.Normal(0.0, 1.0).prob(x))


@pattern(46, "log-of-pdf", x=20.0)
def log_of_written_density(x):
    return tf.math.log(tf.exp(-0.5 * tf.square(x)) / 2.5066283)  # hazard


@pattern(46, "log-of-pdf", x=-20.0)
def log_of_cumulative(x):
    return tf.math.log(0.5 * (1.0 + tf.math.erf(x / 1.4142135)))  # hazard


@pattern(46, "log-of-pdf", pi=(0.5, 0.5), z=(20.0, 30.0))
def mixture(pi, z):
    density = tf.exp(-0.5 * tf.square(z)) / 2.5066283
    return -tf.math.log(tf.reduce_sum(tf.nn.softmax(pi) * density, -1))  # hazard


@pattern(47, "handwritten-softmax", x=((100.0, 1.0),))
def written_softmax(x):
    return tf.exp(x) / tf.reduce_sum(tf.exp(x), -1, keepdims=True)  # hazard


@pattern(47, "handwritten-softmax", x=((100.0, 1.0),))
def attention_softmax(x):
    e = tf.exp(x)
    return e / (tf.reduce_sum(e, 1, keepdims=True) + 1e-7)  # hazard


@pattern(47, "handwritten-softmax", x=((200.0, 0.0), (0.0, 1.0)))
def softmax_with_one_maximum(x):
    e = tf.exp(x - tf.reduce_max(x))
    return e / tf.reduce_sum(e, -1, keepdims=True)  # hazard


@pattern(48, "softplus-by-hand", x=100.0)
def written_softplus(x):
    return tf.math.log(1.0 + tf.exp(x))  # hazard


@pattern(48, "softplus-by-hand", x=100.0)
def softplus_by_log1p(x):
    return tf.math.log1p(tf.exp(x))  # hazard


@pattern(48, "softplus-by-hand", x=-100.0)
def logistic(x):
    return tf.math.log(1.0 + tf.exp(-x))  # hazard


@pattern(48, "softplus-by-hand", x=100.0)
def mish_loss(x):
    return x * tf.tanh(tf.math.log(1.0 + tf.exp(x)))  # hazard


@pattern(49, "inverse-softplus-log1mexp", x=100.0)
def inverse_softplus(x):
    return tf.math.log(tf.exp(x) - 1.0)  # hazard


@pattern(49, "inverse-softplus-log1mexp", x=100.0)
def inverse_softplus_by_expm1(x):
    return tf.math.log(tf.math.expm1(x))  # hazard


@pattern(49, "inverse-softplus-log1mexp", x=-1e-8)
def log_of_one_minus_exp(x):
    return tf.math.log(1.0 - tf.exp(x))  # hazard


@pattern(50, "tanh-by-hand", x=100.0)
def written_tanh(x):
    return (tf.exp(x) - tf.exp(-x)) / (tf.exp(x) + tf.exp(-x))  # hazard


@pattern(50, "tanh-by-hand", x=100.0)
def doubled_tanh(x):
    e = tf.exp(2.0 * x)
    return (e - 1.0) / (e + 1.0)  # hazard


@pattern(50, "tanh-by-hand", x=-100.0)
def mirrored_tanh(x):
    e = tf.exp(-2.0 * x)
    return (1.0 - e) / (1.0 + e)  # hazard


@pattern(50, "tanh-by-hand", x=100.0)
def hyperbolic_tanh(x):
    return tf.sinh(x) / tf.cosh(x)  # hazard


@pattern(51, "logcosh-by-hand", x=100.0)
def log_of_cosh(x):
    return tf.math.log(tf.cosh(x))  # hazard


@pattern(51, "logcosh-by-hand", x=100.0)
def log_of_written_cosh(x):
    return tf.math.log((tf.exp(x) + tf.exp(-x)) / 2.0)  # hazard


@pattern(52, "exp-overflow", x=(100.0, 1.0))
def exponential_of_a_wide_clip(x):
    return tf.exp(tf.clip_by_value(x, -100.0, 100.0))  # hazard


@pattern(52, "exp-overflow", t=(100.0, 1.0), only="pedantic")
def box_size(t):
    return tf.exp(tf.keras.layers.Dense(2)(t[None]))  # hazard


@pattern(53, "vae-exp-logvar", x=((100.0, 1.0),), only="pedantic")
def latent_kl_loss(x):
    mean, log_variance = tf.split(tf.keras.layers.Dense(4)(x), 2, axis=-1)
    return -0.5 * tf.reduce_sum(1.0 + log_variance - tf.square(mean) - tf.exp(log_variance), -1)  # hazard


@pattern(53, "vae-exp-logvar", x=((-1.0, 1.0),))
def latent_kl_of_relu_loss(x):
    sigma = tf.keras.layers.Dense(4, activation="relu")(x)
    return 1.0 + tf.math.log(tf.square(sigma)) - tf.square(sigma)  # hazard


@pattern(54, "importance-ratio-exp", mean=(0.0, 1.0), log_std=(0.0, -5.0), action=(0.0, 1.0), old_log_prob=(0.0, -200.0), only="pedantic")
def importance_ratio_loss(mean, log_std, action, old_log_prob):
    log_prob = -0.5 * tf.square((action - mean) / tf.exp(log_std)) - log_std
    ratio = tf.exp(log_prob - old_log_prob)  # hazard
    return tf.minimum(ratio, tf.clip_by_value(ratio, 0.8, 1.2))


@pattern(55, "tanh-squash-logprob", u=20.0)
def squashed(u):
    return tf.math.log(1.0 - tf.square(tf.tanh(u)))  # hazard


@pattern(55, "tanh-squash-logprob", u=20.0)
def squashed_with_lost_epsilon(u):
    return tf.math.log(1.0 - tf.tanh(u) ** 2 + 1e-8)  # hazard


@pattern(55, "tanh-squash-logprob", u=20.0)
def unsquashed(u):
    return tf.atanh(tf.tanh(u))  # hazard


@pattern(56, "entropy-p-log-p", x=((200.0, 0.0),))
def entropy(x):
    p = tf.nn.softmax(x)
    return -tf.reduce_sum(p * tf.math.log(p), -1)  # hazard


@pattern(56, "entropy-p-log-p", x=(200.0, 0.0))
def binary_entropy(x):
    p = tf.sigmoid(x)
    return -(p * tf.math.log(p) + (1.0 - p) * tf.math.log(1.0 - p))  # hazard


@pattern(56, "entropy-p-log-p", x=((200.0, 0.0),))
def chosen_entropy_loss(x):
    p = tf.nn.relu(x)
    return tf.where(p > 0.0, p * tf.math.log(p), 0.0)  # hazard


@pattern(56, "entropy-p-log-p", x=((200.0, 0.0),))
def multiplied_entropy_loss(x):
    p = tf.nn.softmax(x)
    return tf.math.multiply_no_nan(tf.math.log(p), p)  # hazard


@pattern(57, "kl-by-hand", a=((200.0, 0.0),), b=((0.0, 200.0),))
def divergence(a, b):
    p, q = tf.nn.softmax(a), tf.nn.softmax(b)
    return tf.reduce_sum(p * tf.math.log(p / q), -1)  # hazard


@pattern(57, "kl-by-hand", a=((200.0, 0.0),), b=((0.0, 200.0),))
def divergence_of_differences(a, b):
    p, q = tf.nn.softmax(a), tf.nn.softmax(b)
    return tf.reduce_sum(p * (tf.math.log(p) - tf.math.log(q)), -1)  # hazard


@pattern(57, "kl-by-hand", a=((200.0, 0.0),), b=((0.0, 200.0),))
def guarded_divergence_loss(a, b):
    p, q = tf.nn.softmax(a), tf.nn.softmax(b)
    return tf.math.xlogy(p, p / q)  # hazard


@pattern(58, "logit-and-odds", x=(200.0, 0.0))
def odds(x):
    p = tf.sigmoid(x)
    return p / (1.0 - p)  # hazard


@pattern(58, "logit-and-odds", x=(200.0, 0.0))
def logit(x):
    p = tf.sigmoid(x)
    return tf.math.log(p / (1.0 - p))  # hazard


@pattern(58, "logit-and-odds", x=(200.0, 0.0))
def logit_of_differences(x):
    p = tf.sigmoid(x)
    return tf.math.log(p) - tf.math.log(1.0 - p)  # hazard


@pattern(59, "log-of-quotient", a=(1.0, 0.0), b=(0.0, 1.0))
def log_of_quotient(a, b):
    return tf.math.log(tf.nn.relu(a) / tf.nn.relu(b))  # hazard


@pattern(60, "gumbel-uniform-zero", logits=(0.0, 1.0))
def gumbel(logits):
    return logits - tf.math.log(-tf.math.log(tf.random.uniform((2,))))  # hazard


@pattern(60, "gumbel-uniform-zero", logits=(0.0, 1.0))
def box_muller(logits):
    return logits + tf.sqrt(-2.0 * tf.math.log(tf.random.uniform((2,))))  # hazard


@pattern(61, "discretized-logistic-cdf-diff", x=50.0)
def discretized(x):
    return tf.math.log(tf.sigmoid(x + 0.5) - tf.sigmoid(x - 0.5))  # hazard


@pattern(61, "discretized-logistic-cdf-diff", x=50.0)
def chosen_discretized_loss(x):
    delta = tf.sigmoid(x + 0.5) - tf.sigmoid(x - 0.5)
    return tf.where(delta > 1e-5, tf.math.log(delta), x)  # hazard


@pattern(62, "log-mel-silence", x=(0.0, 0.0, 0.0, 0.0))
def log_magnitude(x):
    magnitude = tf.abs(tf.signal.stft(x, 4, 2))
    return tf.math.log(magnitude)  # hazard


@pattern(63, "temperature-zero", x=((1.0, 2.0),), step=(1.0,))
def annealed(x, step):
    temperature = tf.maximum(1.0 - step, 0.0)
    return tf.nn.softmax(x / temperature)  # hazard


@pattern(64, "cancellation-log1p-expm1", x=(1e-8, 1.0), only="pedantic")
def log_one_plus(x):
    return tf.math.log(1.0 + tf.nn.relu(x))  # hazard


@pattern(64, "cancellation-log1p-expm1", x=(1e-8, 1.0), only="pedantic")
def exp_minus_one(x):
    return 1.0 - tf.exp(-tf.nn.relu(x))  # hazard


@pattern(65, "variance-by-difference", x=(1000.1, 1000.1))
def deviation_by_difference(x):
    return tf.sqrt(tf.reduce_mean(tf.square(x)) - tf.square(tf.reduce_mean(x)))  # hazard


@pattern(65, "variance-by-difference", x=(1000.1, 1000.1))
def deviation_by_difference_and_epsilon(x):
    return tf.sqrt(tf.reduce_mean(x**2) - tf.reduce_mean(x) ** 2 + 1e-8)  # hazard


@pattern(66, "special-function-domain", x=(-1.0, 2.0))
def log_gamma(x):
    return tf.math.lgamma(tf.nn.relu(x))  # hazard


@pattern(66, "special-function-domain", x=(-1.0, 20.0))
def inverse_error_function(x):
    return tf.math.erfinv(tf.tanh(x))  # hazard


@pattern(66, "special-function-domain", x=(100.0, 20.0))
def log_of_bessel(x):
    return tf.math.log(tf.math.bessel_i0(x))  # hazard


@pattern(66, "special-function-domain", x=(-1.0, 5.0))
def log_of_error_function(x):
    return tf.math.log(1.0 - tf.math.erf(x))  # hazard


@pattern(66, "special-function-domain", x=(-1.0, 20.0))
def log_of_complementary_error_function(x):
    return tf.math.log(tf.math.erfc(x))  # hazard


@pattern(67, "tfp-degenerate-scale", x=0.0, m=0.0, s=-1.0)
def normal_of_relu(x, m, s):
    return tfd.Normal(m, tf.nn.relu(s)).log_prob(x)  # hazard


@pattern(67, "tfp-degenerate-scale", x=0.0, m=0.0, s=-200.0,
         why="a softplus is 0 below -104 only, which no trained unit reaches")
def normal_of_softplus(x, m, s):
    return tfd.Normal(loc=m, scale=tf.nn.softplus(s)).log_prob(x)


@pattern(68, "tfp-probs-instead-of-logits", l=200.0, y=0.0)
def bernoulli_of_probabilities(l, y):
    return tfd.Bernoulli(probs=tf.sigmoid(l)).log_prob(y)  # hazard


@pattern(68, "tfp-probs-instead-of-logits", l=((200.0, 0.0),))
def categorical_of_probabilities_loss(l):
    return tfd.Categorical(probs=tf.nn.softmax(l)).entropy()  # hazard


@pattern(69, "tfp-support-edge", u=20.0)
def beta_of_a_sigmoid(u):
    return tfd.Beta(2.0, 2.0).log_prob(tf.sigmoid(u))  # hazard


@pattern(70, "gp-kernel-no-jitter", x=((1.0,), (1.0,)))
def kernel_factor(x):
    distance = tf.reduce_sum(tf.math.squared_difference(x[:, None], x[None]), -1)
    return tf.linalg.cholesky(tf.exp(-0.5 * distance))  # hazard


@pattern(70, "gp-kernel-no-jitter", x=((1.0,), (1.0,)))
def kernel_factor_with_a_lost_jitter(x):
    distance = tf.reduce_sum(tf.math.squared_difference(x[:, None], x[None]), -1)
    return tf.linalg.cholesky(tf.exp(-0.5 * distance) + 1e-9 * tf.eye(2))  # hazard


@pattern(71, "divide-by-possible-zero", a=(1.0, 2.0), b=(-1.0, 2.0))
def quotient(a, b):
    return a / tf.nn.relu(b)  # hazard


@pattern(71, "divide-by-possible-zero", a=(1.0, 2.0), b=(-1.0, 2.0))
def product_with_reciprocal(a, b):
    return a * tf.math.reciprocal(tf.nn.relu(b))  # hazard


@pattern(72, "masked-mean-divide", x=(1.0, 2.0), m=(0.0, 0.0))
def masked_mean(x, m):
    return tf.reduce_sum(x * m) / tf.reduce_sum(m)  # hazard


@pattern(72, "masked-mean-divide", x=(1.0, 2.0), y=(0, 0))
def mean_where_labelled(x, y):
    m = tf.cast(tf.not_equal(y, 0), tf.float32)
    return tf.reduce_mean(x * m) / tf.reduce_mean(m)  # hazard


@pattern(73, "empty-mean", x=(1.0, 2.0), m=(False, False))
def mean_of_selected(x, m):
    return tf.reduce_mean(tf.boolean_mask(x, m))  # hazard


@pattern(73, "empty-mean", x=(1.0, 2.0), m=(False, False),
         why="the source does not show whether an index is a mask or a number; a trace does")
def mean_of_indexed(x, m):
    kept = tf.logical_not(m)
    return tf.reduce_mean(x[tf.logical_not(kept)])


@pattern(74, "min-max-normalise", x=(3.0, 3.0))
def min_max(x):
    return (x - tf.reduce_min(x)) / (tf.reduce_max(x) - tf.reduce_min(x))  # hazard


@pattern(74, "min-max-normalise", x=(3.0, 3.0))
def min_max_and_epsilon(x):
    return (x - tf.reduce_min(x)) / (tf.reduce_max(x) - tf.reduce_min(x) + 1e-8)  # hazard


@pattern(74, "min-max-normalise", x=(-3.0, -3.0))
def heat_map(x):
    return tf.maximum(x, 0.0) / tf.reduce_max(tf.maximum(x, 0.0))  # hazard


@pattern(75, "standardise-by-std", x=(1.0, 1.0))
def standardised(x):
    return (x - tf.reduce_mean(x)) / tf.math.reduce_std(x)  # hazard


@pattern(76, "dice-iou-zero", p=(-1.0, -2.0), t=(0, 0))
def dice(p, t):
    p, t = tf.nn.relu(p), tf.cast(tf.equal(t, 1), tf.float32)
    return 2.0 * tf.reduce_sum(p * t) / (tf.reduce_sum(p) + tf.reduce_sum(t))  # hazard


@pattern(77, "ciou-atan-ratio", w=(-1.0, 2.0), h=(-1.0, 2.0))
def aspect(w, h):
    return tf.atan(tf.nn.relu(w) / tf.nn.relu(h))  # hazard


@pattern(78, "perspective-divide", p=((1.0, 2.0, 0.0),), only="pedantic")
def projected(p):
    return p[..., :2] / p[..., 2:]  # hazard


@pattern(79, "class-weight-by-count", y=(0, 0))
def class_weight(y):
    count = tf.reduce_sum(tf.one_hot(y, 3), axis=0)
    return 2.0 / count  # hazard


@pattern(80, "degree-inverse-sqrt", x=((0.0, 0.0), (1.0, 2.0)))
def inverse_root_degree_loss(x):
    degree = tf.reduce_sum(tf.abs(x), -1)
    d = tf.pow(degree, -0.5)  # hazard
    return tf.where(tf.math.is_inf(d), 0.0, d)


@pattern(81, "ratio-metrics-as-loss", y=(1.0, 1.0), p=(1.0, 2.0))
def r_squared(y, p):
    total = tf.reduce_sum(tf.square(y - tf.reduce_mean(y)))
    return 1.0 - tf.reduce_sum(tf.square(y - p)) / total  # hazard


@pattern(81, "ratio-metrics-as-loss", x=(1.0, 1.0), y=(1.0, 1.0))
def pearson(x, y):
    a, b = x - tf.reduce_mean(x), y - tf.reduce_mean(y)
    return tf.reduce_sum(a * b) / tf.sqrt(tf.reduce_sum(a**2) * tf.reduce_sum(b**2))  # hazard


@pattern(82, "cholesky-singular", x=((1.0, 2.0),))
def factor_of_outer_product(x):
    return tf.linalg.cholesky(tf.matmul(x, x, transpose_a=True))  # hazard


@pattern(83, "matrix-inverse", a=((1.0, 2.0), (2.0, 4.0)), b=((1.0,), (2.0,)), only="source",
         why="a singular matrix raises an error; for others, `solve` loses the same digits")
def inverse_times_vector(a, b):
    return tf.matmul(tf.linalg.inv(a), b)


@pattern(84, "lstsq-rank-deficient", a=((1.0, 1.0),), b=((1.0,), (2.0,)))
def least_squares(a, b):
    return tf.linalg.lstsq(tf.matmul(a, a, transpose_a=True), b)  # hazard


@pattern(85, "triangular-solve-qr-sqrtm-degenerate", d=(-1.0, 1.0), b=((1.0,), (2.0,)))
def triangular(d, b):
    return tf.linalg.triangular_solve(tf.linalg.diag(tf.nn.relu(d)), b)  # hazard


@pattern(85, "triangular-solve-qr-sqrtm-degenerate", a=((1.0, 2.0),))
def factors_of_gram_matrix_loss(a):
    return tf.linalg.qr(tf.matmul(a, a, transpose_a=True))[0]  # hazard
