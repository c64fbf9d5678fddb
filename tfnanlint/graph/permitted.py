"""The classes and functions that a Keras model file may name: those of Keras, and ops of the table.

Building a model calls whatever its file names, with the arguments in the file. So allowed names are listed here, and
all others are rejected before Keras sees them. The lists leave out parts of Keras that hold code (`Lambda`,
`TFSMLayer`, layers of other frameworks), call a method or function by a name in the file, take functions as arguments
(maps, loops, branches), or read files (a vocabulary given by its path).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import cache
from typing import Any

from tfnanlint.graph.importing import TargetError
from tfnanlint.ops import GRAPH_TYPES, SPELLINGS

IN_PYTHON = "name the model in Python instead, such as train.py:model, or import what defines it with --import"
_ALLOW = "if you trust the file, pass --allow-code to run its code"
_DEEPEST, _MOST = 60, 1_000_000
"""How deep the description of a model may be nested, and how many values it may hold."""
_LONGEST = 60
"""Characters of a name in a message."""

_MODELS = "Model Functional Sequential"
_LAYERS = """
    Activation ActivityRegularization AdaptiveAveragePooling1D AdaptiveAveragePooling2D AdaptiveAveragePooling3D
    AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D Add AddLoss AddMetric AdditiveAttention AlphaDropout
    Attention AugMix AutoContrast Average AveragePooling1D AveragePooling2D AveragePooling3D AvgPool1D AvgPool2D
    AvgPool3D BatchNormalization BatchNormalizationV1 BatchNormalizationV2 Bidirectional CategoryEncoding CenterCrop
    Concatenate ContrastLimitedAdaptiveHistogramEqualization Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D
    Conv3DTranspose ConvLSTM1D ConvLSTM2D ConvLSTM3D Convolution1D Convolution1DTranspose Convolution2D
    Convolution2DTranspose Convolution3D Convolution3DTranspose Cropping1D Cropping2D Cropping3D CuDNNGRU CuDNNLSTM
    CutMix Dense DepthwiseConv1D DepthwiseConv2D Discretization Dot Dropout ELU EinsumDense Embedding Equalization
    Flatten GRU GRUCell GRUCellV1 GRUCellV2 GRUV1 GRUV2 GaussianDropout GaussianNoise GlobalAveragePooling1D
    GlobalAveragePooling2D GlobalAveragePooling3D GlobalAvgPool1D GlobalAvgPool2D GlobalAvgPool3D GlobalMaxPool1D
    GlobalMaxPool2D GlobalMaxPool3D GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D GroupNormalization
    GroupQueryAttention HashedCrossing Hashing Identity InputLayer InputSpec IntegerLookup LSTM LSTMCell LSTMCellV1
    LSTMCellV2 LSTMV1 LSTMV2 LayerNormalization LeakyReLU LocallyConnected1D LocallyConnected2D Masking
    MaxNumBoundingBoxes MaxPool1D MaxPool2D MaxPool3D MaxPooling1D MaxPooling2D MaxPooling3D Maximum MelSpectrogram
    Minimum MixUp MultiHeadAttention Multiply Normalization PReLU Permute Pipeline RMSNormalization RNN RandAugment
    RandomBrightness RandomColorDegeneration RandomColorJitter RandomContrast RandomCrop RandomElasticTransform
    RandomErasing RandomFlip RandomGaussianBlur RandomGrayscale RandomHeight RandomHue RandomInvert RandomPerspective
    RandomPosterization RandomRotation RandomSaturation RandomSharpness RandomShear RandomTranslation RandomWidth
    RandomZoom ReLU RepeatVector Rescaling Reshape Resizing ReversibleEmbedding STFTSpectrogram SeparableConv1D
    SeparableConv2D SeparableConvolution1D SeparableConvolution2D SimpleRNN SimpleRNNCell Softmax Solarization
    SpatialDropout1D SpatialDropout2D SpatialDropout3D SpectralNormalization StackedRNNCells StringLookup Subtract
    SyncBatchNormalization TextVectorization ThresholdedReLU TimeDistributed UnitNormalization UpSampling1D
    UpSampling2D UpSampling3D ZeroPadding1D ZeroPadding2D ZeroPadding3D
