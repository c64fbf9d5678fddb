"""The layers of Keras and of TensorFlow 1 by what they do with a tensor, and their parameters in order."""

from __future__ import annotations

_CONVOLUTION = "filters kernel_size strides padding data_format dilation_rate activation"
WEIGHTED = frozenset(
    "Dense EinsumDense Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose DepthwiseConv1D "
    "DepthwiseConv2D SeparableConv1D SeparableConv2D Convolution1D Convolution2D LSTM GRU SimpleRNN Embedding "
    "BatchNormalization LayerNormalization GroupNormalization RMSNormalization PReLU MultiHeadAttention "
    "LocallyConnected1D LocallyConnected2D Bidirectional RNN ConvLSTM1D ConvLSTM2D ConvLSTM3D CuDNNLSTM CuDNNGRU "
    "Attention AdditiveAttention GroupedQueryAttention SpectralNormalization ReversibleEmbedding".split()
)
"""Layers with weights of their own."""
OP_LAYERS = {
    "ReLU": "tf.nn.relu",
    "Softmax": "tf.nn.softmax",
    "LeakyReLU": "tf.nn.leaky_relu",
    "ELU": "tf.nn.elu",
}
"""Layers that are one op."""
MERGING = {
    "Add": "add",
    "Subtract": "subtract",
    "Multiply": "multiply",
    "Maximum": "maximum",
    "Minimum": "minimum",
    "Concatenate": "concat",
    "Average": "stack",
}
"""Layers of several tensors: the op that joins them."""
REARRANGING = frozenset(
    "Flatten Reshape Permute RepeatVector UpSampling1D UpSampling2D UpSampling3D Cropping1D Cropping2D Cropping3D"
    " InputLayer".split()
)
"""Layers whose output holds every element of their input and nothing else."""
_POOLED = "pool_size strides padding data_format"
POOLING = {"Max": "reduce_max", "GlobalMax": "reduce_max", "Average": "reduce_mean", "GlobalAverage": "reduce_mean"}
DROPPING = frozenset(
    "Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D AlphaDropout GaussianDropout Masking "
    "ZeroPadding1D ZeroPadding2D ZeroPadding3D".split()
)
"""Layers whose output holds elements of their input and zeros."""
PASSING = frozenset(("ActivityRegularization", "InputLayer"))
"""Layers that hand on what they are given."""
APPLYING = {"Activation": "activation", "Lambda": "function", "TimeDistributed": "layer"}
"""Layers that apply a function, by the name of the parameter that gives it."""
PARAMETERS = {
    "Dense": "units activation",
    "EinsumDense": "equation output_shape activation",
    **dict.fromkeys("Conv1D Conv2D Conv3D SeparableConv1D SeparableConv2D".split(), _CONVOLUTION),
    **dict.fromkeys(("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"), _CONVOLUTION),
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN"), "units activation"),
    "Embedding": "input_dim output_dim",
    **APPLYING,
    "Softmax": "axis",
    "ReLU": "max_value negative_slope",
    "Concatenate": "axis",
    "Dropout": "rate",
    "Rescaling": "scale offset",
    "Reshape": "target_shape",
    "Permute": "dims",
    "RepeatVector": "n",
    **dict.fromkeys(("UpSampling1D", "UpSampling2D", "UpSampling3D"), "size"),
}
"""The parameters of layers in order, as far as they are of interest."""
KNOWN = WEIGHTED | REARRANGING | DROPPING | PASSING | PARAMETERS.keys() | OP_LAYERS.keys() | MERGING.keys()
FUNCTIONAL_V1 = {
    "dense": ("Dense", "units activation"),
    "conv1d": ("Conv1D", _CONVOLUTION),
    "conv2d": ("Conv2D", _CONVOLUTION),
    "conv3d": ("Conv3D", _CONVOLUTION),
    "conv2d_transpose": ("Conv2DTranspose", "filters kernel_size strides padding data_format activation"),
    "separable_conv2d": ("SeparableConv2D", _CONVOLUTION),
    "batch_normalization": ("BatchNormalization", ""),
    "dropout": ("Dropout", "rate"),
    "flatten": ("Flatten", ""),
    "max_pooling2d": ("MaxPooling2D", _POOLED),
    "average_pooling2d": ("AveragePooling2D", _POOLED),
    "fully_connected": ("Dense", "units activation_fn"),
    "convolution2d": ("Conv2D", "filters kernel_size"),
}
"""The layer functions of TensorFlow 1: the layer, and what follows the inputs."""


def pooling(name: str) -> str | None:
    """The reduction that a pooling layer is."""
    kind, found, _ = name.partition("Pool")
    return POOLING.get(kind) if found else None


def parameters_of(name: str) -> str:
    """The parameters of a layer in order; those of all layers that pool windows are the same."""
    windows = pooling(name) is not None and not name.startswith("Global")
    return _POOLED if windows else PARAMETERS.get(name, "")


def spatial_axes(name: str) -> int:
    """The number of axes that a layer moves windows along, by the end of its name."""
    return int(name[-2]) if name.endswith(("1D", "2D", "3D")) else 2


def is_layer(name: str) -> bool:
    """Whether a class of `keras.layers` is known by this name."""
    return name in KNOWN or pooling(name) is not None


def layer_of(path: str) -> str | None:
    """The name of a class of `keras.layers`, by its path; `Layer` itself is none."""
    prefix, _, name = path.rpartition(".")
    return name if prefix == "keras.layers" and name != "Layer" and is_layer(name) else None
