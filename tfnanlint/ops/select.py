"""Choosing and bounding: where, clip, gather and masks; conversions; and ops that only move elements."""

from __future__ import annotations

from tfnanlint.interval import INF, UNIT, Interval
from tfnanlint.ops.row import Attributes, Op, always, bounded, row, same, spelled


def _clip(x: Interval, lower: Interval, upper: Interval, attrs: Attributes) -> Interval:
    return x.maximum(lower).minimum(upper)


def _clip_attained(x: Interval | None, lower: Interval | None, upper: Interval | None, attrs: Attributes) -> Interval | None:
    """Bounds given as constants are attained by what they clip, unless that keeps within them."""
    if lower is None or upper is None:
        return None
    return Interval(lower.lo, upper.hi) if x is None else x.maximum(lower).minimum(upper)


def _either(c: Interval, x: Interval, y: Interval, attrs: Attributes) -> Interval:
    return x.hull(y)


def _either_attained(c: Interval | None, x: Interval | None, y: Interval | None, attrs: Attributes) -> Interval | None:
    if x is not None and y is not None:
        return x.hull(y)
    return x if y is None else y


def _hull(*xs: Interval, attrs: Attributes) -> Interval:
    found = xs[0]
    for x in xs[1:]:
        found = found.hull(x)
    return found


def _hull_attained(*xs: Interval | None, attrs: Attributes) -> Interval | None:
    seen = [x for x in xs if x is not None]
    return _hull(*seen, attrs=attrs) if seen else None


def _cast(x: Interval, attrs: Attributes) -> Interval:
    return UNIT if attrs.get("dtype") == "bool" else x


def _moves(name: str, *spellings, graph: str = "", **rest) -> Op:
    """An op whose result holds elements of its first operand and nothing else."""
    return row(name, *spellings, graph=graph, transfer=same, elementwise=False, **rest)


