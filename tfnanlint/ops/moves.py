"""Ops that only move, repeat or pick elements, and the segment and scatter ops that gather them again."""

from __future__ import annotations

from typing import Any

from tfnanlint.interval import FLOAT_TYPES, INF, Interval
from tfnanlint.ops.row import Attributes, Op, Spelling, Transfer, never, row, same, same_attained, spelled

ZERO = Interval.point(0.0)
LOWEST = -FLOAT_TYPES["float32"].largest


def _moves(name: str, *spellings: Spelling, graph: str = "", **rest: Any) -> Op:
    """An op whose result holds elements of its first operand and nothing else."""
    return row(
        name, *spellings, graph=graph, transfer=same, attained=same_attained, elementwise=False, moves=True, **rest
    )


def _padded(name: str, *spellings: Spelling, graph: str = "", **rest: Any) -> Op:
    """An op whose result holds elements of its first operand, and zeros."""
    return row(
        name,
        *spellings,
        graph=graph,
        transfer=lambda x, *others, attrs: x.hull(ZERO),
        attained=never,
        elementwise=False,
        **rest,
    )


def _total(x: Interval, *others: Interval, attrs: Attributes) -> Interval:
    """A sum of any number of elements, none included."""
    return Interval(0.0 if x.lo >= 0 else -INF, 0.0 if x.hi <= 0 else INF)


def _product(x: Interval, *others: Interval, attrs: Attributes) -> Interval:
    if x.lo >= 0 and x.hi <= 1:
        return Interval(0.0, 1.0)
    return Interval(0.0 if x.lo >= 0 else -INF, INF)


SEGMENTS: dict[str, Any] = {
    "operands": "x segment_ids",
    "takes": {"segment_ids": "index"},
    "blocked": ("segment_ids",),
    "elementwise": False,
    "attained": never,
}


def _segments(name: str, transfer: Transfer, sparse_transfer: Transfer, keras: bool = True) -> tuple[Op, Op]:
    """A reduction of sorted segments, and that of unsorted ones, which gives empty segments the neutral element."""
    camel = f"Segment{name.capitalize()}"
    unsorted = [
        spelled(f"tf.math.unsorted_segment_{name} tf.unsorted_segment_{name}", "x:data segment_ids num_segments name")
    ]
    if keras:
        unsorted.append(spelled(f"ops.segment_{name}", "x:data segment_ids num_segments sorted"))
    return (
        row(
            f"segment_{name}",
            spelled(f"tf.math.segment_{name} tf.segment_{name}", "x:data segment_ids name"),
            graph=f"{camel}V2 {camel}" if name != "mean" else camel,
            transfer=transfer,
            **SEGMENTS,
        ),
        row(
            f"unsorted_segment_{name}",
            *unsorted,
            graph=f"Unsorted{camel}" if name != "mean" else "",
            attrs={"num_segments": None, "sorted": False},
            transfer=sparse_transfer,
            **SEGMENTS,
        ),
    )


def _gathered(name: str, transfer: Transfer) -> Op:
    """A reduction of sorted segments of elements that are picked first; a segment that is left out is 0."""
    camel = "SparseSegment" + "".join(map(str.capitalize, name.split("_")))
    return row(
        f"sparse_segment_{name}",
        spelled(
            f"tf.sparse.segment_{name} tf.sparse_segment_{name}",
            "x:data indices segment_ids | name num_segments sparse_gradient",
        ),
        graph=f"{camel} {camel}WithNumSegments",
        operands="x indices segment_ids",
        takes={"indices": "rows", "segment_ids": "index"},
        blocked=("indices", "segment_ids"),
        attrs={"num_segments": None, "sparse_gradient": False},
        elementwise=False,
        attained=never,
        transfer=transfer,
    )


