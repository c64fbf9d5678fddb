"""Static parameters of a graph operation: constants as Python values, and attributes under the names of the op table.

Source code and graphs express the same in two ways (`axis=-1` is a second input, `transpose_b=True` an attribute). This
module converts the graph's form to that of the source pass and leaves out defaults, as source code does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tfnanlint.flow import DYNAMIC
from tfnanlint.graph.contents import SMALL, contents_at
from tfnanlint.graph.model import Operation, Tensor, dtype_of
from tfnanlint.ops import GRAPH_TYPES

DIFFERENTIABLE = frozenset(("float16", "bfloat16", "float32", "float64", "complex64", "complex128"))
"""The element types of what has a gradient."""


@dataclass(frozen=True)
class Form:
    """How a graph type gives its static parameters.

    `inputs` names those given as inputs, by place (negative ones count from the end); `attrs` maps graph attributes to
    names of the op table, where these differ; `defaults` are the values at which they are left out, where these are not
    those of the row.
    """

    inputs: Mapping[int, str] = field(default_factory=dict)
    attrs: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)


_REDUCTION = Form({1: "axis"}, {"keep_dims": "keepdims"}, {"keepdims": False})
_SCAN = Form({1: "axis"}, {"exclusive": "exclusive", "reverse": "reverse"}, {"exclusive": False, "reverse": False})
_EXTREME = Form({1: "axis"}, {"output_type": "output_type"}, {"output_type": "int64"})
_BATCH_MATMUL = Form({}, {"adj_x": "adjoint_a", "adj_y": "adjoint_b"}, {"adjoint_a": False, "adjoint_b": False})

REDUCTIONS = frozenset("Sum Mean Max Min Prod Any All EuclideanNorm".split())

ACCUMULATIONS = frozenset("Sum Prod All Any".split())
"""Reductions that give a number of their own for no elements, whatever those would have been."""

SEGMENTS, SPARSE = ("Max", "Min", "Prod", "Sum"), ("Mean", "SqrtN", "Sum")
"""Reductions of segments, and of those whose elements are picked first."""

TRANSFORMS = frozenset(("RFFT", "RFFT2D"))
"""Transforms of real numbers; what is shorter than they ask for is padded before."""

FORMS: dict[str, Form] = {
    **dict.fromkeys(REDUCTIONS, _REDUCTION),
    **dict.fromkeys(("Cumsum", "Cumprod"), _SCAN),
    **dict.fromkeys(("ArgMax", "ArgMin"), _EXTREME),
    **dict.fromkeys(("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"), _BATCH_MATMUL),
    "MatMul": Form(
        {}, {"transpose_a": "transpose_a", "transpose_b": "transpose_b"}, {"transpose_a": False, "transpose_b": False}
    ),
    "ConcatV2": Form({-1: "axis"}),
    "Pack": Form({}, {"axis": "axis"}, {"axis": 0}),
    "Reshape": Form({1: "shape"}),
    "BroadcastTo": Form({1: "shape"}),
    "Tile": Form({1: "multiples"}),
    "Transpose": Form({1: "perm"}),
    "ExpandDims": Form({1: "axis"}),
    "Squeeze": Form({}, {"squeeze_dims": "axis"}, {"axis": ()}),
    "ReverseV2": Form({1: "axis"}),
    "GatherV2": Form({2: "axis"}, {"batch_dims": "batch_dims"}, {"batch_dims": 0}),
    "ResourceGather": Form({}, {"batch_dims": "batch_dims"}, {"batch_dims": 0}),
    "GatherNd": Form({}, {"batch_dims": "batch_dims"}, {"batch_dims": 0}),
    "Cast": Form({}, {"DstT": "dtype"}),
    "LeakyRelu": Form({}, {"alpha": "alpha"}, {"alpha": 0.2}),
    "OneHot": Form({2: "on_value", 3: "off_value"}, {"axis": "axis"}, {"on_value": 1, "off_value": 0, "axis": -1}),
    "Pad": Form({1: "paddings"}),
    "PadV2": Form({1: "paddings", 2: "constant_values"}, {}, {"constant_values": 0}),
    "MirrorPad": Form({1: "paddings"}, {"mode": "mode"}),
    "CheckNumerics": Form({}, {"message": "message"}),
    "CheckNumericsV2": Form({}, {"message": "message"}),
    "Split": Form({0: "axis"}, {"num_split": "num_or_size_splits"}, {"axis": 0}),
    "SplitV": Form({1: "num_or_size_splits", 2: "axis"}, {}, {"axis": 0}),
    "Einsum": Form({}, {"equation": "equation"}),
    **dict.fromkeys(("Conv2DBackpropInput", "Conv3DBackpropInputV2"), Form({0: "shape"})),
    "MatrixBandPart": Form({1: "num_lower", 2: "num_upper"}),
    "MatrixDiagPartV3": Form(
        {1: "k", 2: "padding_value"}, {"align": "align"}, {"k": 0, "padding_value": 0, "align": "RIGHT_LEFT"}
    ),
    "RandomUniformInt": Form({1: "minval", 2: "maxval"}),
    "StatelessRandomUniformInt": Form({2: "minval", 3: "maxval"}),
    "StatelessRandomUniformIntV2": Form({4: "minval", 5: "maxval"}),
    "Unpack": Form({}, {"axis": "axis"}, {"axis": 0}),
    "CumulativeLogsumexp": Form({1: "axis"}),
    **dict.fromkeys(("RFFT", "RFFT2D", "IRFFT", "IRFFT2D"), Form({1: "fft_length"})),
    "InTopKV2": Form({2: "k"}),
    **dict.fromkeys(("MatrixDiagV2", "MatrixDiagV3"), Form({1: "k", 2: "num_rows", 3: "num_cols", 4: "padding_value"})),
    "MatrixDiagPartV2": Form({1: "k", 2: "padding_value"}),
    **dict.fromkeys(("MatrixSetDiagV2", "MatrixSetDiagV3"), Form({2: "k"})),
    "HistogramFixedWidth": Form({1: "value_range", 2: "nbins"}),
    "MaxPoolV2": Form({1: "ksize", 2: "strides"}),
    **dict.fromkeys(("Multinomial", "StatelessMultinomial"), Form({1: "num_samples"})),
    **dict.fromkeys(("ResizeArea", "ResizeBilinear", "ResizeNearestNeighbor"), Form({1: "size"})),
    "Roll": Form({1: "shift", 2: "axis"}),
    **dict.fromkeys((f"SparseSegment{name}WithNumSegments" for name in SPARSE), Form({3: "num_segments"})),
    "TopKV2": Form({1: "k"}),
    **dict.fromkeys((f"UnsortedSegment{name}" for name in SEGMENTS), Form({2: "num_segments"})),
}
NO_FORM = Form()
UNSAID = frozenset({"seed", "dtype", "num"})
"""Parameters that source code seldom states and a graph always has."""


def static_of(tensor: Tensor, depth: int = 6) -> Any:
    """The Python value of a tensor that the graph knows, else `DYNAMIC`."""
    operation = tensor.op
    if operation.type == "Const":
        contents = contents_at(operation)
        return DYNAMIC if contents is None else contents.value
    folder = FOLDS.get(operation.type)
    if folder is None or depth == 0:
        return DYNAMIC
    values = [static_of(given, depth - 1) for given in operation.inputs]
    try:
        return folder(operation, values)
    except (TypeError, IndexError, ValueError):
        return DYNAMIC


def _shape(operation: Operation, values: list[Any]) -> Any:
    shape = operation.inputs[0].shape
    return DYNAMIC if shape is None or None in shape else shape


def _rank(operation: Operation, values: list[Any]) -> Any:
    rank = operation.inputs[0].rank
    return DYNAMIC if rank is None else rank


def _range(operation: Operation, values: list[Any]) -> Any:
    if DYNAMIC in values or not all(isinstance(v, int) for v in values):
        return DYNAMIC
    found = range(*values)
    return tuple(found) if len(found) <= SMALL else DYNAMIC


def _pack(operation: Operation, values: list[Any]) -> Any:
    if DYNAMIC in values or len(values) > SMALL:
        return DYNAMIC
    axis = operation.attr("axis")
    vectors = any(isinstance(value, tuple) for value in values)
    if not vectors or axis is None or axis.i == 0:
        return tuple(values)
    return tuple(zip(*values, strict=True)) if axis.i == 1 else DYNAMIC


def _joined(operation: Operation, values: list[Any]) -> Any:
    *parts, axis = values
    if axis not in (0, -1) or not all(isinstance(part, tuple) for part in parts):
        return DYNAMIC
    found = tuple(number for part in parts for number in part)
    return found if all(isinstance(number, (int, float)) for number in found) else DYNAMIC


def _part(operation: Operation, values: list[Any]) -> Any:
    """A slice of a vector, or one of its elements."""
    vector, begin, end, stride = values
    if not all(isinstance(part, tuple) for part in values) or not len(begin) == len(end) == len(stride) == 1:
        return DYNAMIC
    held = {name: operation.attr(name) for name in ("begin_mask", "end_mask", "shrink_axis_mask")}
    masks = {name: value.i if value is not None else 0 for name, value in held.items()}
    if masks["shrink_axis_mask"]:
        return vector[begin[0]]
    if operation.attr("new_axis_mask").i or operation.attr("ellipsis_mask").i:
        return DYNAMIC
    return vector[None if masks["begin_mask"] else begin[0] : None if masks["end_mask"] else end[0] : stride[0]]


def _product(operation: Operation, values: list[Any]) -> Any:
    whole = isinstance(values[0], tuple) and all(isinstance(factor, int) for factor in values[0])
    return math.prod(values[0]) if whole and values[1] in (0, -1, (0,), (-1,)) else DYNAMIC


def _computed(operation: Operation, values: list[Any]) -> Any:
    """What an elementwise op gives for numbers."""
    import numpy as np

    op = GRAPH_TYPES.get(operation.type)
    if op is None or op.run is None or not op.elementwise or not all(isinstance(v, float) for v in values):
        return DYNAMIC
    with np.errstate(all="ignore"):
        return float(op.run(*(np.asarray(v, "float32") for v in values), **op.attrs))


def _first(operation: Operation, values: list[Any]) -> Any:
    return values[0]


COUNTS: dict[str, Callable[[Operation, list[Any]], Any]] = {
    "Shape": _shape,
    "Rank": _rank,
    "Range": _range,
    "Pack": _pack,
    "ConcatV2": _joined,
    "StridedSlice": _part,
    "Prod": _product,
}
"""Operations on shapes and axes whose results are known where their operands are."""
FOLDS = {**COUNTS, **dict.fromkeys(("Log", "Exp", "Neg"), _computed), "Identity": _first}


def static_attributes(operation: Operation) -> dict[str, Any]:
    """The static parameters of an operation, under the op table's names."""
    form = FORMS.get(operation.type, NO_FORM)
    inputs = operation.inputs
    found: dict[str, Any] = {}
    for place, name in form.inputs.items():
        place = place if place >= 0 else len(inputs) + place
        if name == "axis" and operation.type in REDUCTIONS:
            found[name] = reduced_axis(operation)
        elif place < len(inputs):
            found[name] = static_of(inputs[place])
    row = GRAPH_TYPES.get(operation.type)
    defaults = {} if row is None else dict(row.attrs)
    for name in defaults.keys() - found.keys() - form.attrs.keys() - UNSAID:
        found[name] = _attribute(operation, name)
    for attribute, name in form.attrs.items():
        found[name] = _attribute(operation, attribute)
    if found.get("axis") == found.get("batch_dims") and operation.type == "GatherV2":
        del found["axis"]  # the first axis behind the batch is where a gather looks by default
    if found.get("perm") not in (None, DYNAMIC) and found["perm"] == tuple(reversed(range(len(found["perm"])))):
        del found["perm"]
    if operation.type in TRANSFORMS and _is_whole(found["fft_length"], inputs[0].shape):
        del found["fft_length"]
    defaults |= form.defaults
    return {name: value for name, value in found.items() if value is not None and not _is(value, defaults.get(name))}


