"""Keras layers that only move or pool elements, as ops with the axes and sizes that the layers state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.source.arguments import static
from tfnanlint.source.layer_kinds import spatial_axes
from tfnanlint.source.values import Layer, Origin, constant_of

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

USUAL = 2
"""The size of a window, or the factor of an enlargement, that is not stated or not known."""
WINDOWS = {"reduce_max": ("max_pool", "max_pool"), "reduce_mean": ("average_pool", "avg_pool")}
"""By reduction: the op that reduces windows, and the name of its function in `tf.nn`."""
FORMATS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
"""The order of axes with channels behind, by the number of spatial axes."""


def pooled(low: Lowering, layer: Layer, reduction: str, x: Node, origin: Origin) -> Node:
    """A pooling layer: over all places of a tensor, or over windows.

    Windows at the ends of an axis are padded whatever the layer says: in a trial axes are short, and none may vanish.
    """
    count = spatial_axes(layer.path)
    first = constant_of(layer.arguments.get("data_format")) == "channels_first"
    if layer.path.startswith("Global"):
        axes = tuple(range(2, 2 + count) if first else range(1, 1 + count))
        kept = constant_of(layer.arguments.get("keepdims")) is True
        attrs: dict[str, Any] = {"axis": axes[0] if count == 1 else axes, **({"keepdims": True} if kept else {})}
        return low.flow.add(reduction, (x,), attrs, origin)
    op, name = WINDOWS[reduction]
    sizes = _numbers(layer, "pool_size", count)
    attrs = {
        "ksize": sizes,
        "strides": _numbers(layer, "strides", count, sizes),
        "padding": "SAME",
        "data_format": f"NC{FORMATS[count][1:-1]}" if first else FORMATS[count],
    }
    return low.flow.add(op, (x,), attrs, replace(origin, spelling=f"tf.nn.{name}{count}d"))


def rearranged(low: Lowering, layer: Layer, x: Node, origin: Origin) -> Node:
    """A layer whose output holds every element of its input; the first axis is that of the examples."""
    add, kind = low.flow.add, layer.path
    if kind == "Flatten":
        return add("reshape", (x,), {"shape": (None, -1)}, origin)
    if kind == "Reshape" and isinstance(target := _static(layer, "target_shape"), tuple):
        return add("reshape", (x,), {"shape": (None, *target)}, origin)
    if kind == "Permute" and isinstance(dims := _static(layer, "dims"), tuple):
        return add("transpose", (x,), {"perm": (0, *dims)}, origin)
    if kind == "RepeatVector":
        lifted = add("expand_dims", (x,), {"axis": 1}, origin)
        return add("repeat", (lifted,), {"repeats": _static(layer, "n"), "axis": 1}, origin)
    if kind.startswith("UpSampling"):
        for axis, times in enumerate(_numbers(layer, "size", spatial_axes(kind)), 1):
            x = add("repeat", (x,), {"repeats": times, "axis": axis}, origin)
        return x
    return add("reshape", (x,), {"shape": DYNAMIC}, origin)


def _static(layer: Layer, name: str) -> Any:
    """An argument of a layer as a static parameter; `DYNAMIC` if it is unknown or missing."""
    given = layer.arguments.get(name)
    return DYNAMIC if given is None else static(given)


def _numbers(layer: Layer, name: str, count: int, default: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The numbers that an argument gives for each spatial axis."""
    given = _static(layer, name)
    listed = given if isinstance(given, tuple) else (given,) * count
    if len(listed) == count and all(type(one) is int and one > 0 for one in listed):
        return tuple(listed)
    return default or (USUAL,) * count