ROWS: tuple[Op, ...] = (
    row(
        "clip",
        spelled("tf.clip_by_value", "x:t lower:clip_value_min upper:clip_value_max name"),
        spelled("ops.clip", "x lower:x_min upper:x_max"),
        spelled("K.clip", "x lower:min_value upper:max_value"),
        graph="ClipByValue",
        operands="x lower upper",
        transfer=_clip,
        attained=_clip_attained,
        blocked=("lower", "upper"),
        reason="clipped to that",
    ),
    row(
        "where",
        spelled("tf.where", "condition x y name"),
        spelled("ops.where", "condition x:x1 y:x2"),
        spelled("K.switch", "condition x:then_expression y:else_expression"),
        graph="SelectV2 Select",
        operands="condition x y",
        transfer=_either,
        attained=_either_attained,
        blocked=("condition",),
    ),
    row("cast", spelled("tf.cast tf.dtypes.cast", "x dtype name"), spelled("ops.cast K.cast", "x dtype"), graph="Cast",
        attrs={"dtype": None}, transfer=_cast, same_dtype=False),
    row("one_hot", spelled("tf.one_hot", "indices depth on_value off_value axis dtype name"),
        operands="indices depth", attrs={"on_value": None, "off_value": None, "axis": None, "dtype": None},
        graph="OneHot", transfer=bounded(0.0, 1.0), attained=always(0.0, 1.0), blocked=("*",), elementwise=False,
        same_dtype=False, reason="a one-hot encoding"),
    row("zeros_like", spelled("tf.zeros_like", "x:input dtype name"), spelled("ops.zeros_like K.zeros_like", "x dtype"),
        attrs={"dtype": None}, graph="ZerosLike", transfer=bounded(0.0, 0.0), attained=always(0.0, 0.0), blocked=("*",)),
    row("ones_like", spelled("tf.ones_like", "x:input dtype name"), spelled("ops.ones_like K.ones_like", "x dtype"),
        attrs={"dtype": None}, graph="OnesLike", transfer=bounded(1.0, 1.0), attained=always(1.0, 1.0), blocked=("*",)),
    row("zeros", spelled("tf.zeros", "shape dtype name"), spelled("ops.zeros K.zeros", "shape dtype"), operands="shape",
        attrs={"dtype": None}, transfer=bounded(0.0, 0.0), attained=always(0.0, 0.0), blocked=("*",), same_dtype=False),
    row("ones", spelled("tf.ones", "shape dtype name"), spelled("ops.ones K.ones", "shape dtype"), operands="shape",
        attrs={"dtype": None}, transfer=bounded(1.0, 1.0), attained=always(1.0, 1.0), blocked=("*",), same_dtype=False),
    row("size", spelled("tf.size", "x:input out_type name"), spelled("ops.size", "x"), graph="Size",
        attrs={"out_type": None}, transfer=bounded(0.0, INF), blocked=("*",), elementwise=False, same_dtype=False),
    row("shape", spelled("tf.shape", "x:input out_type name"), spelled("ops.shape K.shape K.int_shape", "x"), graph="Shape",
        attrs={"out_type": None}, transfer=bounded(0.0, INF), blocked=("*",), elementwise=False, same_dtype=False),
    row("concat", spelled("tf.concat", "*xs:values axis name"), spelled("ops.concatenate", "*xs:xs axis"),
        graph="ConcatV2", operands="*xs", attrs={"axis": None}, transfer=_hull, attained=_hull_attained, elementwise=False),
    row("stack", spelled("tf.stack", "*xs:values axis name"), spelled("ops.stack", "*xs:x axis"), graph="Pack",
        operands="*xs", attrs={"axis": 0}, transfer=_hull, attained=_hull_attained, elementwise=False),
    row("add_n", spelled("tf.add_n tf.math.add_n", "*xs:inputs name"), graph="AddN", operands="*xs",
        transfer=lambda *xs, attrs: sum(xs[1:], xs[0]), elementwise=False),
    _moves("identity", spelled("tf.identity", "x:input name"), graph="Identity", transparent=True),
    _moves("stop_gradient", spelled("tf.stop_gradient", "x:input name"), spelled("ops.stop_gradient", "x:variable"),
           spelled("K.stop_gradient", "x:variables"), graph="StopGradient PreventGradient", blocked=("*",)),
    _moves("check_numerics", spelled("tf.debugging.check_numerics tf.check_numerics", "x:tensor message name"),
           graph="CheckNumerics CheckNumericsV2", attrs={"message": None}),
    _moves("convert_to_tensor", spelled("tf.convert_to_tensor", "x:value dtype name"),
           spelled("ops.convert_to_tensor", "x dtype"), attrs={"dtype": None}, transparent=True),
    _moves("constant", spelled("tf.constant", "x:value dtype shape name"), spelled("K.constant", "x:value dtype shape name"),
           attrs={"dtype": None, "shape": None}, transparent=True),
    _moves("reshape", spelled("tf.reshape", "x:tensor shape name"), spelled("ops.reshape", "x shape:newshape"),
           spelled("K.reshape", "x shape"), graph="Reshape", attrs={"shape": None}),
    _moves("flatten", spelled("K.flatten K.batch_flatten", "x"), spelled("ops.ravel", "x")),
    _moves("transpose", spelled("tf.transpose", "x:a perm name"), spelled("ops.transpose", "x axes"), graph="Transpose",
           attrs={"perm": None, "axes": None}),
    _moves("squeeze", spelled("tf.squeeze", "x:input axis name | axis:squeeze_dims"), spelled("ops.squeeze K.squeeze", "x axis"),
           graph="Squeeze", attrs={"axis": None}),
    _moves("expand_dims", spelled("tf.expand_dims", "x:input axis name | axis:dim"), spelled("ops.expand_dims K.expand_dims", "x axis"),
           graph="ExpandDims", attrs={"axis": -1}),
    _moves("tile", spelled("tf.tile", "x:input multiples name"), spelled("ops.tile", "x multiples:repeats"), graph="Tile",
           attrs={"multiples": None}),
    _moves("repeat", spelled("tf.repeat", "x:input repeats axis name"), spelled("ops.repeat", "x repeats axis"),
           attrs={"repeats": None, "axis": None}),
    _moves("broadcast_to", spelled("tf.broadcast_to", "x:input shape name"), spelled("ops.broadcast_to", "x shape"),
           graph="BroadcastTo", attrs={"shape": None}),
    _moves("reverse", spelled("tf.reverse", "x:tensor axis name"), graph="ReverseV2", attrs={"axis": None}),
    _moves("sort", spelled("tf.sort", "x:values axis direction name"), spelled("ops.sort", "x axis"),
           attrs={"axis": -1, "direction": None}),
    _moves("gather", spelled("tf.gather", "x:params indices validate_indices axis batch_dims name"), graph="GatherV2",
           operands="x indices", attrs={"validate_indices": None, "axis": None, "batch_dims": 0}, blocked=("indices",)),
    _moves("gather_nd", spelled("tf.gather_nd", "x:params indices batch_dims name"), graph="GatherNd",
           operands="x indices", attrs={"batch_dims": 0}, blocked=("indices",)),
    _moves("boolean_mask", spelled("tf.boolean_mask", "x:tensor mask axis name"), operands="x mask", attrs={"axis": None},
           blocked=("mask",)),
    _moves("slice", spelled("tf.slice", "x:input_ begin size name"), graph="Slice", operands="x begin size",
           blocked=("begin", "size")),
    _moves("getitem", graph="StridedSlice", operands="x index", blocked=("index",)),
    _moves("split", spelled("tf.split", "x:value num_or_size_splits axis num name"), attrs={"num_or_size_splits": None, "axis": 0, "num": None}),
    _moves("unstack", spelled("tf.unstack", "x:value num axis name"), attrs={"num": None, "axis": 0}),
    row("pad", spelled("tf.pad", "x:tensor paddings mode constant_values name"), graph="Pad PadV2",
        attrs={"paddings": None, "mode": "CONSTANT", "constant_values": 0},
        transfer=lambda x, attrs: x.hull(Interval.point(0.0)), elementwise=False),
    row("phi", operands="*xs", transfer=_hull, attained=_hull_attained),
    row("asserted", attrs={"lo": None, "hi": None}, transfer=lambda x, attrs: x.meet(Interval(attrs["lo"], attrs["hi"])),
        transparent=True),
)