"""
_TRAINING = """
    BinaryCrossentropy BinaryFocalCrossentropy CTC CategoricalCrossentropy CategoricalFocalCrossentropy
    CategoricalGeneralizedCrossEntropy CategoricalHinge Circle CosineSimilarity Dice Hinge Huber KLDivergence LogCosh
    MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError Poisson
    SparseCategoricalCrossentropy SquaredHinge Tversky
    AUC Accuracy BinaryAccuracy BinaryIoU CategoricalAccuracy ConcordanceCorrelation F1Score FBetaScore FalseNegatives
    FalsePositives IoU LogCoshError Mean MeanIoU MeanMetricWrapper MeanRelativeError MeanTensor OneHotIoU OneHotMeanIoU
    PearsonCorrelation Precision PrecisionAtRecall R2Score Recall RecallAtPrecision RootMeanSquaredError
    SensitivityAtSpecificity SparseCategoricalAccuracy SparseTopKCategoricalAccuracy SpecificityAtSensitivity Sum
    TopKCategoricalAccuracy TrueNegatives TruePositives
    Adadelta Adafactor Adagrad Adam AdamW Adamax Ftrl Lamb Lion LossScaleOptimizer MultiOptimizer Muon Nadam RMSprop
    SGD ScheduleFreeAdamW
    CosineDecay CosineDecayRestarts ExponentialDecay InverseTimeDecay PiecewiseConstantDecay PolynomialDecay
"""
_SETTINGS = """
    Constant GlorotNormal GlorotUniform HeNormal HeUniform IdentityInitializer LecunNormal LecunUniform Ones Orthogonal
    OrthogonalInitializer RandomNormal RandomUniform STFT STFTInitializer TruncatedNormal VarianceScaling Zeros
    L1 L1L2 L2 OrthogonalRegularizer MaxNorm MinMaxNorm NonNeg RadialConstraint UnitNorm
    DTypePolicy DTypePolicyMap FloatDTypePolicy Policy PolicyV1 QuantizedDTypePolicy QuantizedFloat8DTypePolicy
    Int4DTypePolicy SeedGenerator
"""
_DATA = "__tuple__ __tensor__ __numpy__ __slice__ __ellipsis__ __bytes__ __keras_tensor__ TensorShape"
CLASSES = frozenset(f"{_MODELS} {_LAYERS} {_TRAINING} {_SETTINGS} {_DATA}".split())
"""Classes of Keras that a description may have built, of both generations, and the forms in which it holds data."""

_FUNCTIONS = """
    celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu linear log_sigmoid
    log_softmax mish relu relu6 selu sigmoid silu soft_shrink softmax softplus softsign sparse_plus sparse_sigmoid
    sparsemax squareplus swish tanh tanh_shrink threshold
    accuracy acc crossentropy ce bce categorical_generalized_cross_entropy circle dice tversky ctc
    binary_accuracy binary_crossentropy binary_focal_crossentropy categorical_accuracy categorical_crossentropy
    categorical_focal_crossentropy categorical_hinge concordance_correlation cosine_proximity cosine_similarity hinge
    huber huber_loss kl_divergence kld kullback_leibler_divergence log_cosh logcosh mae mape mean_absolute_error
    mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error mse msle pearson_correlation
    poisson sparse_categorical_accuracy sparse_categorical_crossentropy sparse_top_k_categorical_accuracy squared_hinge
    top_k_categorical_accuracy KLD MAE MAPE MSE MSLE
    constant glorot_normal glorot_uniform he_normal he_uniform identity lecun_normal lecun_uniform one ones orthogonal
    normal uniform random_normal random_uniform stft truncated_normal variance_scaling zero zeros
    l1 l2 l1_l2 orthogonal_regularizer max_norm maxnorm min_max_norm non_neg nonneg unit_norm unitnorm radial_constraint
    adadelta adafactor adagrad adam adamw adamax ftrl lamb lion muon nadam rmsprop sgd
