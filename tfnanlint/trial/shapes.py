"""Shapes for a trial: small, with different sizes for batch, length and channels, as far as the program says them.

How many axes an input has follows from what is done with it: a reduction over axis 2 needs three. Which size an axis
has follows from its place: the first is the batch, the last the channels. What does not fit is fitted by the run,
which marks its result as approximate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops import OPS

BATCH, LENGTH, CHANNELS = 4, 5, 3
"""The sizes of the axes; all different, so that a result of the wrong shape shows."""
LARGEST_INNER, LARGEST_CHANNELS = 12, 32
"""A stated size is cut to these, of the last axis to the latter."""
LARGEST_SIZE = 256
"""A traced axis is cut to this size."""
DEFAULT_RANK = 2
"""A batch of rows, where nothing says otherwise."""
LARGEST_RANK = 5
"""So many axes does an input have at most."""
LONGEST_FRAME = 2048
"""Signals for longer frames are not made."""
KEEPING_RANK = frozenset("identity cast clip where phi loop stop_gradient check_numerics nan_to_num unknown".split())
"""Kinds of nodes whose first operand has as many axes as they have."""
IMAGES = frozenset("Conv2D DepthwiseConv2D SeparableConv2D Conv2DTranspose MaxPooling2D UpSampling2D".split())
SEQUENCES = frozenset("Conv1D LSTM GRU SimpleRNN MultiHeadAttention Attention Bidirectional TimeDistributed".split())


def ranks_of(nodes: Iterable[Node]) -> dict[Node, int]:
    """How many axes each node needs at least, as its users tell: computed from the last node to the first."""
    needed: dict[Node, int] = {}
    for node in reversed(list(nodes)):
        own = needed.get(node, 0)
        for place, operand in enumerate(node.operands):
            wanted = _wanted(node, place, own)
            if wanted > needed.get(operand, 0):
                needed[operand] = min(wanted, LARGEST_RANK)
    return needed


def lengths_of(nodes: Iterable[Node]) -> dict[Node, int]:
    """How many elements the last axis of a value has at least: frames are cut out of it, or its spectrum is taken."""
    needed: dict[Node, int] = {}
    for node in reversed(list(nodes)):
        row = OPS.get(node.op)
        if not node.operands or row is None:
            continue
        frame = node.attrs.get("frame_length")
        if isinstance(frame, int) and 0 < frame <= LONGEST_FRAME:
            needed[node.operands[0]] = max(needed.get(node.operands[0], 0), frame)
        elif row.elementwise and node in needed:
            for operand in node.operands:
                needed[operand] = max(needed.get(operand, 0), needed[node])
    return needed


def _wanted(node: Node, place: int, own: int) -> int:
    """How many axes a node's operand needs, where the node itself needs `own`."""
    attrs, op = node.attrs, node.op
    row = OPS.get(op)
    if row is None:
        if op == "getitem":
            return _subscripted(node, own) if place == 0 else 0
        if op == "layer":
            kind = attrs.get("kind")
            return max(own, 4 if kind in IMAGES else 3 if kind in SEQUENCES else 2)
        return own if op in KEEPING_RANK and place == 0 else 0
    if op == "getitem":
        return _subscripted(node, own) if place == 0 else 0
    taken = row.takes.get(row.operands[min(place, len(row.operands) - 1)])
    if taken in ("size", "shape", "start", "wide", "scalar"):
        return 0
    if taken in ("image", "channels", "filters"):
        return 4
    if "keepdims" in row.attrs or "axes" in row.attrs:
        axes = _axes(attrs.get("axis", attrs.get("axes")))
        kept = attrs.get("keepdims") is True
        below = own if kept else own + len(axes or (0,))
        return max(below, *(axis + 1 if axis >= 0 else -axis for axis in axes), 1) if axes else max(own, 1)
    if op == "matmul":
        return max(2, own)
    if op == "transpose":
        perm = attrs.get("perm")
        return len(perm) if isinstance(perm, (tuple, list)) else max(own, 2)
    if op == "expand_dims":
        return max(own - 1, 1)
    if op == "stack":
        return max(own - 1, 0)
    if op == "squeeze":
        axes = _axes(attrs.get("axis"))
        return max(own + len(axes or (0,)), *(axis + 1 if axis >= 0 else -axis for axis in axes), 1)
    if op == "one_hot":
        return max(own - 1, 1) if place == 0 else 0
    if op in ("gather", "boolean_mask", "reshape", "flatten", "shape", "size"):
        return 1
    if row.elementwise or row.moves or op in ("softmax", "log_softmax", "cumsum", "cumprod", "l2_normalize"):
        axes = _axes(attrs.get("axis"))
        return max(own, *(axis + 1 if axis >= 0 else -axis for axis in axes)) if axes else own
    return 1


def _axes(axis: Any) -> tuple[int, ...]:
    if isinstance(axis, int) and not isinstance(axis, bool):
        return (axis,)
    if isinstance(axis, (tuple, list)):
        return tuple(a for a in axis if isinstance(a, int))
    return ()


def _subscripted(node: Node, own: int) -> int:
    """How many axes a subscript takes: those that it names, besides those that are left."""
    text = str(node.attrs.get("slices", ""))
    if not text:
        return own + max(len(node.operands) - 1, 1)
    inside = text[text.rindex("[") + 1 : -1] if "[" in text else ""
    parts = [part.strip() for part in inside.split(",")]
    taken = sum(":" not in part and part not in ("...", "None", "tf.newaxis", "np.newaxis") for part in parts)
    named = sum(part not in ("...", "None", "tf.newaxis", "np.newaxis") for part in parts)
    return max(own + taken, named)


def shape_of(rank: int, attrs: Mapping[str, Any]) -> tuple[int, ...]:
    """The shape of an input of a rank; what the program says of it goes first."""
    stated = attrs.get("shape")
    if isinstance(stated, (tuple, list)) and all(isinstance(s, int) or s is None or s is DYNAMIC for s in stated):
        if not stated:
            return ()
        default = _by_place(len(stated))
        caps = [LARGEST_INNER] * (len(stated) - 1) + [LARGEST_CHANNELS]
        return tuple(
            min(s, cap) if isinstance(s, int) and s > 0 else d for s, d, cap in zip(stated, default, caps, strict=True)
        )
    return _by_place(rank)


def shape_of_traced(traced: Sequence[int | None]) -> tuple[int, ...]:
    """The shape of a value of which a trace knows the shape, with the sizes by place where it does not know them."""
    by_place = _by_place(len(traced))
    return tuple(d if s is None else min(s, LARGEST_SIZE) for s, d in zip(traced, by_place, strict=True))


def agrees(shape: Sequence[int], traced: Sequence[int | None]) -> bool:
    """Whether a shape of a run is what a trace knows of it."""
    return len(shape) == len(traced) and all(
        known is None or size == min(known, LARGEST_SIZE) for size, known in zip(shape, traced, strict=True)
    )


def _by_place(rank: int) -> tuple[int, ...]:
    if rank <= 0:
        return ()
    if rank == 1:
        return (BATCH,)
    middle = {2: (), 3: (LENGTH,), 4: (6, 6), 5: (2, LENGTH, LENGTH)}
    return (BATCH, *middle.get(rank, (2,) * (rank - 2)), CHANNELS)
