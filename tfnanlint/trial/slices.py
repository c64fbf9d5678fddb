"""The index of a subscript `x[...]`: given by its text, by the values of its operands, or by a trace."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tfnanlint.flow import Node
from tfnanlint.ops.numeric import np


def index_of(node: Node, indices: Sequence[Any], named: int = 1) -> Any:
    """The index of a subscript, with these values of its operands; a name that bounds a slice stands for `named`."""
    text = str(node.attrs.get("slices", ""))
    if text:
        return _parsed(text, named)
    if node.attrs.get("place") is not None or not indices:
        return 0
    traced = node.operands[-1].constant
    if isinstance(traced, tuple) and len(traced) == 2 and isinstance(traced[1], tuple):
        return _traced_index(indices[:-1], *traced)
    places = []
    for one in indices:
        if isinstance(one, np.ndarray):
            places.append(one if one.dtype.kind in "iub" and one.ndim else int(np.ravel(one)[0]) if one.size else 0)
        elif isinstance(one, (bool, type(None))):
            places.append(None)
        else:
            places.append(int(one) if isinstance(one, (int, float)) else 0)
    return tuple(places)


def columns_of(node: Node, rank: int, needed: int) -> int:
    """How many columns a subscript needs of a value of a rank, where its own result needs so many; 0 for any."""
    text = str(node.attrs.get("slices", ""))
    index = _parsed(text) if text else None
    if not isinstance(index, tuple) or not index or index[-1] is Ellipsis:
        return 0
    taken = sum(part is not None and part is not Ellipsis for part in index)
    if Ellipsis not in index and taken < rank:
        return 0
    last = index[-1]
    if isinstance(last, slice):
        start, stop = last.start or 0, last.stop or 0
        return 0 if start < 0 or stop < 0 or last.step not in (None, 1) else max(stop, start + max(needed, 1))
    return last + 1 if isinstance(last, int) and not isinstance(last, bool) and last >= 0 else 0


def last_part(node: Node) -> Any:
    """The last part of a subscript with slices: a slice, an index, or None where it is not known."""
    text = str(node.attrs.get("slices", ""))
    if text:
        index = _parsed(text)
        return index[-1] if isinstance(index, tuple) and index else None
    traced = node.operands[-1].constant if node.op == "getitem" and len(node.operands) > 1 else None
    if not (isinstance(traced, tuple) and len(traced) == 2 and isinstance(traced[1], tuple)):
        return None
    unknown = [np.zeros(1, "int32")] * (len(node.operands) - 2)
    index = _traced_index(unknown, *traced)
    return index[-1] if index else None


def is_single(node: Node) -> bool:
    """Whether a subscript takes a single number, at known places along several axes: `y_true[0, 0, -1]`."""
    index = _parsed(str(node.attrs.get("slices", ""))) if node.op == "getitem" else ()
    places = index if isinstance(index, tuple) and index else [one.constant for one in node.operands[1:]]
    return len(places) > 1 and all(isinstance(place, int) and not isinstance(place, bool) for place in places)


def _traced_index(indices: Sequence[Any], slices: Sequence[tuple[int, int, int, int]], masks: Sequence[int]) -> Any:
    """The index of a `StridedSlice`: slices at their positions, with their masks, and single indices between them."""
    _, from_start, to_end, ellipsis, new_axis = masks
    by_place = {place: (begin, end, step) for place, begin, end, step in slices}
    single = iter(indices)
    found: list[Any] = []
    for place in range(len(slices) + len(indices)):
        bit = 1 << place
        if place not in by_place:
            found.append(int(np.ravel(next(single))[0]))
        elif ellipsis & bit:
            found.append(Ellipsis)
        elif new_axis & bit:
            found.append(None)
        else:
            begin, end, step = by_place[place]
            found.append(slice(None if from_start & bit else begin, None if to_end & bit else end, step))
    return tuple(found)


@lru_cache(maxsize=4096)
def _parsed(text: str, named: int = 1) -> Any:
    """The index of a subscript, from its text; names in it stand for small numbers, in bounds of slices for `named`."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return 0
    if not isinstance(tree, ast.Subscript):
        return 0
    parts = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
    return tuple(_part(part, named) for part in parts)


def _part(part: ast.expr, named: int) -> Any:
    if isinstance(part, ast.Slice):
        if part.lower is not None and part.upper is not None and not _is_number(part.upper):
            lower = _bound(part.lower) if _is_number(part.lower) else None  # `x[i:i + size]`: a batch of all rows
            return slice(lower, None, _bound(part.step))
        return slice(_bound(part.lower, named), _bound(part.upper, named), _bound(part.step))
    if isinstance(part, ast.Constant):
        return part.value
    if isinstance(part, ast.Attribute) and part.attr == "newaxis":
        return None
    try:
        held = ast.literal_eval(part)
    except ValueError:
        return 0
    return held if isinstance(held, int) else 0


def _is_number(bound: ast.expr) -> bool:
    try:
        return isinstance(ast.literal_eval(bound), int)
    except ValueError:
        return False


def _bound(bound: ast.expr | None, named: int = 1) -> int | None:
    """A bound of a slice; each name in it stands for `named`."""
    if bound is None:
        return None
    if isinstance(bound, ast.Constant):
        return bound.value if isinstance(bound.value, int) else None
    if isinstance(bound, ast.UnaryOp):
        held = _bound(bound.operand, named)
        return -held if held is not None and isinstance(bound.op, ast.USub) else held
    if isinstance(bound, ast.BinOp) and isinstance(bound.op, (ast.Add, ast.Sub)):
        left, right = _bound(bound.left, named), _bound(bound.right, named)
        if left is not None and right is not None:
            return left + right if isinstance(bound.op, ast.Add) else left - right or None
    return named
