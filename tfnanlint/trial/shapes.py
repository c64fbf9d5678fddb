"""Shapes of the inputs of a trial: small, and with different sizes for batch, length and channels.

The rank of an input follows from its uses: a reduction over axis 2 needs three axes. The size of an axis follows from
its position: the first is the batch, the last the channels. Where shapes do not match, the run fits them and marks the
result as approximate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tfnanlint.flow import ALIKE, DYNAMIC, Node, behind
from tfnanlint.ops import OPS
from tfnanlint.ops.row import SINGULAR
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.trial.limits import CARRYING
from tfnanlint.trial.slices import columns_of, last_part
from tfnanlint.trial.uses import tests_in

BATCH, LENGTH, CHANNELS = 4, 5, 3
"""The sizes of the axes; all different, so that a wrong shape shows."""
LARGEST_INNER, LARGEST_CHANNELS = 16, 32
"""Limits of stated sizes: of the inner axes of three or more, and of the others."""
LARGEST, MOST_AXES = 50_000, 12
"""The most elements and axes of an array that is kept."""
LARGEST_SIZE = 256
"""Limit of the size of a traced axis; lower for an array that would be too large."""
DEFAULT_RANK = 2
"""The rank of an input without evidence: a batch of rows."""
LARGEST_RANK = 5
"""The highest rank of an input."""
LONGEST_FRAME = 2048
"""The longest frame for which a signal is made."""
KEEPING_RANK = frozenset("identity cast clip where phi loop stop_gradient check_numerics nan_to_num unknown".split())
"""Kinds of nodes whose first operand has the same rank as the result."""
FOR_EACH_AXIS = {"transpose": "perm", "pad": "paddings", "tile": "multiples"}
"""Ops of which a static parameter has an entry for each axis of the operand."""
FOR_EACH_OPERAND = {"batch_dot": "axes", "tensordot": "axes"}
"""Ops of which a static parameter says for each operand over which of its axes the product adds up."""
BY_OWN_RANK: Mapping[str, Callable[[int], int]] = {
    "matmul": lambda own: max(2, own),
    "expand_dims": lambda own: max(own - 1, 1),
    "stack": lambda own: max(own - 1, 0),
    **dict.fromkeys("gather boolean_mask reshape flatten size".split(), lambda own: 1),
}
"""Ops whose own rank alone decides which rank they need of their operands."""
ROWWISE = frozenset("l2_normalize softmax log_softmax".split())
"""Ops whose result has the shape of their operand, though they work along an axis."""
KEEPING_PLACES = ROWWISE | frozenset(
    "identity cast stop_gradient check_numerics ensure_shape convert_to_tensor".split()
)
"""Ops of one operand whose result has each element at its place."""
MOST_HANDED_ON = 4
"""The most ops between a new axis and the reduction of another one."""
NEW_AXES = frozenset("None tf.newaxis np.newaxis".split())
"""How a subscript spells a new axis."""
WIDTHS = ("units", "filters", "output_dim")
"""The arguments that give the number of channels of a layer's output."""
POOLING = frozenset({"average_pool", "max_pool"})
RANKS_OF_WINDOWS = {"1d": 3, "3d": 5}
"""The ranks of what windows move over, by the end of the op's name; others move over images."""
WIDEST_WINDOW = 64
"""The largest size of an axis for windows to move along."""
IMAGES = frozenset("Conv2D DepthwiseConv2D SeparableConv2D Conv2DTranspose MaxPooling2D UpSampling2D".split())
SEQUENCES = frozenset("Conv1D LSTM GRU SimpleRNN MultiHeadAttention Attention Bidirectional TimeDistributed".split())


def ranks_of(nodes: Iterable[Node], computed: Mapping[Node, Mapping[str, Sequence[Node]]]) -> dict[Node, int]:
    """The least rank of each node according to its users, computed from the last node to the first.

    `computed` holds the values of which the static parameters of nodes are computed.
    """
    needed: dict[Node, int] = {}
    for node in reversed(list(nodes)):
        own = needed.get(node, 0)
        entries = len(computed[node].get(FOR_EACH_AXIS.get(node.op, ""), ())) if node in computed else 0
        axes = entries // 2 if node.op == "pad" else entries
        for place, operand in enumerate(node.operands):
            wanted = axes if entries > 1 else _wanted(node, place, own)
            if wanted > needed.get(operand, 0):
                needed[operand] = min(wanted, LARGEST_RANK)
    return needed