"""
FUNCTIONS = frozenset(_FUNCTIONS.split())
"""Functions and short names of classes that a description may give by their names alone."""

_MODULES = re.compile(r"(?:tf_)?keras(?:\.src|\.api|\._tf_keras|\.keras)*((?:\.\w+)*)")
_HOMES = frozenset(
    "engine layers models activations losses metrics initializers regularizers constraints optimizers dtype_policies "
    "mixed_precision random backend legacy".split()
)
"""The packages inside Keras of which objects may be named."""
_OPERATIONS = frozenset("numpy nn math linalg image core".split())
_STRUCTURE = frozenset(
    "__operators__.getitem __operators__.ragged_getitem boolean_mask unstack strided_slice meshgrid einsum "
    "linalg.einsum image.resize image.resize_bilinear image.resize_nearest_neighbor image.adjust_contrast "
    "image.rgb_to_grayscale image.grayscale_to_rgb image.flip_left_right image.flip_up_down nn.conv1d nn.conv2d "
    "nn.conv3d nn.convolution nn.depthwise_conv2d nn.separable_conv2d nn.conv2d_transpose nn.max_pool nn.max_pool2d "
    "nn.avg_pool nn.avg_pool2d nn.pool nn.embedding_lookup nn.space_to_depth nn.depth_to_space nn.batch_normalization "
    "nn.fused_batch_norm nn.with_space_to_batch space_to_depth depth_to_space bitwise.bitwise_and bitwise.bitwise_or "
    "logical_and logical_not logical_or tensor_scatter_nd_sub scatter_nd unique searchsorted".split()
)
"""Functions of TensorFlow without a row that only move or combine elements."""
_OPERATORS = frozenset(
    f"__operators__.{name}"
    for name in "add radd sub rsub mul rmul div rdiv truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul "
    "rmatmul eq ne neg abs invert and or xor rand ror rxor lt le gt ge".split()
)
_GRAPH_TYPES = frozenset(
    "Const Placeholder FusedBatchNorm FusedBatchNormV3 Where NonMaxSuppressionV3 IdentityN".split()
)
_FREE = frozenset(
    "GetItem Rot90 Average Einsum Diag Diagonal Diff Hstack Vstack Outer Inner Vdot Nonzero Meshgrid "
    "Conv DepthwiseConv SeparableConv ConvTranspose MultiHot Moments BatchNorm RMSNorm LayerNorm Glu "
    "AdaptiveMaxPool AdaptiveAveragePool DotProductAttention DepthToSpace SpaceToDepth Unfold Fold "
    "Resize PadImages CropImages RGBToGrayscale SliceUpdate Isclose Quantile FFT RFFT IRFFT STFT ISTFT "
    "SegmentReduction Nanmean Nansum Nanmax Nanmin Nanvar Nanstd Fmax Fmin Fmod Logaddexp2 Select "
    "Rearrange Copy Kron".split()
)
"""Operations of Keras 3 without a row, none of which calls anything it is given."""

_NAMES_A_FUNCTION = re.compile(
    r"(?:\w+_)?(?:activation|initializer|regularizer|constraint)|loss|loss_fn|metrics|weighted_metrics|optimizer|fn"
)
"""Settings whose text is the name of a function or of a class, or which hold such names."""
_NAMES_A_FILE = frozenset({"vocabulary", "idf_weights", "filepath", "file", "path", "filename"})
"""Settings whose text would be the name of a file."""


def refuse_code(path: str, configuration: Any, custom: Container[str] = ()) -> None:
    """`TargetError` for the first thing that the description of a model in a file may not name.

    It may also name what is `custom`: the classes and functions of modules that the user has imported.
    """
    for held in objects_in(path, configuration):
        if "class_name" in held:
            _check_object(path, held, custom)
        for key, value in held.items():
            if key in _NAMES_A_FILE and isinstance(value, str):
                raise TargetError(f"{path}: has a layer that reads the file {_cut(value)}; {_ALLOW}")
            if _NAMES_A_FUNCTION.fullmatch(key):
                for name in _texts(value):
                    if name not in FUNCTIONS and name not in CLASSES and name not in custom:
                        raise TargetError(f"{path}: needs {_cut(name)}, which is not part of Keras; {IN_PYTHON}")


def objects_in(path: str, configuration: Any) -> Iterator[dict[str, Any]]:
    """All JSON objects of a description, the outermost first."""
    level, count = [configuration], 0
    for _ in range(_DEEPEST):
        count += len(level)
        if count > _MOST:
            raise TargetError(f"{path}: not a Keras model: its configuration holds more than {_MOST:,} values")
        inner: list[Any] = []
        for held in level:
            if isinstance(held, dict):
                yield held
                inner += held.values()
            elif isinstance(held, list):
                inner += held
        level = inner
        if not level:
            return
    raise TargetError(f"{path}: not a Keras model: its configuration is nested too deeply")


def _texts(value: Any) -> Iterator[str]:
    """The names in a setting: one, a list of them, one for each output. What is an object is checked as one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, dict) and "class_name" not in value:
        for inner in value.values():
            yield from _texts(inner)


def _check_object(path: str, held: dict[str, Any], custom: Container[str]) -> None:
    """`TargetError` where an object is of a class, or is a function, that may not be named."""
    for key in ("class_name", "module", "registered_name"):
        value = held.get(key)
        if not isinstance(value, str) and (value is not None or key == "class_name"):
            raise TargetError(f"{path}: not a Keras model: a {key} in its configuration is not text: {_cut(value)}")
    kind, config = held["class_name"].rpartition(">")[2], held.get("config")
    if _is_custom(held, custom):
        return
    if kind in ("Lambda", "__lambda__"):
        raise TargetError(f"{path}: has a Lambda layer, whose code is not run; {_ALLOW}")
    if kind in ("TFOpLambda", "SlicingOpLambda"):
        name = config.get("function") if isinstance(config, dict) else None
        if not isinstance(name, str) or not is_op(name):
            raise TargetError(f"{path}: has a layer that calls {_dotted('tf', name)}; {_ALLOW}")
    elif kind == "TensorFlowOpLayer":
        _check_node(path, config)
    else:
        _check_named(path, held)


