"""Choosing, bounding and converting: where, clip, cast, tensors of one value, and values that join."""

from __future__ import annotations

import math
from typing import Any

from tfnanlint.interval import INF, UNIT, UNKNOWN, Interval
from tfnanlint.ops.numeric import Kernels, composed
from tfnanlint.ops.row import Attributes, Op, bounded, row, same, spelled

kernels = Kernels("select")


def _clip(x: Interval, lower: Interval, upper: Interval, attrs: Attributes) -> Interval:
    """The lower bound wins where it is above the upper one."""
    return x.minimum(upper).maximum(lower)


def _either(c: Interval, x: Interval, y: Interval, attrs: Attributes) -> Interval:
    return x.hull(y)


def _hull(*xs: Interval, attrs: Attributes) -> Interval:
    found = xs[0]
    for x in xs[1:]:
        found = found.hull(x)
    return found


def _sum_of_all(*xs: Interval, attrs: Attributes) -> Interval:
    total = xs[0]
    for x in xs[1:]:
        total = total + x
    return total


def _cast(x: Interval, attrs: Attributes) -> Interval:
    dtype = attrs.get("dtype")
    if dtype == "bool":
        return UNIT
    if isinstance(dtype, str) and dtype.startswith(("int", "uint")):
        return Interval(_truncated(x.lo), _truncated(x.hi)) if dtype.startswith("int") else UNKNOWN
    return x


def _truncated(bound: float) -> float:
    return float(math.trunc(bound)) if math.isfinite(bound) else bound


def _like(name: str, value: float, tensorflow: str, others: str, graph: str) -> Op:
    return row(
        name,
        spelled(tensorflow, "x:input dtype name | x:tensor"),
        spelled(others, "x dtype"),
        spelled(f"tnp.{name}", "x:a dtype"),
        attrs={"dtype": None},
        graph=graph,
        transfer=bounded(value, value),
        blocked=("*",),
        run=lambda x, dtype: kernels.like(x, value, dtype),
    )


def _filled(name: str, value: float) -> Op:
    return row(
        name,
        spelled(f"tf.{name}", "shape dtype name"),
        spelled(f"ops.{name} K.{name} tnp.{name}", "shape dtype"),
        operands="shape",
        takes={"shape": "shape"},
        attrs={"dtype": None},
        transfer=bounded(value, value),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        run=lambda shape, dtype: kernels.filled(shape, value, dtype),
    )


def _count(name: str, tensorflow: str, others: str, **rest: Any) -> Op:
    return row(
        name,
        spelled(tensorflow, "x:input | out_type name"),
        spelled(others, "x"),
        attrs={"out_type": None},
        transfer=bounded(0.0, INF),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        **rest,
    )


