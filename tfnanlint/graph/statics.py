"""Static parameters of a graph operation: constants as Python values, and attributes under the names of the op table.

Source code and graph say the same in two ways (`axis=-1` is a second input, `transpose_b=True` an attribute); here the
graph's way is brought to that of the source pass, with defaults left out as source code leaves them out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tfnanlint.flow import DYNAMIC
from tfnanlint.interval import Interval
from tfnanlint.ranges import Range

DIFFERENTIABLE = frozenset(("float16", "bfloat16", "float32", "float64", "complex64", "complex128"))
"""The element types of what has a gradient."""

SMALL = 16
"""A constant of more elements is known by its range only."""


@dataclass(frozen=True)
class Form:
    """How a graph type gives its static parameters.

    `inputs` names those given as inputs, by place (negative ones count from the end); `attrs` maps graph attributes to
    names of the op table; `defaults` are the values at which they are left out.
    """

    inputs: Mapping[int, str] = field(default_factory=dict)
    attrs: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)


_REDUCTION = Form({1: "axis"}, {"keep_dims": "keepdims"}, {"keepdims": False})
_SCAN = Form({1: "axis"}, {"exclusive": "exclusive", "reverse": "reverse"}, {"exclusive": False, "reverse": False})
_EXTREME = Form({1: "axis"}, {"output_type": "output_type"}, {"output_type": "int64"})
_BATCH_MATMUL = Form({}, {"adj_x": "adjoint_a", "adj_y": "adjoint_b"}, {"adjoint_a": False, "adjoint_b": False})

REDUCTIONS = frozenset("Sum Mean Max Min Prod Any All EuclideanNorm".split())

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
    "Unpack": Form({}, {"axis": "axis"}, {"axis": 0}),
}
NO_FORM = Form()


def static_of(tensor: Any) -> Any:
    """The Python value of a tensor that the graph knows, else `DYNAMIC`."""
    from tensorflow.python.framework import tensor_util

    try:
        array = tensor_util.constant_value(tensor)
    except (TypeError, ValueError, NotImplementedError):
        array = None
    return DYNAMIC if array is None else python_value(array)


def python_value(array: Any) -> Any:
    """An array as a number or nested tuples of numbers; `DYNAMIC` where it is large or holds something else."""
    import numpy as np

    array = np.asarray(array)
    if array.size > SMALL:
        first = array.flat[0]
        if array.dtype.kind in "biuf" and (array == first).all():
            return python_value(first)
        return DYNAMIC
    return _nested(array)


def _nested(array: Any) -> Any:
    if array.ndim == 0:
        return _scalar(array)
    return tuple(_nested(part) for part in array)


def _scalar(array: Any) -> Any:
    """One element; a number of a narrow type as the shortest decimal that rounds to it, as it was written."""
    kind = array.dtype.kind
    if kind == "b":
        return bool(array)
    if kind in "iu":
        return int(array)
    try:
        return float(str(array[()])) if kind in "fV" else DYNAMIC
    except ValueError:
        return DYNAMIC


def range_of(array: Any) -> Range | None:
    """The range of a constant's elements, all of which are attained; None where they are no real numbers."""
    import numpy as np

    array = np.asarray(array)
    if array.size == 0 or array.dtype.kind not in "biufV":
        return None
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        return None
    lo, hi = float(np.min(numbers)), float(np.max(numbers))
    if math.isnan(lo) or math.isnan(hi):
        return None
    interval = Interval(lo, hi)
    return Range(interval, interval, "constants")


def dtype_name(value: Any) -> str:
    """The name of a TensorFlow dtype, given as such or by its number."""
    import tensorflow as tf

    return str(tf.as_dtype(value).base_dtype.name)


def static_attributes(operation: Any) -> dict[str, Any]:
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
    for attribute, name in form.attrs.items():
        found[name] = _attribute(operation, attribute)
    if found.get("axis") == found.get("batch_dims") and operation.type == "GatherV2":
        del found["axis"]  # the first axis behind the batch is where a gather looks by default
    if found.get("perm") not in (None, DYNAMIC) and found["perm"] == tuple(reversed(range(len(found["perm"])))):
        del found["perm"]
    defaults = form.defaults
    return {name: value for name, value in found.items() if value is not None and not _is(value, defaults.get(name))}


def _is(value: Any, default: Any) -> bool:
    return value is not DYNAMIC and isinstance(value, bool) == isinstance(default, bool) and value == default


def _attribute(operation: Any, name: str) -> Any:
    try:
        value = operation.get_attr(name)
    except ValueError:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, list):
        return value[0] if len(value) == 1 else tuple(value)
    if isinstance(value, float):
        import numpy as np

        return float(str(np.float32(value)))
    return value if isinstance(value, (bool, int, str)) else dtype_name(value)


def reduced_axis(operation: Any) -> Any:
    """The axis of a reduction: an int, a tuple, or None for all axes."""
    axes = operation.inputs[1]
    value = static_of(axes)
    if value is DYNAMIC:
        return None if axes.op.type == "Range" else DYNAMIC
    if not isinstance(value, tuple):
        return value
    rank = operation.inputs[0].shape.rank
    if rank is not None and sorted(v % rank if rank else v for v in value) == list(range(rank)):
        return None
    return value[0] if len(value) == 1 else value


def operand_inputs(operation: Any) -> list[Any]:
    """The inputs of an operation that are operands: all but those that give static parameters."""
    inputs = list(operation.inputs)
    form = FORMS.get(operation.type, NO_FORM)
    static = {place if place >= 0 else len(inputs) + place for place in form.inputs}
    return [tensor for place, tensor in enumerate(inputs) if place not in static]