def _is_custom(held: dict[str, Any], custom: Container[str]) -> bool:
    """Whether Keras finds a class or a function by its name among those of the user, and looks nowhere else."""
    named = held.get("config") if held["class_name"] == "function" else held["class_name"]
    found = named if held["class_name"] == "function" else held.get("registered_name") or named
    return isinstance(found, str) and found in custom


def _check_named(path: str, held: dict[str, Any]) -> None:
    """`TargetError` where a class or a function, as Keras finds it by its name and module, is not in the lists."""
    kind, module, registered = held["class_name"], held.get("module"), held.get("registered_name")
    named = held.get("config") if kind == "function" else kind.rpartition(">")[2]
    is_operation = module is not None and _is_operation(module, named)
    if module is not None and not is_operation and not _is_home(module):
        raise TargetError(
            f"{path}: names {_dotted(module, named)}, which is not part of Keras; {IN_PYTHON}, or {_ALLOW}"
        )
    known = FUNCTIONS if kind == "function" else CLASSES
    if not is_operation and (not isinstance(named, str) or named not in known):
        if kind in _HOLDS_CODE:
            raise TargetError(f"{path}: has a {kind} layer, whose code is not run; {_ALLOW}")
        raise TargetError(f"{path}: {needs(named, module is not None)}")
    if registered is not None and registered.rpartition(">")[2] != named:
        raise TargetError(f"{path}: registers {_cut(named)} as {_cut(registered)}; {IN_PYTHON}")


def needs(name: Any, with_modules: bool = True) -> str:
    """What is wrong with a file that needs a name which is not in the lists, and the way out.

    `with_modules` says that the file tells in which module of Keras a name is. HDF5 does not, so Keras finds no
    operation there.
    """
    if not with_modules and isinstance(name, str) and _names_operation(name):
        return f"uses the operation {_cut(name)}, which Keras cannot load from HDF5; save the model as .keras"
    return f"needs {_cut(name)}, which is not part of Keras; {IN_PYTHON}"


_HOLDS_CODE = frozenset(
    "TFSMLayer TorchModuleWrapper JaxLayer FlaxLayer ClassMethod InstanceMethod InstanceProperty".split()
)


def _check_node(path: str, config: Any) -> None:
    """`TargetError` where a layer of one graph node, as TensorFlow 2.0 to 2.3 wrote it, is of no op of the table."""
    node = config.get("node_def") if isinstance(config, dict) else None
    kind = node.get("op") if isinstance(node, dict) else None
    if not isinstance(kind, str) or (kind not in GRAPH_TYPES and kind not in _GRAPH_TYPES):
        raise TargetError(f"{path}: has a layer of the graph operation {_cut(kind)}; {_ALLOW}")


def _is_home(module: str) -> bool:
    """Whether a module is one of Keras in which listed classes and functions live."""
    if module == "builtins":  # where Keras says that its functions are
        return True
    inside = _MODULES.fullmatch(module)
    return inside is not None and (not inside[1] or inside[1].split(".")[1] in _HOMES)


def _is_operation(module: str, name: Any) -> bool:
    """Whether Keras 3 has an operation of this name in a module of its own, and it is of an op of the table."""
    inside = _MODULES.fullmatch(module)
    parts = inside[1].split(".") if inside is not None else []
    if len(parts) != 3 or parts[1] != "ops" or parts[2] not in _OPERATIONS | {"einops"} or not isinstance(name, str):
        return False
    return _names_operation(name)


def _names_operation(name: str) -> bool:
    """Whether Keras 3 has an operation whose class has this name, and it is of an op of the table."""
    return name in _FREE or name.lower() in _op_words()


def is_op(name: str) -> bool:
    """Whether a function of TensorFlow or Keras, named as in its public interface, is an op of the table."""
    name = name.removeprefix("compat.v1.")
    if name.startswith("keras."):
        return name in SPELLINGS or name.replace("keras.backend.", "K.") in SPELLINGS
    return f"tf.{name}" in SPELLINGS or name in _STRUCTURE or name in _OPERATORS


@cache
def _op_words() -> frozenset[str]:
    """The functions of `keras.ops` that have a row, as the names of their classes without capitals."""
    return frozenset(name.rpartition(".")[2].replace("_", "") for name in SPELLINGS if name.startswith("ops."))


def _dotted(module: str, name: Any) -> str:
    """A name in a module; one that is not an identifier is quoted."""
    whole = f"{module}.{name}"
    return whole if len(whole) <= _LONGEST and whole.replace(".", "_").isidentifier() else _cut(whole)


def _cut(name: Any) -> str:
    """What a file holds where a name is expected, as a message quotes it: at most so much of it."""
    text = repr(name)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
