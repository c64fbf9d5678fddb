"""Ops that only move, repeat or pick elements, and the segment and scatter ops that gather them again."""

from __future__ import annotations

from typing import Any

from tfnanlint.interval import INF, Interval
from tfnanlint.ops.numeric import Kernels, moving
from tfnanlint.ops.row import Attributes, Op, Spelling, row, same, spelled

kernels = Kernels("moves")

ZERO = Interval.point(0.0)


def _moves(name: str, *spellings: Spelling, graph: str = "", **rest: Any) -> Op:
    """An op whose result holds elements of its first operand and nothing else."""
    return row(name, *spellings, graph=graph, transfer=same, elementwise=False, moves=True, **rest)


def _padded(name: str, *spellings: Spelling, graph: str = "", **rest: Any) -> Op:
    """An op whose result holds elements of its first operand, and zeros."""
    return row(
        name,
        *spellings,
        graph=graph,
        transfer=lambda x, *others, attrs: x.hull(ZERO),
        elementwise=False,
        **rest,
    )


def _total(x: Interval, *others: Interval, attrs: Attributes) -> Interval:
    """A sum of any number of elements, none included."""
    return Interval(0.0 if x.lo >= 0 else -INF, 0.0 if x.hi <= 0 else INF)


def _pad(x: Interval, attrs: Attributes) -> Interval:
    if str(attrs.get("mode", "CONSTANT")).upper() != "CONSTANT":
        return x
    value = attrs.get("constant_values", 0)
    return x.hull(Interval.point(float(value))) if isinstance(value, (int, float)) else Interval()


