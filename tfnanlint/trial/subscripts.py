"""Subscripts in a run, and their gradients: `x[...]` given by its text, by its indices, or by a trace."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.ops.numeric import Array, np
from tfnanlint.ops.work import MOST_MADE, affordable
from tfnanlint.trial.arrays import spread
from tfnanlint.trial.evidence import is_divided, is_element
from tfnanlint.trial.roles import DIVIDED
from tfnanlint.trial.situations import WHOLE, setting_named

if TYPE_CHECKING:
    from tfnanlint.trial.run import Run


def subscripted(run: Run, node: Node, operands: list[Any]) -> Any:
    """`x[...]`, from its text if it is written with slices, else from its indices."""
    if is_element(node) and not isinstance(operands[0], (int, float)):
        return run.leaf(node, None)
    x = operands[0]
    index = _index(node, operands[1:])
    if isinstance(x, (tuple, list)):
        place = index[0] if isinstance(index, tuple) and index else index
        if isinstance(place, (int, np.integer)) and -len(x) <= place < len(x):
            return x[int(place)]
        return x[0] if x else run.leaf(node, None)
    if not isinstance(x, np.ndarray):
        return run.leaf(node, None) if x is None else _of_setting(x, index, is_divided(node))
    try:
        _check_size(x, index)
        found = np.asarray(x[index])
    except (IndexError, TypeError, ValueError):
        found = None
    if found is not None and (found.size or not x.size):
        return found
    run.mark_fitted(node)  # the array is smaller here than the program's
    return np.asarray(x[0] if x.ndim and len(x) else x)


def _check_size(x: Array, index: Any) -> None:
    """Raise a ValueError for a subscript that repeats too many elements."""
    places = [one for one in (index if isinstance(index, tuple) else (index,)) if isinstance(one, np.ndarray)]
    if x.size * math.prod(one.size for one in places) > MOST_MADE:
        rows = math.prod(x.shape[: len(places)])
        affordable(math.prod(np.broadcast_shapes(*(one.shape for one in places))) * x.size / max(rows, 1))


def _of_setting(x: Any, index: Any, divided: bool) -> Any:
    """An entry of a setting: the ordinary value for its key; elements of a list increase."""
    key = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    if isinstance(key, str):
        return WHOLE[DIVIDED] if divided else setting_named(key)
    place = isinstance(key, (int, np.integer)) and isinstance(x, (int, float))
    return x + int(key) if place and not isinstance(x, bool) else x


def pull_subscript(run: Run, node: Node, incoming: Any, operands: list[Any]) -> list[Any]:
    """The gradient of `x[...]`: at the elements that were taken, and 0 elsewhere."""
    x = operands[0]
    if isinstance(x, (tuple, list)):
        index = _index(node, operands[1:])
        place = index[0] if isinstance(index, tuple) and index else index
        known = isinstance(place, (int, np.integer)) and -len(x) <= place < len(x)
        taken = int(place) % len(x) if known else 0
        return [tuple(incoming if at == taken else None for at in range(len(x)))]
    if not isinstance(x, np.ndarray) or node in run.approximate:
        return [spread(incoming, x)]
    found = np.zeros(x.shape, np.asarray(incoming).dtype)
    index = _index(node, operands[1:])
    try:
        np.add.at(found, index, incoming)
    except (IndexError, ValueError, TypeError):
        return [spread(incoming, x)]
    return [found]


def _index(node: Node, indices: list[Any]) -> Any:
    text = str(node.attrs.get("slices", ""))
    if text:
        return _parsed(text)
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


def _parsed(text: str) -> Any:
    """The index of a subscript, from its text; names in it stand for small numbers."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return 0
    if not isinstance(tree, ast.Subscript):
        return 0
    parts = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
    return tuple(_part(part) for part in parts)


def _part(part: ast.expr) -> Any:
    if isinstance(part, ast.Slice):
        if part.lower is not None and part.upper is not None and not _is_number(part.upper):
            lower = _bound(part.lower) if _is_number(part.lower) else None  # `x[i:i + size]`: a batch of all rows
            return slice(lower, None, _bound(part.step))
        return slice(*[_bound(b) for b in (part.lower, part.upper, part.step)])
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


def _bound(bound: ast.expr | None) -> int | None:
    if bound is None:
        return None
    try:
        held = ast.literal_eval(bound)
    except ValueError:
        return 1 if not isinstance(bound, ast.UnaryOp) else -1
    return held if isinstance(held, int) else None