def _with_zero(x: Interval, *others: Interval, attrs: Attributes) -> Interval:
    return x.hull(ZERO)


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
    ),
    _moves("flatten", spelled("K.flatten K.batch_flatten ops.ravel", "x"), spelled("tnp.ravel tnp.flatten", "x:a")),
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
    ),
    _moves(
        "swapaxes",
        spelled("ops.swapaxes", "x axis1 axis2"),
        spelled("tnp.swapaxes", "x:a axis1 axis2"),
        attrs={"axis1": None, "axis2": None},
    ),
    _moves(
        "moveaxis",
        spelled("ops.moveaxis", "x source destination"),
        spelled("tnp.moveaxis", "x:a source destination"),
        attrs={"source": None, "destination": None},
    ),
    _moves(
        "squeeze",
        spelled("tf.squeeze", "x:input axis name | axis:squeeze_dims"),
        spelled("ops.squeeze K.squeeze", "x axis"),
        spelled("tnp.squeeze", "x:a axis"),
        graph="Squeeze",
        attrs={"axis": None},
    ),
    _moves(
        "expand_dims",
        spelled("tf.expand_dims", "x:input axis name | axis:dim"),
        spelled("ops.expand_dims", "x axis"),
        spelled("K.expand_dims", "x axis=-1"),
        spelled("tnp.expand_dims", "x:a axis"),
        graph="ExpandDims",
        attrs={"axis": None},
    ),
    _moves(
        "tile",
        spelled("tf.tile", "x:input multiples name"),
        spelled("ops.tile", "x multiples:repeats"),
        spelled("K.tile", "x multiples:n"),
        spelled("tnp.tile", "x:a multiples:reps"),
        graph="Tile",
        attrs={"multiples": None},
    ),
    _moves(
        "repeat",
        spelled("tf.repeat", "x:input repeats axis name"),
        spelled("ops.repeat", "x repeats axis"),
        spelled("tnp.repeat", "x:a repeats axis"),
        spelled("K.repeat_elements", "x repeats:rep axis"),
        attrs={"repeats": None, "axis": None},
    ),
    _moves(
        "broadcast_to",
        spelled("tf.broadcast_to", "x:input shape name"),
        spelled("ops.broadcast_to", "x shape"),
        spelled("tnp.broadcast_to", "x:array shape"),
        graph="BroadcastTo",
        attrs={"shape": None},
    ),
    _moves(
        "reverse",
        spelled("tf.reverse", "x:tensor axis name"),
        spelled("ops.flip", "x axis"),
        spelled("tnp.flip", "x:m axis"),
        spelled("K.reverse", "x axis:axes"),
        graph="ReverseV2",
        attrs={"axis": None},
    ),
    _moves(
        "roll",
        spelled("tf.roll", "x:input shift axis name"),
        spelled("ops.roll", "x shift axis"),
        spelled("tnp.roll", "x:a shift axis"),
        graph="Roll",
        attrs={"shift": None, "axis": None},
    ),
    _moves(
        "sort",
        spelled("tf.sort", "x:values axis direction name"),
        spelled("ops.sort", "x axis"),
        spelled("tnp.sort", "x:a axis"),
        attrs={"axis": -1, "direction": "ASCENDING"},
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
    ),
    _moves(
        "gather",
        spelled("tf.gather", "x:params indices validate_indices | axis batch_dims name"),
        spelled("ops.take", "x indices axis"),
        spelled("tnp.take", "x:a indices axis"),
        spelled("K.gather", "x:reference indices"),
        spelled("tf.nn.embedding_lookup", "x:params indices:ids | max_norm name"),
        graph="GatherV2 Gather ResourceGather",
        operands="x indices",
        takes={"indices": "index"},
        attrs={"validate_indices": None, "axis": None, "batch_dims": 0, "max_norm": None},
        blocked=("indices",),
    ),
    _moves(
        "gather_nd",
        spelled("tf.gather_nd", "x:params indices | batch_dims name"),
        graph="GatherNd",
        operands="x indices",
        takes={"indices": "pointers"},
        attrs={"batch_dims": 0},
        blocked=("indices",),
    ),
    _moves(
        "take_along_axis",
        spelled("ops.take_along_axis", "x indices axis"),
        spelled("tnp.take_along_axis", "x:arr indices axis"),
        operands="x indices",
        takes={"indices": "index"},
        attrs={"axis": None},
        blocked=("indices",),
    ),
    _moves(
        "boolean_mask",
        spelled("tf.boolean_mask", "x:tensor mask | axis name"),
        operands="x mask",
        takes={"mask": "bool"},
        attrs={"axis": None},
        blocked=("mask",),
    ),
    _moves(
        "slice",
        spelled("tf.slice", "x:input_ begin size name"),
        spelled("ops.slice", "x:inputs begin:start_indices size:shape"),
        graph="Slice",
        operands="x begin size",
        takes={"begin": "start", "size": "shape"},
        blocked=("begin", "size"),
    ),
    _moves("getitem", graph="StridedSlice", operands="x index", takes={"index": "index"}, blocked=("index",)),
    _moves(
        "split",
        spelled("tf.split", "x:value num_or_size_splits axis num name"),
        spelled("ops.split", "x num_or_size_splits:indices_or_sections axis"),
        spelled("tnp.split", "x:ary num_or_size_splits:indices_or_sections axis"),
        graph="Split SplitV",
        attrs={"num_or_size_splits": None, "axis": 0, "num": None},
    ),
    _moves(
        "unstack",
        spelled("tf.unstack", "x:value num axis name"),
        spelled("ops.unstack", "x num axis"),
        graph="Unpack",
        attrs={"num": None, "axis": 0},
    ),
    _moves("ensure_shape", spelled("tf.ensure_shape", "x shape name"), graph="EnsureShape", attrs={"shape": None}),
    _moves(
        "shuffle",
        spelled("tf.random.shuffle tf.random_shuffle", "x:value seed name"),
        spelled("keras.random.shuffle", "x axis seed"),
        graph="RandomShuffle",
        attrs={"axis": 0, "seed": None},
        random=True,
        blocked=("*",),
    ),
    row(
        "pad",
        spelled("tf.pad", "x:tensor paddings mode | constant_values name"),
        spelled("ops.pad", "x paddings:pad_width mode='constant' constant_values"),
        graph="Pad PadV2 MirrorPad",
        attrs={"paddings": None, "mode": "CONSTANT", "constant_values": 0},
        transfer=_pad,
        attained=never,
        elementwise=False,
    ),
    _padded("tril", spelled("ops.tril", "x k"), spelled("tnp.tril", "x:m k"), attrs={"k": 0}, takes={"x": "matrix"}),
    _padded("triu", spelled("ops.triu", "x k"), spelled("tnp.triu", "x:m k"), attrs={"k": 0}, takes={"x": "matrix"}),
    _gathered("sum", _total),
    _gathered("mean", lambda x, *others, attrs: x.hull(ZERO)),
    _gathered("sqrt_n", _total),
    *_segments("sum", _total, _total),
    *_segments("mean", _with_zero, _with_zero, keras=False),
    *_segments("max", _with_zero, lambda x, *others, attrs: Interval(LOWEST, max(x.hi, LOWEST))),
    *_segments("min", _with_zero, lambda x, *others, attrs: Interval(min(x.lo, -LOWEST), -LOWEST)),
    *_segments(
        "prod",
        lambda x, *others, attrs: _product(x, attrs=attrs).hull(Interval.point(1.0)),
        lambda x, *others, attrs: _product(x, attrs=attrs).hull(Interval.point(1.0)),
    ),
    row(
        "unsorted_segment_sqrt_n",
        spelled("tf.math.unsorted_segment_sqrt_n tf.unsorted_segment_sqrt_n", "x:data segment_ids num_segments name"),
        attrs={"num_segments": None},
        transfer=_total,
        **SEGMENTS,
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
        attained=never,
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        reason="counts, 0 for what does not occur",
    ),
    row(
        "scatter_nd",
        spelled("tf.scatter_nd", "indices x:updates shape | name"),
        spelled("ops.scatter", "indices x:values shape"),
        graph="ScatterNd",
        operands="indices x shape",
        takes={"indices": "pointers", "shape": "wide"},
        transfer=lambda indices, x, shape, attrs: _total(x, attrs=attrs),
        attained=never,
        blocked=("indices", "shape"),
        elementwise=False,
        same_dtype=False,
    ),
    row(
        "scatter_nd_add",
        spelled("tf.tensor_scatter_nd_add tf.tensor_scatter_add", "x:tensor indices updates | name"),
        graph="TensorScatterAdd",
        operands="x indices updates",
        takes={"indices": "pointers"},
        attained=never,
        transfer=lambda x, indices, updates, attrs: x + _total(updates, attrs=attrs),
        blocked=("indices",),
        elementwise=False,
    ),
    row(
        "scatter_nd_update",
        spelled("tf.tensor_scatter_nd_update tf.tensor_scatter_update", "x:tensor indices updates | name"),
        spelled("ops.scatter_update", "x:inputs indices updates"),
        graph="TensorScatterUpdate",
        operands="x indices updates",
        takes={"indices": "pointers"},
        transfer=lambda x, indices, updates, attrs: x.hull(updates),
        attained=never,
        blocked=("indices",),
        elementwise=False,
    ),
)
