"""The shapes of inputs, solved by search: of the shapes that nobody states, those with which all ops can be computed.

Where two shapes do not match, the search gives an input another size or rank, runs the ordinary batch once more, and
keeps the change if fewer operands have to be fitted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from tfnanlint.flow import Node
from tfnanlint.ops.numeric import np
from tfnanlint.trial.arrays import REFUSALS
from tfnanlint.trial.run import Run
from tfnanlint.trial.shapes import LARGEST_RANK, by_place

MOST_RUNS, MOST_AT_ONE = 200, 60
"""The most runs of a search, and of those the most for one mismatch."""
MOST_SEARCHED = 400
"""The most nodes that a value may depend on if its shapes are solved."""
NEAREST = 6
"""The number of inputs, nearest to a mismatch first, whose shapes are changed."""
WIDEST_SIZE = 512
"""The largest size that an axis gets."""
Shape = tuple[int, ...]


def solve(run: Callable[[], Run], shapes: dict[Node, Shape], may_have: Callable[[Node, Shape], bool]) -> bool:
    """Change `shapes`, by input, until a `run` with them fits as few operands as possible; whether any has changed.

    `may_have`: whether an input may have a shape, as far as the program states one.
    """
    best, changed, runs = run(), False, 1
    while best.fitted and runs < MOST_RUNS:
        for node in sorted(best.fitted, key=lambda one: one.index):
            tried, needed = _step(node, best, run, shapes, may_have)
            runs += needed
            if tried is not None:
                best, changed = tried, True
                break
        else:
            break
    return changed


def _step(
    node: Node, best: Run, run: Callable[[], Run], shapes: dict[Node, Shape], may_have: Callable[[Node, Shape], bool]
) -> tuple[Run | None, int]:
    """The first run with fewer mismatches, at a node or in all, and the number of runs that it took."""
    least = _mismatches(node, best)
    tried: Run | None
    runs = 0
    for change in islice(_changes(node, best, may_have), MOST_AT_ONE):
        runs += 1
        held = {source: shapes[source] for source in change if source in shapes}
        shapes.update(change)
        try:
            tried = run()
        except REFUSALS:  # no numbers of such a shape
            tried = None
        if tried is not None and _mismatches(node, tried) < least:
            return tried, runs
        for source in change:
            del shapes[source]
        shapes.update(held)
    return None, runs


def _mismatches(node: Node, run: Run) -> tuple[int, float]:
    """The number of nodes whose operands are fitted, and of different shapes that meet at one of them."""
    if node not in run.fitted:  # others took its place, unless there are fewer
        return len(run.fitted), math.inf
    values = (run.values.get(operand) for operand in node.operands)
    return len(run.fitted), len({value.shape for value in values if isinstance(value, np.ndarray)})


def _changes(node: Node, run: Run, may_have: Callable[[Node, Shape], bool]) -> Iterator[dict[Node, Shape]]:
    """Other shapes of the inputs behind a node, by the sizes that meet there: of one input, or of several at once."""
    values = [run.values.get(operand) for operand in node.operands]
    met = [value.shape for value in values if isinstance(value, np.ndarray) and value.size]
    result = run.values.get(node)
    if node.op == "reshape" and isinstance(result, np.ndarray):  # as many elements are wanted as it was fitted to
        met.append(result.shape)
    sizes = {size for shape in met for size in shape} | {*_asked(node, values, run.attributes(node))}
    wanted = sorted((size for size in sizes if 0 < size <= WIDEST_SIZE), reverse=True)
    sources = _behind(node, run)
    if len(node.operands) > 2:
        for shape in dict.fromkeys(met):
            yield {source: shape for source in sources if may_have(source, shape)}
    for source in sources:
        shape = run.values[source].shape
        others = dict.fromkeys(_others(shape, wanted, met))
        yield from ({source: other} for other in others if other != shape and may_have(source, other))


def _asked(node: Node, values: Sequence[Any], attrs: Mapping[str, Any]) -> Iterator[int]:
    """The sizes that an op requires by numbers: an index needs a longer axis, a shape that many elements."""
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool):
            yield value + 1 if value >= 0 else -value
    if node.op == "slice" and isinstance(starts := values[1], (tuple, list)):
        yield from (start + 1 for start in starts if isinstance(start, int))
    for name in ("k", "frame_length", "ksize"):  # so many of the greatest, in a frame, or in a window
        least = attrs.get(name)
        yield from (one for one in (least if isinstance(least, (tuple, list)) else (least,)) if isinstance(one, int))
    shape = attrs.get("shape")
    if isinstance(shape, (tuple, list)):
        yield math.prod(size for size in shape if isinstance(size, int) and size > 0)


def _others(shape: Shape, wanted: Sequence[int], met: Sequence[Shape]) -> Iterator[Shape]:
    for axis in reversed(range(len(shape))):
        for size in wanted:
            yield (*shape[:axis], size, *shape[axis + 1 :])
    yield from met
    if shape:  # a mask has selected some of its rows
        yield from ((shape[0], *other[1:]) for other in met if len(other) > 1)
    for size in wanted:
        yield (*shape, size)
    for axis in range(len(shape)):
        yield shape[:axis] + shape[axis + 1 :]
    yield from map(by_place, range(LARGEST_RANK))
    if len(shape) > 2:
        for inner in wanted:
            for last in wanted:
                yield (shape[0], *[inner] * (len(shape) - 2), last)


def _behind(node: Node, run: Run) -> list[Node]:
    """The nearest inputs that a node is computed from."""
    found: list[Node] = []
    waiting, seen = list(node.operands), {node}
    for at in waiting:
        if at not in seen and len(found) < NEAREST:
            seen.add(at)
            waiting.extend(at.operands)
            if at in run.outside and isinstance(run.values.get(at), np.ndarray):
                found.append(at)
    return found