def _is_whole(lengths: Any, shape: tuple[int | None, ...] | None) -> bool:
    """Whether a transform takes the whole of its last axes, as it does where source code states no length."""
    if not isinstance(lengths, tuple) or shape is None:
        return lengths is DYNAMIC
    return shape[-len(lengths) :] == lengths


def _is(value: Any, default: Any) -> bool:
    return value is not DYNAMIC and isinstance(value, bool) == isinstance(default, bool) and value == default


def _attribute(operation: Operation, name: str) -> Any:
    held = operation.attr(name)
    kind = held.WhichOneof("value") if held is not None else None
    if kind == "list":
        values = list(held.list.i or held.list.f or held.list.b)
        return values[0] if len(values) == 1 else tuple(values)
    if kind == "s":
        return held.s.decode("utf-8", "replace")
    if kind == "f":
        import numpy as np

        return float(str(np.float32(held.f)))
    if kind == "type":
        return dtype_of(held.type)
    return getattr(held, kind) if kind in ("i", "b") else None


def reduced_axis(operation: Operation) -> Any:
    """The axis of a reduction: an int, a tuple, or None for all axes."""
    axes = operation.inputs[1]
    value = static_of(axes)
    if value is DYNAMIC:
        return None if axes.op.type == "Range" else DYNAMIC
    if not isinstance(value, tuple):
        return value
    rank = operation.inputs[0].rank
    if rank is not None and sorted(v % rank if rank else v for v in value) == list(range(rank)):
        return None
    return value[0] if len(value) == 1 else value


def operand_inputs(operation: Operation) -> list[Tensor]:
    """The inputs of an operation that are operands: all but those that give static parameters."""
    inputs = list(operation.inputs)
    form = FORMS.get(operation.type, NO_FORM)
    static = {place if place >= 0 else len(inputs) + place for place in form.inputs}
    return [tensor for place, tensor in enumerate(inputs) if place not in static]


def parameter_inputs(operation: Operation) -> dict[str, Tensor]:
    """The inputs of an operation that give static parameters, by the op table's names."""
    inputs = operation.inputs
    places = FORMS.get(operation.type, NO_FORM).inputs.items()
    return {name: inputs[place] for place, name in places if -len(inputs) <= place < len(inputs)}


def accumulates_nothing(operation: Operation) -> bool:
    """Whether an operation is a reduction of a tensor that has no elements."""
    return operation.type in ACCUMULATIONS and 0 in (operation.inputs[0].shape or ())