def ranks_compared(nodes: Iterable[Node], ranks: Mapping[Node, int]) -> dict[Node, int]:
    """The ranks of what the program computes with an input element by element, as a prediction with its label.

    `ranks` holds the least rank of each node by its users.
    """
    least: dict[Node, int] = {}
    found: dict[Node, int] = {}
    for node in nodes:
        row = OPS.get(node.op)
        least[node] = ranks.get(node, 0)
        if node.op == "layer":
            least[node] = max(least[node], 4) if node.attrs.get("kind") in IMAGES else least[node]
        elif node.operands and ((row is not None and row.elementwise) or node.op in ROWWISE):
            met = [least.get(operand, 0) for operand in node.operands]
            least[node] = max(least[node], *met)
            for operand in node.operands:
                given = behind(operand, KEEPING_PLACES)
                found[given] = max(found.get(given, 0), *met)
    return found


def vectors_of(nodes: Iterable[Node]) -> set[Node]:
    """The values that have one axis.

    They are made columns beside a matrix, as in `x / lengths[:, None]`, or class numbers of which all pairs are
    compared, as in `labels[:, None] == labels`, perhaps once they were flattened.
    """
    every = list(nodes)
    columns = (node for node in every if node.op == "expand_dims" and node.attrs.get("axis") == 1)
    found = {node.operands[0] for node in columns if any(_meets_matrix(user, node) for user in node.users)}
    for node in every:
        if node.op in ("equal", "not_equal") and (compared := _compared_with_itself(*node.operands)) is not None:
            flat = compared.op == "reshape" and compared.attrs.get("shape") in ((-1,), (-1, 1))
            found.add(compared.operands[0] if flat else compared)
    return found


def _compared_with_itself(one: Node, other: Node) -> Node | None:
    """The value of which two operands are a column and a row."""
    made = [at.operands[0] if at.op in ("expand_dims", "transpose") else at for at in (one, other)]
    return made[0] if one is not other and made[0].value == made[1].value else None


def _meets_matrix(user: Node, column: Node) -> bool:
    """Whether an op computes with a column and with a value that gets no new axis for that."""
    row = OPS.get(user.op)
    others = [one for one in user.operands if one is not column and one.op != "const"]
    if row is None or not row.elementwise or len(others) != 1:
        return False
    return others[0].op != "expand_dims" and NEW_AXES.isdisjoint(_parts_of(others[0]))


def lengths_of(nodes: Iterable[Node], ranks: Mapping[Node, int]) -> dict[Node, int]:
    """The least size of the last axis of each value that is cut into frames, or into columns that the program names."""
    needed: dict[Node, int] = {}
    for node in reversed(list(nodes)):
        row = OPS.get(node.op)
        if not node.operands or row is None:
            continue
        frame = node.attrs.get("frame_length")
        if isinstance(frame, int) and 0 < frame <= LONGEST_FRAME:
            needed[node.operands[0]] = max(needed.get(node.operands[0], 0), frame)
        elif node.op == "getitem" and "place" not in node.attrs:
            rank = max(ranks.get(node.operands[0], 0), DEFAULT_RANK)
            columns = columns_of(node, rank, needed.get(node, 0))
            if columns <= LARGEST_CHANNELS:
                needed[node.operands[0]] = max(needed.get(node.operands[0], 0), columns)
        elif node in needed and (row.elementwise or "place" in node.attrs):  # one element of a data set has all of it
            for operand in node.operands:
                needed[operand] = max(needed.get(operand, 0), needed[node])
    return needed


def classes_of(nodes: Iterable[Node]) -> dict[Node, int]:
    """The number of segments or classes that ids tell apart, as far as the program states it."""
    found: dict[Node, int] = {}
    for node in nodes:
        count = node.attrs.get("num_segments")
        if node.op == "one_hot" and len(node.operands) > 1:
            count = node.operands[1].constant
        ids = node.operands[0 if node.op == "one_hot" else 1] if len(node.operands) > 1 else None
        if ids is not None and isinstance(count, int):
            found.setdefault(behind(ids, CARRYING), count)
    return found


def windows_of(nodes: Iterable[Node]) -> dict[Node, int]:
    """The least size of the inner axes of each value over which windows move that may not stand out."""
    needed: dict[Node, int] = {}
    for node in reversed(list(nodes)):
        row = OPS.get(node.op)
        own, operands = needed.get(node, 1), node.operands
        if not operands or (row is None and node.op not in ("loop", "phi")):
            continue
        if node.op in POOLING:
            window = _largest(node.attrs.get("ksize"))
            stride = _largest(node.attrs.get("strides")) or window
            inside = str(node.attrs.get("padding", "")).upper() == "VALID"
            padded = own * stride if own > 1 else 1  # a padded axis of one place leaves one
            own, operands = window + (own - 1) * stride if inside else padded, operands[:1]
        elif row is not None and not (row.elementwise or node.op == "expand_dims"):
            continue
        for operand in operands if 1 < own <= WIDEST_WINDOW else ():
            needed[operand] = max(needed.get(operand, 0), own)
    return needed


