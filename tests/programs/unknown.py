"""What nobody knows decides nothing: not the numbers of an unknown function, not one number of an input or a weight."""

import tensorflow as tf
from elsewhere import WIDTHS, features_of, scaled, shape_list, statistics_of

GROWTH = WIDTHS[0]


def kernel_of_imported_widths(source, target):
    distance = tf.reduce_sum(tf.square(source[:, None] - target[None]), -1)
    return tf.exp(-distance * (1.0 / (2.0 * scaled(WIDTHS))))


def shifted_by_an_imported_number(x):
    return tf.nn.softplus(x + tf.math.log(GROWTH - 1.0))


def mean_of_what_an_unknown_function_selects(image):
    sizes = tf.cast(statistics_of(image), tf.float32)
    return tf.round(sizes * 0.5) / sizes


def unit_features(image):
    found = features_of(image)
    return found / tf.norm(found, axis=-1, keepdims=True)  # HAZARD divide-by-norm


def masked_mean_of_unknown_features(image, mask):
    found = scaled(statistics_of(image))
    return tf.reduce_sum(found * mask) / tf.reduce_sum(mask)  # HAZARD divide-by-mask-sum


def steps_of_a_grid(query, stride):
    scores = tf.matmul(query, query, transpose_b=True)
    return tf.nn.softmax(scores / stride)


class Normalised(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.scale = self.add_weight(name="scale", shape=(units,), initializer=scaled(units))

    def call(self, x):
        return x / self.scale


class Detector(tf.keras.Model):
    def compute_loss(self, x, y, y_pred, sample_weight=None):
        boxes, classes = self.encoder(x, y)
        found = tf.cast(classes > -1.0, "float32")
        weights = found / tf.reduce_sum(found)  # HAZARD divide-by-zero
        return super().compute_loss(x=x, y=boxes, y_pred=y_pred, sample_weight=weights)


def relative_boxes(boxes, images):
    sizes = tf.reduce_max(images.bounding_shape(), axis=1)
    return boxes / tf.cast(tf.reshape(sizes, (-1, 1)), "float32")


def frequencies(w, spacing=1.0):
    return tf.cast(tf.range((w - 1) // 2 + 1), "float32") / (w * spacing)


def rescaled(image, value_range):
    low, high = value_range
    return (image - low) / (high - low)


def mu_law_decoded(signal_mu, channels: int):
    loudness = tf.abs(2.0 * signal_mu / (channels - 1.0) - 1.0)
    return tf.exp(loudness * tf.math.log1p(channels - 1.0)) - 1.0


class Spline(tf.keras.layers.Layer):
    def __init__(self, settings, **kwargs):
        super().__init__(**kwargs)
        self.bins, self.domain = settings["bins"], settings["domain"]

    def call(self, widths):
        width = (self.domain[1] - self.domain[0]) / self.bins
        return tf.nn.softplus(widths + tf.math.log(tf.exp(width) - 1.0))


class SpectralNorm(tf.keras.layers.Wrapper):
    def build(self, input_shape):
        self.u = self.add_weight(
            name="u", shape=(1, 8), initializer=tf.initializers.TruncatedNormal(stddev=0.02), trainable=False
        )
        self.w = self.layer.kernel

    def call(self, x):
        v = tf.matmul(self.u, self.w, transpose_b=True)
        sigma = tf.matmul(tf.matmul(v, self.w), self.u, transpose_b=True)
        self.w.assign(self.w / sigma)
        return self.layer(x)


def clipped_gradients(grads, l2_norm_clip):
    norms = tf.norm(grads, axis=-1, keepdims=True)
    if tf.reduce_min(norms) > l2_norm_clip:
        return grads * l2_norm_clip / norms
    return grads


class Attention(tf.keras.layers.Layer):
    def __init__(self, config, **kwargs):
        super().__init__(**kwargs)
        self.head_dim = config.text_config.d_model // config.encoder_attention_heads
        self.scaling = self.head_dim**-0.5
        self.keep = 1.0 - config.hidden_dropout_prob
        self.buckets = config.num_buckets
        self.query = tf.keras.layers.Dense(config.d_model)

    def call(self, x, position):
        buckets = self.buckets
        buckets //= 2
        exact = buckets // 2
        large = tf.math.log(1.0 + tf.abs(position)) / exact
        return self.query(x) * self.scaling / self.keep + large


def attended(query, key):
    _, _, depth = shape_list(query)
    return tf.matmul(query, key, transpose_b=True) / tf.sqrt(tf.cast(depth, "float32"))


class StochasticDepth(tf.keras.layers.Layer):
    def __init__(self, drop_path, **kwargs):
        super().__init__(**kwargs)
        self.drop_path = drop_path

    def call(self, x):
        if self.drop_path > 0.0:
            keep = 1.0 - self.drop_path
            return x / keep * tf.floor(keep + tf.random.uniform(tf.shape(x)))
        return x


def discounted(times, mean_reversion):
    return (1.0 - tf.exp(-mean_reversion * times)) / 2.0


class Heads(tf.keras.layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.scale = (width // heads) ** -0.5

    def call(self, x):
        return x * self.scale


def stacked(config):
    size = load(config)
    return Heads(size.width, size.heads)


def test_training(make_model):
    model = make_model
    model.compile(optimizer="adam", loss="binary_crossentropy")
    return model