ROWS: tuple[Op, ...] = (
    _moves(
        "reshape",
        spelled("tf.reshape", "x:tensor shape name"),
        spelled("ops.reshape", "x shape:newshape"),
        spelled("K.reshape", "x shape"),
        spelled("tnp.reshape", "x:a shape:newshape"),
        graph="Reshape",
        attrs={"shape": None},
        **moving(kernels.reshape),
    ),
    _moves(
        "flatten",
        spelled("K.flatten K.batch_flatten ops.ravel", "x"),
        spelled("tnp.ravel tnp.flatten", "x:a"),
        **moving(kernels.flatten),
    ),
    _moves(
        "transpose",
        spelled("tf.transpose", "x:a perm | name conjugate"),
        spelled("ops.transpose", "x perm:axes"),
        spelled("tnp.transpose", "x:a perm:axes"),
        spelled("K.permute_dimensions", "x perm:pattern"),
        spelled("K.transpose", "x"),
        spelled("tf.linalg.matrix_transpose tf.matrix_transpose", "x:a name"),
        graph="Transpose",
        attrs={"perm": None, "conjugate": False},
        **kernels.both("transpose"),
    ),
    _moves(
        "swapaxes",
        spelled("ops.swapaxes", "x axis1 axis2"),
        spelled("tnp.swapaxes", "x:a axis1 axis2"),
        attrs={"axis1": None, "axis2": None},
        **moving(kernels.swapaxes),
    ),
    _moves(
        "moveaxis",
        spelled("ops.moveaxis", "x source destination"),
        spelled("tnp.moveaxis", "x:a source destination"),
        attrs={"source": None, "destination": None},
        **moving(kernels.moveaxis),
    ),
    _moves(
        "squeeze",
        spelled("tf.squeeze", "x:input axis name | axis:squeeze_dims"),
        spelled("ops.squeeze K.squeeze", "x axis"),
        spelled("tnp.squeeze", "x:a axis"),
        graph="Squeeze",
        attrs={"axis": None},
        **moving(kernels.squeeze),
    ),
    _moves(
        "expand_dims",
        spelled("tf.expand_dims", "x:input axis name | axis:dim"),
        spelled("ops.expand_dims", "x axis"),
        spelled("K.expand_dims", "x axis=-1"),
        spelled("tnp.expand_dims", "x:a axis"),
        graph="ExpandDims",
        attrs={"axis": None},
        **moving(kernels.expand_dims),
    ),
    _moves(
        "tile",
        spelled("tf.tile", "x:input multiples name"),
        spelled("ops.tile", "x multiples:repeats"),
        spelled("K.tile", "x multiples:n"),
        spelled("tnp.tile", "x:a multiples:reps"),
        graph="Tile",
        attrs={"multiples": None},
        **moving(kernels.tile),
    ),
    _moves(
        "repeat",
        spelled("tf.repeat", "x:input repeats axis name"),
        spelled("ops.repeat", "x repeats axis"),
        spelled("tnp.repeat", "x:a repeats axis"),
        spelled("K.repeat_elements", "x repeats:rep axis"),
        attrs={"repeats": None, "axis": None},
        **moving(kernels.repeat),
    ),
    _moves(
        "broadcast_to",
        spelled("tf.broadcast_to", "x:input shape name"),
        spelled("ops.broadcast_to", "x shape"),
        spelled("tnp.broadcast_to", "x:array shape"),
        graph="BroadcastTo",
        attrs={"shape": None},
        **moving(kernels.broadcast_to),
    ),
    _moves(
        "reverse",
        spelled("tf.reverse", "x:tensor axis name"),
        spelled("ops.flip", "x axis"),
        spelled("tnp.flip", "x:m axis"),
        spelled("K.reverse", "x axis:axes"),
        graph="ReverseV2",
        attrs={"axis": None},
        **moving(kernels.reverse),
    ),
    _moves(
        "roll",
        spelled("tf.roll", "x:input shift axis name"),
        spelled("ops.roll", "x shift axis"),
        spelled("tnp.roll", "x:a shift axis"),
        graph="Roll",
        attrs={"shift": None, "axis": None},
        **moving(kernels.roll),
    ),
    _moves(
        "sort",
        spelled("tf.sort", "x:values axis direction name"),
        spelled("ops.sort", "x axis"),
        spelled("tnp.sort", "x:a axis"),
        attrs={"axis": -1, "direction": "ASCENDING"},
        **kernels.both("sort"),
    ),
    row(
        "argsort",
        spelled("tf.argsort", "x:values axis direction stable name"),
        spelled("ops.argsort", "x axis"),
        spelled("tnp.argsort", "x:a axis"),
        attrs={"axis": -1, "direction": "ASCENDING", "stable": False},
        transfer=lambda x, attrs: Interval(0.0, INF),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        run=kernels.argsort,
    ),
    _moves(
        "gather",
        spelled("tf.gather", "x:params indices validate_indices | axis batch_dims name"),
        spelled("ops.take", "x indices axis"),
        spelled("tnp.take", "x:a indices axis"),
        spelled("K.gather", "x:reference indices"),
        spelled(
            "tf.nn.embedding_lookup",
            "x:params indices:ids | max_norm hint:partition_strategy hint:validate_indices name",
        ),
        graph="GatherV2 Gather ResourceGather",
        operands="x indices",
        takes={"indices": "index"},
        attrs={"validate_indices": None, "axis": None, "batch_dims": 0, "max_norm": None},
        blocked=("indices",),
        **moving(kernels.gather),
    ),
    _moves(
        "gather_nd",
        spelled("tf.gather_nd", "x:params indices | batch_dims name"),
        graph="GatherNd",
        operands="x indices",
        takes={"indices": "pointers"},
        attrs={"batch_dims": 0},
        blocked=("indices",),
        **moving(kernels.gather_nd),
    ),
    _moves(
        "take_along_axis",
        spelled("ops.take_along_axis", "x indices axis"),
        spelled("tnp.take_along_axis", "x:arr indices axis"),
        operands="x indices",
        takes={"indices": "index"},
        attrs={"axis": None},
        blocked=("indices",),
        **moving(kernels.take_along_axis),
    ),
    _moves(
        "boolean_mask",
        spelled("tf.boolean_mask", "x:tensor mask | axis name"),
        operands="x mask",
        takes={"mask": "bool"},
        attrs={"axis": None},
        blocked=("mask",),
        **moving(kernels.boolean_mask),
    ),
    _moves(
        "slice",
        spelled("tf.slice", "x:input_ begin size name"),
        spelled("ops.slice", "x:inputs begin:start_indices size:shape"),
        graph="Slice",
        operands="x begin size",
        takes={"begin": "start", "size": "shape"},
        blocked=("begin", "size"),
        **moving(kernels.slice_of),
    ),
    _moves("getitem", graph="StridedSlice", operands="x index", takes={"index": "index"}, blocked=("index",)),
    _moves(
        "split",
        spelled("tf.split", "x:value num_or_size_splits axis num name"),
        spelled("ops.split", "x indices_or_sections axis"),
        spelled("tnp.split", "x:ary indices_or_sections axis"),
        graph="Split SplitV",
        attrs={"num_or_size_splits": None, "axis": 0, "num": None, "indices_or_sections": None},
        **moving(kernels.split),
    ),
    _moves(
        "unstack",
        spelled("tf.unstack", "x:value num axis name"),
        spelled("ops.unstack", "x num axis"),
        graph="Unpack",
        attrs={"num": None, "axis": 0},
        **moving(kernels.unstack),
    ),
    _moves(
        "ensure_shape",
        spelled("tf.ensure_shape", "x shape name"),
        graph="EnsureShape",
        attrs={"shape": None},
        acts=True,
        run=lambda x, shape: x,
        pull=lambda g, y, x, shape: g,
    ),
    _moves(
        "shuffle",
        spelled("tf.random.shuffle tf.random_shuffle", "x:value seed name"),
        spelled("keras.random.shuffle", "x axis seed"),
        graph="RandomShuffle",
        attrs={"axis": 0, "seed": None},
        random=True,
        blocked=("*",),
        run=kernels.shuffle,
    ),
    row(
        "pad",
        spelled("tf.pad", "x:tensor paddings mode | constant_values name"),
        spelled("ops.pad", "x paddings:pad_width mode='constant' constant_values"),
        graph="Pad PadV2 MirrorPad",
        attrs={"paddings": None, "mode": "CONSTANT", "constant_values": 0},
        transfer=_pad,
        elementwise=False,
        **kernels.both("pad"),
    ),
    _padded(
        "tril",
        spelled("ops.tril", "x k"),
        spelled("tnp.tril", "x:m k"),
        attrs={"k": 0},
        takes={"x": "matrix"},
        **moving(kernels.tril),
    ),
    _padded(
        "triu",
        spelled("ops.triu", "x k"),
        spelled("tnp.triu", "x:m k"),
        attrs={"k": 0},
        takes={"x": "matrix"},
        **moving(kernels.triu),
    ),
    row(
        "bincount",
        spelled("tf.math.bincount tf.bincount", "x:arr | weights minlength maxlength dtype name axis binary_output"),
        spelled("ops.bincount", "x weights minlength=0"),
        takes={"x": "index"},
        attrs={
            "weights": None,
            "minlength": None,
            "maxlength": None,
            "dtype": None,
            "axis": None,
            "binary_output": False,
        },
        transfer=lambda x, attrs: Interval(0.0, INF) if "weights" not in attrs else Interval(),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        reason="counts, 0 for values that do not occur",
        run=kernels.bincount,
    ),
    row(
        "histogram_fixed_width",
        spelled("tf.histogram_fixed_width", "x:values value_range nbins=100 | dtype name"),
        graph="HistogramFixedWidth",
        attrs={"value_range": None, "nbins": 100, "dtype": "int32"},
        transfer=lambda x, attrs: Interval(0.0, INF),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        reason="counts, 0 for bins without a value",
        run=kernels.histogram_fixed_width,
    ),
    row(
        "confusion_matrix",
        spelled(
            "tf.math.confusion_matrix tf.confusion_matrix", "x:labels y:predictions num_classes | weights dtype name"
        ),
        operands="x y",
        takes={"x": "index", "y": "index"},
        attrs={"num_classes": None, "weights": None, "dtype": "int32"},
        transfer=lambda x, y, attrs: Interval(0.0, INF) if "weights" not in attrs else Interval(),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        reason="counts, 0 for pairs of classes that do not occur",
        run=kernels.confusion_matrix,
    ),
    row(
        "scatter_nd",
        spelled("tf.scatter_nd", "indices x:updates shape | name"),
        spelled("ops.scatter", "indices x:values shape"),
        graph="ScatterNd",
        operands="indices x shape",
        takes={"indices": "pointers", "shape": "wide"},
        transfer=lambda indices, x, shape, attrs: _total(x, attrs=attrs),
        blocked=("indices", "shape"),
        elementwise=False,
        same_dtype=False,
        **kernels.both("scatter_nd"),
    ),
    row(
        "scatter_nd_add",
        spelled("tf.tensor_scatter_nd_add tf.tensor_scatter_add", "x:tensor indices updates | name"),
        graph="TensorScatterAdd",
        operands="x indices updates",
        takes={"indices": "pointers"},
        transfer=lambda x, indices, updates, attrs: x + _total(updates, attrs=attrs),
        blocked=("indices",),
        elementwise=False,
        **kernels.both("scatter_nd_add"),
    ),
    row(
        "scatter_nd_update",
        spelled("tf.tensor_scatter_nd_update tf.tensor_scatter_update", "x:tensor indices updates | name"),
        spelled("ops.scatter_update", "x:inputs indices updates"),
        graph="TensorScatterUpdate",
        operands="x indices updates",
        takes={"indices": "pointers"},
        transfer=lambda x, indices, updates, attrs: x.hull(updates),
        blocked=("indices",),
        elementwise=False,
        **kernels.both("scatter_nd_update"),
    ),
)