def _largest(sizes: Any) -> int:
    """The largest of the sizes of a window, or of its steps; 0 if they are not known."""
    listed = sizes if isinstance(sizes, (tuple, list)) else (sizes,)
    return max((one for one in listed if isinstance(one, int)), default=0)


def width_of(layer: Node) -> int | None:
    """The number of channels of a layer's output, if the program states it."""
    told = next((layer.attrs[name] for name in WIDTHS if name in layer.attrs), None)
    return told if isinstance(told, int) else None


def deciding(nodes: Iterable[Node]) -> set[Node]:
    """The values that an `if` or a `while` of Python compares: numbers, since an array has no truth value."""
    return {operand for test in tests_in(nodes) for operand in test.operands}


def squares_of(nodes: Iterable[Node]) -> set[Node]:
    """The values that are square matrices.

    An op takes an inverse, a determinant or a trace of them or sets their diagonal, or rows of channels are multiplied
    with them.
    """
    found: set[Node] = set()
    for node in reversed(list(nodes)):
        row = OPS.get(node.op)
        if row is None:
            # an array of NumPy, or one of which elements are given other numbers
            keeps = node.op == "unknown" and ("called" not in node.attrs or LIBRARY in node.attrs)
            found.update(node.operands[:1] if keeps and node in found else ())
            continue
        asked = {at.operand for at in row.breaks if at.of == SINGULAR}
        if node.op in ("trace", "set_diag"):
            asked.add("x")
        if node.op == "matmul" and not {True, DYNAMIC}.intersection(node.attrs.values()) and _has_channels(node):
            asked.add("y")
        for name, operand in zip(row.operands, node.operands, strict=False):
            if name in asked or (node in found and (row.elementwise or row.transparent or node.op in ROWWISE)):
                found.add(operand)
    return found


def _has_channels(product: Node) -> bool:
    """Whether the first operand of a product is an input, or is made of one row by row."""
    at = product.operands[0]
    while at.operands and (at.op in ROWWISE or (at.op in OPS and OPS[at.op].elementwise)):
        at = at.operands[0]
    return at.op in ("input", "placeholder")


def _wanted(node: Node, place: int, own: int) -> int:
    """The rank that a node of rank `own` needs of an operand."""
    attrs, op = node.attrs, node.op
    row = OPS.get(op)
    if op == "getitem":
        return _subscripted(node, own) if place == 0 else 0
    if row is None:
        if op == "layer":
            kind = attrs.get("kind")
            if kind == "Embedding":
                return max(own - 1, 1)
            return max(own, 4 if kind in IMAGES else 3 if kind in SEQUENCES else 2)
        return own if op in KEEPING_RANK and place == 0 else 0
    taken = row.takes.get(row.operands[min(place, len(row.operands) - 1)])
    if taken in ("size", "shape", "start", "wide", "scalar"):
        return 0
    if taken in ("image", "channels", "filters"):
        spelling = getattr(node.origin, "spelling", None) or ""
        return next((rank for ending, rank in RANKS_OF_WINDOWS.items() if spelling.endswith(ending)), 4)
    if op == "einsum":
        term = str(attrs.get("equation", "")).replace(" ", "").partition("->")[0].split(",")[place:][:1]
        return sum(map(str.isalpha, *term)) if term else 0
    if op in FOR_EACH_OPERAND:
        listed = attrs.get(FOR_EACH_OPERAND[op])
        axes = _axes(listed[place]) if isinstance(listed, (tuple, list)) and place < len(listed) else ()
        return max(2, *(axis + 1 for axis in axes)) if axes else 2
    if "keepdims" in row.attrs or "axes" in row.attrs:
        axes = _axes(attrs.get("axis", attrs.get("axes")))
        below = own if attrs.get("keepdims") is True else own + len(axes)
        named = _rank_with(axes)
        if named > 1 and _is_column(node.operands[place]):
            named += 1
        return max(below, named, 1) if axes else max(own, 1)
    if op in BY_OWN_RANK:
        return BY_OWN_RANK[op](own)
    if op in FOR_EACH_AXIS:
        listed = attrs.get(FOR_EACH_AXIS[op])
        return len(listed) if isinstance(listed, (tuple, list)) else max(own, 2) if op == "transpose" else own
    if op == "squeeze":
        axes = _axes(attrs.get("axis"))
        return max(own + len(axes or (0,)), _rank_with(axes), 1)
    if op == "one_hot":
        return max(own - 1, 1) if place == 0 else 0
    if op == "shape":
        return max([1, *map(_axes_read, node.users)])
    if row.elementwise or row.moves or op in ("softmax", "log_softmax", "cumsum", "cumprod", "l2_normalize"):
        return max(own, _rank_with(_axes(attrs.get("axis"))))
    return 1


