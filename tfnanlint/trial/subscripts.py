"""Subscripts in a run, and their gradients."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import ALIKE, Node, behind
from tfnanlint.ops.numeric import Array, np
from tfnanlint.ops.work import MOST_MADE, affordable
from tfnanlint.trial.arrays import spread
from tfnanlint.trial.evidence import role_of
from tfnanlint.trial.limits import CARRYING
from tfnanlint.trial.ordinary import INTEGER_SETTINGS, setting_named
from tfnanlint.trial.roles import SETTING
from tfnanlint.trial.slices import index_of
from tfnanlint.trial.uses import is_element, key_of

if TYPE_CHECKING:
    from tfnanlint.trial.run import Run


def subscripted(run: Run, node: Node, operands: list[Any]) -> Any:
    """`x[...]`, from its text if it is written with slices, else from its indices."""
    if is_element(node) and not (isinstance(operands[0], (int, float)) and role_of(node, run.facts).name == SETTING):
        return run.leaf(node, None)
    x = operands[0]
    if ALIKE in node.attrs and isinstance(x, np.ndarray):
        return _alike(x)
    index = index_of(node, operands[1:], _first_part(run, node))
    if isinstance(x, (tuple, list)):
        place = index[0] if isinstance(index, tuple) and index else index
        if isinstance(place, (int, np.integer)) and -len(x) <= place < len(x):
            return x[int(place)]
        return x[0] if x else run.leaf(node, None)
    if not isinstance(x, np.ndarray):
        return run.leaf(node, None) if x is None else _of_setting(run, node, x, index)
    try:
        _check_size(x, index)
        found = np.asarray(x[index])
    except (IndexError, TypeError, ValueError):
        found = None
    if found is not None and (found.size or not x.size):
        return found
    if not _is_one_of_many(node):
        run.mark_fitted(node)  # the array is smaller here than the program's
    return np.asarray(x[0] if x.ndim and len(x) else x)


def _first_part(run: Run, node: Node) -> int:
    """Where a slice with a named bound parts a value: between the two that the program has joined, else behind 1."""
    joined = behind(node.operands[0], CARRYING)
    if joined.op != "concat" or len(joined.operands) != 2:
        return 1
    first, axis = run.values.get(joined.operands[0]), joined.attrs.get("axis")
    if not isinstance(first, np.ndarray) or not isinstance(axis, int) or not -first.ndim <= axis < first.ndim:
        return 1
    return max(int(first.shape[axis]), 1)


def _alike(x: Array) -> Array:
    """An array like another one: its rows in the opposite order, or, if there is one number or row, less of it."""
    if x.ndim and len(x) > 1:
        return x[::-1]
    return np.asarray(x * x.dtype.type(0.75) if x.dtype.kind == "f" else x + 1 if x.dtype.kind == "i" else x)


def _is_one_of_many(node: Node) -> bool:
    """Whether a value is an element of a list in which one element stands for all."""
    made = node.operands[0]
    return made.op == "stack" and len(made.operands) == 1 and "slices" not in node.attrs


def _check_size(x: Array, index: Any) -> None:
    """Raise a ValueError for a subscript that repeats too many elements."""
    places = [one for one in (index if isinstance(index, tuple) else (index,)) if isinstance(one, np.ndarray)]
    if x.size * math.prod(one.size for one in places) > MOST_MADE:
        rows = math.prod(x.shape[: len(places)])
        affordable(math.prod(np.broadcast_shapes(*(one.shape for one in places))) * x.size / max(rows, 1))


def _of_setting(run: Run, node: Node, x: Any, index: Any) -> Any:
    """An entry of a setting: the ordinary value for its key; elements of a list increase."""
    key, evidence = key_of(node), role_of(node, run.facts).evidence
    if key or evidence in INTEGER_SETTINGS:
        return setting_named(key, evidence)
    place = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    counted = isinstance(place, (int, np.integer)) and isinstance(x, (int, float))
    return x + int(place) if counted and not isinstance(x, bool) else x


def pull_subscript(run: Run, node: Node, incoming: Any, operands: list[Any]) -> list[Any]:
    """The gradient of `x[...]`: at the elements that were taken, and 0 elsewhere."""
    x = operands[0]
    if ALIKE in node.attrs and isinstance(x, np.ndarray):
        return [_alike(np.asarray(incoming))]
    if isinstance(x, (tuple, list)):
        index = index_of(node, operands[1:])
        place = index[0] if isinstance(index, tuple) and index else index
        known = isinstance(place, (int, np.integer)) and -len(x) <= place < len(x)
        taken = int(place) % len(x) if known else 0
        return [tuple(incoming if at == taken else None for at in range(len(x)))]
    if not isinstance(x, np.ndarray) or node in run.approximate:
        return [spread(incoming, x)]
    found = np.zeros(x.shape, np.asarray(incoming).dtype)
    index = index_of(node, operands[1:], _first_part(run, node))
    try:
        np.add.at(found, index, incoming)
    except (IndexError, ValueError, TypeError):
        return [spread(incoming, x)]
    return [found]