ROWS: tuple[Op, ...] = (
    row(
        "clip",
        spelled("tf.clip_by_value", "x:t lower:clip_value_min upper:clip_value_max name"),
        spelled("ops.clip", "x lower:x_min upper:x_max"),
        spelled("K.clip", "x lower:min_value upper:max_value"),
        spelled("tnp.clip", "x:a lower:a_min upper:a_max"),
        graph="ClipByValue",
        operands="x lower upper",
        transfer=_clip,
        reason="a clipped value",
        **composed(lambda t, x, lower, upper: t.maximum(t.minimum(x, upper), lower)),
    ),
    row(
        "where",
        spelled("tf.where tf.where_v2", "condition x y name"),
        spelled("ops.where", "condition x:x1 y:x2"),
        spelled("tnp.where", "condition x y"),
        spelled("K.switch", "condition x:then_expression y:else_expression"),
        graph="SelectV2 Select",
        operands="condition x y",
        least=1,
        takes={"condition": "bool"},
        transfer=_either,
        blocked=("condition",),
        **kernels.both("where"),
    ),
    row(
        "cast",
        spelled("tf.cast tf.dtypes.cast", "x dtype name"),
        spelled("ops.cast K.cast", "x dtype"),
        graph="Cast",
        attrs={"dtype": None},
        transfer=_cast,
        same_dtype=False,
        **kernels.both("cast"),
    ),
    row(
        "saturate_cast",
        spelled("tf.saturate_cast tf.dtypes.saturate_cast", "x:value dtype name"),
        spelled("ops.saturate_cast", "x dtype"),
        attrs={"dtype": None},
        transfer=_cast,
        same_dtype=False,
        **kernels.both("saturate_cast"),
    ),
    row(
        "one_hot",
        spelled("tf.one_hot", "indices depth on_value off_value axis dtype name"),
        spelled("ops.one_hot", "indices:x depth:num_classes axis dtype"),
        spelled("K.one_hot", "indices depth:num_classes"),
        operands="indices depth",
        takes={"indices": "index", "depth": "size"},
        attrs={"on_value": None, "off_value": None, "axis": -1, "dtype": None},
        graph="OneHot",
        transfer=bounded(0.0, 1.0),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        reason="a one-hot encoding",
        run=kernels.one_hot,
    ),
    row(
        "sequence_mask",
        spelled("tf.sequence_mask", "lengths maxlen dtype name"),
        operands="lengths",
        takes={"lengths": "index"},
        attrs={"maxlen": None, "dtype": None},
        transfer=bounded(0.0, 1.0),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        reason="a mask",
        run=kernels.sequence_mask,
    ),
    _like("zeros_like", 0.0, "tf.zeros_like", "ops.zeros_like K.zeros_like", "ZerosLike"),
    _like("ones_like", 1.0, "tf.ones_like", "ops.ones_like K.ones_like", "OnesLike"),
    _filled("zeros", 0.0),
    _filled("ones", 1.0),
    row(
        "fill",
        spelled("tf.fill", "shape:dims x:value name"),
        spelled("ops.full", "shape x:fill_value dtype"),
        spelled("tnp.full", "shape x:fill_value dtype"),
        operands="shape x",
        graph="Fill",
        takes={"shape": "shape", "x": "scalar"},
        attrs={"dtype": None},
        transfer=lambda shape, x, attrs: x,
        blocked=("shape",),
        elementwise=False,
        same_dtype=False,
        **kernels.both("fill"),
    ),
    row(
        "fill_like",
        spelled("ops.full_like", "x fill:fill_value dtype"),
        spelled("tnp.full_like", "x:a fill:fill_value dtype"),
        operands="x fill",
        takes={"fill": "scalar"},
        attrs={"dtype": None},
        transfer=lambda x, fill, attrs: fill,
        blocked=("x",),
        elementwise=False,
        **kernels.both("fill_like"),
    ),
    _count("size", "tf.size", "ops.size tnp.size", graph="Size", run=kernels.size),
    _count("shape", "tf.shape", "ops.shape K.shape K.int_shape", graph="Shape", run=kernels.shape),
    _count("rank", "tf.rank", "ops.ndim K.ndim", graph="Rank", run=kernels.rank),
    row(
        "range",
        spelled("tf.range", "start limit delta dtype name"),
        spelled("ops.arange tnp.arange", "start limit:stop delta:step dtype"),
        spelled("K.arange", "start limit:stop delta:step dtype='int32'"),
        operands="start limit delta",
        least=1,
        takes={"start": "size", "limit": "size", "delta": "size"},
        attrs={"dtype": None},
        graph="Range",
        transfer=lambda start, limit, delta, attrs: Interval(start.lo, limit.hi) if delta.lo > 0 else UNKNOWN,
        elementwise=False,
        same_dtype=False,
        blocked=("*",),
        run=kernels.range_of,
    ),
    row(
        "linspace",
        spelled("tf.linspace tf.lin_space", "x:start y:stop num | name axis"),
        spelled("ops.linspace tnp.linspace", "x:start y:stop num=50 | dtype axis"),
        operands="x y",
        takes={"x": "scalar", "y": "scalar"},
        attrs={"num": 50, "axis": 0, "dtype": None},
        transfer=lambda x, y, attrs: x.hull(y),
        elementwise=False,
        **kernels.both("linspace"),
    ),
    row(
        "concat",
        spelled("tf.concat", "*xs:values axis name"),
        spelled("ops.concatenate", "*xs:xs axis=0"),
        spelled("K.concatenate", "*xs:tensors axis=-1"),
        spelled("tnp.concatenate", "*xs:arys axis=0"),
        graph="ConcatV2 Concat",
        operands="*xs",
        attrs={"axis": None},
        transfer=_hull,
        elementwise=False,
        moves=True,
        **kernels.both("concat"),
    ),
    row(
        "stack",
        spelled("tf.stack", "*xs:values axis name"),
        spelled("ops.stack K.stack", "*xs:x axis"),
        spelled("tnp.stack", "*xs:arrays axis"),
        graph="Pack",
        operands="*xs",
        attrs={"axis": 0},
        transfer=_hull,
        elementwise=False,
        moves=True,
        **kernels.both("stack"),
    ),
    row(
        "add_n",
        spelled("tf.add_n tf.math.add_n", "*xs:inputs name"),
        spelled("tf.math.accumulate_n tf.accumulate_n", "*xs:inputs | name"),
        graph="AddN",
        operands="*xs",
        transfer=_sum_of_all,
        elementwise=False,
        run=kernels.add_n,
        pull=lambda g, y, *xs: (g,) * len(xs),
    ),
    row(
        "identity",
        spelled("tf.identity", "x:input name"),
        graph="Identity",
        transfer=same,
        transparent=True,
        elementwise=False,
        moves=True,
        run=lambda x, **attrs: x,
        pull=lambda g, y, x, **attrs: g,
    ),
    row(
        "stop_gradient",
        spelled("tf.stop_gradient", "x:input name"),
        spelled("ops.stop_gradient", "x:variable"),
        spelled("K.stop_gradient", "x:variables"),
        graph="StopGradient PreventGradient",
        transfer=same,
        blocked=("*",),
        elementwise=False,
        run=lambda x: x,
    ),
    row(
        "check_numerics",
        spelled("tf.debugging.check_numerics tf.check_numerics", "x:tensor message name"),
        graph="CheckNumerics CheckNumericsV2",
        attrs={"message": None},
        acts=True,
        transfer=same,
        elementwise=False,
        run=lambda x, **attrs: x,
        pull=lambda g, y, x, **attrs: g,
    ),
    row(
        "convert_to_tensor",
        spelled("tf.convert_to_tensor", "x:value dtype | name dtype_hint dtype_hint:preferred_dtype"),
        spelled("ops.convert_to_tensor", "x dtype"),
        spelled("ops.array", "x dtype"),
        spelled("tnp.asarray", "x:a dtype"),
        spelled("tnp.array", "x:val dtype"),
        attrs={"dtype": None, "dtype_hint": None},
        transfer=same,
        transparent=True,
        elementwise=False,
        run=kernels.convert,
        pull=lambda g, y, x, **attrs: g,
    ),
    row(
        "constant",
        spelled("tf.constant", "x:value dtype shape name"),
        spelled("K.constant", "x:value dtype shape name"),
        takes={"x": "literal"},
        attrs={"dtype": None, "shape": None},
        transfer=same,
        transparent=True,
        elementwise=False,
        **kernels.both("constant"),
    ),
    row("phi", operands="*xs", transfer=_hull),
    row("detached", transfer=same, blocked=("*",), transparent=True, elementwise=False, run=lambda x: x),
    row(
        "asserted",
        attrs={"lo": None, "hi": None},
        transfer=lambda x, attrs: x.meet(Interval(attrs["lo"], attrs["hi"])),
        transparent=True,
        run=lambda x, **attrs: x,
        pull=lambda g, y, x, **attrs: g,
    ),
)