def _is_column(value: Node) -> bool:
    """Whether the last axis of a value is a new one, as in `x * mask[..., None]`: nothing is reduced over that."""
    for _ in range(MOST_HANDED_ON):
        row = OPS.get(value.op)
        if value.op == "expand_dims" or row is None or not row.elementwise or not value.operands:
            break
        value = next((one for one in value.operands if one.op == "expand_dims"), value.operands[0])
    return value.op == "expand_dims" and value.attrs.get("axis") == -1


def _rank_with(axes: Iterable[int]) -> int:
    """The least rank that has these axes; negative ones count from the end."""
    return max((axis + 1 if axis >= 0 else -axis for axis in axes), default=0)


def _axes_read(part: Node) -> int:
    """How many axes there are at least, where a part of a shape is read."""
    if part.op != "getitem":
        return 0
    place = part.operands[1].constant if len(part.operands) == 2 else last_part(part)
    if isinstance(place, slice):
        start, stop = (end if isinstance(end, int) else 0 for end in (place.start, place.stop))
        return max(start + 1, stop) if start >= 0 else 0
    return place + 1 if isinstance(place, int) and place >= 0 else 0


def _axes(axis: Any) -> tuple[int, ...]:
    if isinstance(axis, int) and not isinstance(axis, bool):
        return (axis,)
    if isinstance(axis, (tuple, list)):
        return tuple(a for a in axis if isinstance(a, int))
    return ()


def _subscripted(node: Node, own: int) -> int:
    """The rank of what a subscript is applied to: the axes that it names and those that remain."""
    text = str(node.attrs.get("slices", ""))
    if ALIKE in node.attrs:
        return own
    if not text:
        return own + max(len(node.operands) - 1, 1)
    parts = _parts_of(node)
    new = sum(part in NEW_AXES for part in parts)
    taken = sum(":" not in part and part != "..." for part in parts) - new
    named = sum(part != "..." for part in parts) - new
    return max(own + taken - new, named)


def _parts_of(node: Node) -> tuple[str, ...]:
    """What a subscript names for each axis, as it is written."""
    text = str(node.attrs.get("slices", ""))
    inside = text[text.rindex("[") + 1 : -1] if "[" in text else ""
    return tuple(part.strip() for part in inside.split(","))


def shape_of(rank: int, attrs: Mapping[str, Any]) -> tuple[int, ...]:
    """The shape of an input of a rank; a shape that the program states comes first."""
    stated = attrs.get("shape")
    if isinstance(stated, (tuple, list)) and all(isinstance(s, int) or s is None or s is DYNAMIC for s in stated):
        if not stated:
            return ()
        default = by_place(len(stated))
        inner = LARGEST_INNER if len(stated) > 2 else LARGEST_CHANNELS
        caps = [inner] * (len(stated) - 1) + [LARGEST_CHANNELS]
        return _cut(
            min(s, cap) if isinstance(s, int) and s > 0 else d for s, d, cap in zip(stated, default, caps, strict=True)
        )
    return by_place(rank)


def shape_of_traced(traced: Sequence[int | None]) -> tuple[int, ...]:
    """The shape of a traced value, with sizes by position where the trace does not know them."""
    return _cut(d if s is None else s for s, d in zip(traced, by_place(len(traced)), strict=True))


def _cut(sizes: Iterable[int]) -> tuple[int, ...]:
    """A shape with one limit for all axes, low enough that an array of it is kept."""
    found, cap = tuple(sizes), LARGEST_SIZE
    found = tuple(min(size, cap) for size in found)
    while cap > 1 and math.prod(found) > LARGEST:
        cap //= 2
        found = tuple(min(size, cap) for size in found)
    return found


def agrees(shape: Sequence[int], traced: Sequence[int | None]) -> bool:
    """Whether the shape of a value in a run agrees with the traced one."""
    return len(shape) == len(traced) and all(
        known is None or size == cut for size, known, cut in zip(shape, traced, shape_of_traced(traced), strict=True)
    )


def by_place(rank: int) -> tuple[int, ...]:
    """The shape of a rank: sizes by position."""
    if rank <= 0:
        return ()
    if rank == 1:
        return (BATCH,)
    middle = {2: (), 3: (LENGTH,), 4: (6, 6), 5: (2, LENGTH, LENGTH)}
    return (BATCH, *middle.get(rank, (2,) * (rank - 2)), CHANNELS)
