"""Runs a flow in NumPy: forward from its inputs, and backward from what the program differentiates.

Every value is an array (or a Python number, text or tuple, as the program has them). What an op cannot compute with the
shapes at hand is fitted, and marked as approximate with everything behind it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops import OPS, Op
from tfnanlint.ops.numeric import Array, np, pulled
from tfnanlint.trial.roles import is_assumed
from tfnanlint.trial.shapes import BATCH, CHANNELS, agrees, shape_of_traced

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

LEAVES = frozenset("input placeholder variable attribute downstream".split())
"""Values that come from outside, whatever they are made of."""
MOST_TURNS, LEAST_STEPS = 10_000, 10
"""So many ops are computed in loops, and so many steps at least."""
MOST_COMPARED = 10_000
"""Larger arrays are not compared."""
WIDEST = 64
"""Layers give at most so many channels."""
REFUSALS = (ArithmeticError, AttributeError, IndexError, TypeError, ValueError)
"""What NumPy and Python raise of operands that do not fit each other."""
LARGEST = 50_000
"""Larger arrays are not kept."""
MOST_MADE = 5_000_000
"""Larger arrays are not made."""
SMALLEST = 2.0**-126
"""What is less is flushed to 0, as the kernels do."""


@dataclass(frozen=True)
class Start:
    """Another run, the nodes that differ from it by themselves, and what depends on a node."""

    run: Run
    differing: Collection[Node]
    onward: Callable[[Node], Iterable[Node]]


class Run:
    """The values of one forward run, by node; `approximate` are those whose shape was fitted."""

    def __init__(
        self,
        facts: Facts,
        order: Sequence[Node],
        leaf: Callable[[Node, Any], Any],
        branch: bool = True,
        steps: int = 1,
        rare: Node | None = None,
        start: Start | None = None,
    ) -> None:
        """`start` says of another run of these nodes, and of what differs in it, all that does not stay as it was."""
        self.facts = facts
        self.order = order
        self._inside = set(order)
        self.branch = branch
        self.rare = rare
        self.undecided = False
        self.values: dict[Node, Any] = {}
        self.approximate: set[Node] = set()
        self.outside: set[Node] = set()
        """The nodes that are given numbers from outside."""
        self.touched: Sequence[Node] = order
        """The nodes whose values may differ from those of the other run."""
        self._given = leaf
        self._start = start
        if start is None:
            for node in order:
                self.values[node] = self._new(node)
        else:
            self._follow(start)
        if steps > 1:
            self._around(steps)

    def denies(self, condition: Node, holds: bool) -> bool:
        """Whether a condition is known to be other than it would have to be."""
        held = truth(self.values.get(condition))
        return held is not None and held is not holds and not _unknown(condition)

    # Forward.

    def _new(self, node: Node) -> Any:
        return self._settled(node, self._followed(node))

    def _follow(self, start: Start) -> None:
        """Compute what is made of something that differs."""
        ordinary = start.run
        self.values, self.undecided = dict(ordinary.values), ordinary.undecided
        self.approximate, self.outside = set(ordinary.approximate), set(ordinary.outside)
        self.touched = sorted(reached(start.differing, start.onward), key=lambda node: node.index)
        for node in self.touched:
            if node not in start.differing and self._is_as_before(node, ordinary):
                continue
            self.approximate.discard(node)
            value, held = self._new(node), ordinary.values[node]
            self.values[node] = held if _is_same(value, held) else value

    def _is_as_before(self, node: Node, ordinary: Run) -> bool:
        """Whether a node is made of the values of another run."""
        lengths = self.facts.flow.computed.get(node, {}).values()
        made_of = (*node.operands, *(part for parts in lengths for part in parts))
        return node.op != "phi" and all(self.values.get(one) is ordinary.values.get(one) for one in made_of)

    def _leaf(self, node: Node, like: Any) -> Any:
        self.outside.add(node)
        return self._given(node, like)

    def _around(self, steps: int) -> None:
        """More steps through the loops, each with what has come around, as long as their conditions hold."""
        loops = {node for node in self.order if node.op == "loop" and len(node.operands) == 2}
        decided = self.facts.flow.decided
        inside = reached(loops, lambda node: [user for user in node.users if user in self._inside])
        carried = [loop.operands[1] for loop in loops] + [decided[loop] for loop in loops if loop in decided]
        ends = reached(carried, lambda node: [o for o in node.operands if o in inside])
        body = [node for node in self.order if node in inside and node in ends]
        for _ in range(min(steps - 1, max(MOST_TURNS // max(len(body), 1), LEAST_STEPS))):
            before = {node: self.values[node] for node in body}
            coming = {loop: self.values.get(loop.operands[1]) for loop in loops}
            for node in body:
                if node.op == "loop" and node not in loops and len(node.operands) == 2:
                    continue
                value = coming[node] if coming.get(node) is not None else self._followed(node)
                self.values[node] = self._settled(node, value)
            ended = {loop for loop in loops if self._has_ended(loop)}
            if ended:
                self.values.update(before)
                loops -= ended
            if not loops:
                break
        self.touched = sorted(
            {*self.touched, *inside} if self._start is not None else self.order, key=lambda n: n.index
        )
        for node in self.order:
            if node in inside and node not in ends:
                self.values[node] = self._new(node)

    def _has_ended(self, loop: Node) -> bool:
        """Whether what a loop asks for before each turn is known not to hold."""
        condition = self.facts.flow.decided.get(loop)
        return condition is not None and truth(self.values.get(condition)) is False

    def _followed(self, node: Node) -> Any:
        """The value of a node; one that cannot be computed with the shapes at hand is an input of its own."""
        try:
            return self._value(node)
        except REFUSALS:
            self.approximate.add(node)
            return self._leaf(node, None)

    def _value(self, node: Node) -> Any:
        if node.op == "const" and node.constant is not DYNAMIC:
            return _constant(node.constant)
        operands = [self.values.get(operand) for operand in node.operands]
        if any(operand in self.approximate for operand in node.operands):
            self.approximate.add(node)
        cut = any(operand not in self._inside for operand in node.operands)
        if node.op in LEAVES or not node.operands or cut:
            row = OPS.get(node.op)
            return self._leaf(node, None) if row is None or cut else self._run(node, row, operands)
        special = SPECIAL.get(node.op)
        if special is not None:
            value = special(self, node, operands)
            return self._leaf(node, value) if is_assumed(node, self.facts) else value
        row = OPS.get(node.op)
        if row is None or row.run is None:
            return self._opaque(node, operands)
        return self._run(node, row, operands)

    def _run(self, node: Node, row: Op, operands: list[Any]) -> Any:
        attrs = self.attributes(node, row)
        assert row.run is not None or not operands
        given = self._typed(node, row, operands)
        try:
            if row.run is None:
                return self._leaf(node, None)
            if row.elementwise:
                _broadcast_is_small(given)
            value = row.run(*given, **attrs)
            return self._least(node, value) if node is self.rare else value
        except REFUSALS:  # what NumPy refuses is fitted: a shape that was guessed wrongly, an attribute not known
            self.approximate.add(node)
            return self._fitted(node, row, given, attrs)

    def _typed(self, node: Node, row: Op, operands: list[Any]) -> list[Any]:
        """Operands as the op takes them: a mask as numbers, a number in the type of the tensor beside it."""
        given = []
        for value in operands:
            counted = row.transfer is not None and row.elementwise and row.name not in LOGICAL
            if counted and isinstance(value, np.ndarray) and value.dtype.kind == "b":
                value = value.astype("float32")
            given.append(value)
        if row.elementwise and given and not any(isinstance(v, np.ndarray) for v in given):
            kind = self._kind(node)
            given = [np.asarray(v, kind) if isinstance(v, float) else v for v in given]
        return given

    def attributes(self, node: Node, row: Op) -> dict[str, Any]:
        """A node's static parameters: those that the program computes, as this run computes them."""
        attrs = attributes_of(node, row)
        for name, parts in self.facts.flow.computed.get(node, {}).items():
            held = [self.values.get(part) for part in parts]
            whole = held[0] if len(held) == 1 else None
            if isinstance(whole, np.ndarray) and whole.ndim:
                attrs[name] = tuple(whole.tolist())
            elif len(held) > 1 or whole is not None:
                numbers = tuple(np.asarray(one).item() if np.size(one) == 1 else None for one in held)
                attrs[name] = numbers if len(numbers) > 1 else numbers[0]
        return attrs

    def _least(self, node: Node, value: Any) -> Any:
        """A random number that is the 0 which is drawn now and then: one in some millions of float32, no others."""
        often = node.attrs.get("bits", 24) <= 24 and self.facts.dtype(node) != "float64"
        stated = isinstance(node.attrs.get("seed"), tuple)  # it draws the same each time
        if self.facts.range(node).outer.lo != 0 or not often or stated or not np.size(value):
            return value
        found = np.array(value)
        found.reshape(-1)[0] = 0
        return found

    def _kind(self, node: Node) -> str:
        dtype = self.facts.dtype(node)
        return dtype if dtype in ("float16", "float64") else "float32"

    def _fitted(self, node: Node, row: Op, operands: list[Any], attrs: Mapping[str, Any]) -> Any:
        """The result where the operands do not fit each other: with those brought to the shape of the largest."""
        arrays = [v for v in operands if isinstance(v, np.ndarray)]
        assert row.run is not None
        if row.name == "concat" and arrays and node.attrs.get("axis") is DYNAMIC:  # nobody knows where its elements are
            return np.concatenate([np.ravel(operand) for operand in operands if operand is not None])
        if row.moves and arrays:
            return _moved(arrays[0], attrs.get("shape"))
        if row.elementwise and arrays:
            shape = max((a.shape for a in arrays), key=lambda s: (len(s), np.prod(s)))
            try:
                return row.run(*[fit(v, shape) if isinstance(v, np.ndarray) else v for v in operands], **attrs)
            except REFUSALS:
                return self._opaque(node, operands)
        if "axis" in attrs:
            for axis in (-1, None):
                try:
                    return row.run(*operands, **{**attrs, "axis": axis})
                except REFUSALS:
                    continue
        if row.name in ("matmul", "matvec", "tensordot") and len(arrays) == 2:
            try:
                return _product(*arrays)
            except REFUSALS:
                return self._opaque(node, operands)
        if row.operands == ("x", "filters") and len(arrays) == 2 and arrays[1].ndim > 2:
            x, filters = arrays
            try:
                return row.run(x, fit(filters, (*filters.shape[:-2], x.shape[-1], filters.shape[-1])), **attrs)
            except REFUSALS:
                return self._opaque(node, operands)
        return self._opaque(node, operands)

    def _opaque(self, node: Node, operands: list[Any]) -> Any:
        """A function that nobody knows: finite and smooth where its arguments are finite."""
        arrays = [v for v in operands if isinstance(v, np.ndarray) and v.dtype.kind in "fiub"]
        if not arrays:
            return self._leaf(node, None)
        largest = max(arrays, key=lambda a: (a.ndim, a.size))
        held = self._start.run.values[node] if self._start is not None and node not in self._start.differing else None
        if isinstance(held, np.ndarray) and held.shape == largest.shape and np.isfinite(largest).all():
            return held
        return self._leaf(node, largest)

    def _settled(self, node: Node, value: Any) -> Any:
        """A result as the kernels leave it: in its type, with denormals flushed to 0."""
        if isinstance(value, (np.floating, np.integer, np.bool_)):
            value = np.asarray(value)
        if not isinstance(value, np.ndarray):
            return value
        if value.size > LARGEST:
            self.approximate.add(node)
            value = np.resize(value, (4, CHANNELS))
        traced = self.facts.flow.traced.get(node)
        if traced is not None and traced.shape is not None and not agrees(value.shape, traced.shape):
            self.approximate.add(node)
            value = fit(value, shape_of_traced(traced.shape))
        if value.dtype.kind == "f":
            dtype = self.facts.dtype(node)
            kind = dtype if dtype in ("float16", "float64", "float32") else None
            if kind is None and value.dtype == np.float64:
                kind = "float32"
            if kind is not None and value.dtype != kind:
                value = value.astype(kind)
            if dtype == "bfloat16":
                value = _bfloat16(value)
            if value.dtype == np.float32:
                tiny = np.abs(value) < SMALLEST
                if tiny.any():
                    value = np.where(tiny, np.float32(0), value)
        return value

    # Backward.

    def backward(self, roots: Sequence[Node]) -> tuple[dict[Node, Any], dict[Node, tuple[Node, Any]]]:
        """The gradients of the sum of some values, by node.

        And the nodes that hand back what is not finite though the gradient that came in is: to whom, and what.
        """
        back: dict[Node, Any] = {}
        breaking: dict[Node, tuple[Node, Any]] = {}
        for root in roots:
            value = self.values.get(root)
            seed = _ones_like(value)
            if seed is not None:
                back[root] = seed
        for node in reversed(self.order) if back else ():
            incoming = back.get(node)
            if incoming is None or not node.operands or node.op in ("gradient", "custom_gradient"):
                continue
            whole = is_finite(incoming)
            for operand, handed in zip(node.operands, self._pulled(node, incoming), strict=False):
                value = self.values.get(operand)
                if isinstance(value, (tuple, list)) and isinstance(handed, (tuple, list)):
                    back[operand] = _joined(back.get(operand), handed)
                    continue
                if handed is None or not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
                    continue
                if np.shape(handed) != value.shape:
                    handed = fit(np.asarray(handed), value.shape)
                real = np.iscomplexobj(handed) and value.dtype.kind == "f"
                handed = np.asarray(handed.real if real else handed, value.dtype)
                if whole and not np.isfinite(handed).all():
                    breaking.setdefault(node, (operand, handed))
                held = back.get(operand)
                back[operand] = handed if held is None else held + handed
        return back, breaking

    def _pulled(self, node: Node, incoming: Any) -> Sequence[Any]:
        operands = [self.values.get(operand) for operand in node.operands]
        special = PULLED.get(node.op)
        if special is not None:
            return special(self, node, incoming, operands)
        row = OPS.get(node.op)
        if row is None or row.run is None:
            if row is not None and "*" in row.blocked:
                return ()
            return [_spread(incoming, v) for v in operands]
        if "*" in row.blocked:
            return ()
        attrs = self.attributes(node, row)
        given = self._typed(node, row, operands)
        try:
            found = pulled(row, incoming, self.values[node], given, attrs)
        except REFUSALS:
            self.approximate.add(node)
            found = tuple(_spread(incoming, v) for v in operands)
        return [None if row.blocks(place) else one for place, one in enumerate(found)]


def reached(start: Iterable[Node], onward: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Some nodes, and all that lie onward of them."""
    found = set(start)
    stack = list(found)
    while stack:
        for node in onward(stack.pop()):
            if node not in found:
                found.add(node)
                stack.append(node)
    return found


def _is_same(value: Any, held: Any) -> bool:
    """Whether two values are the same numbers in the same type."""
    if not isinstance(value, np.ndarray) or not isinstance(held, np.ndarray):
        return type(value) is type(held) and isinstance(value, (bool, int, float, str)) and value == held
    if value.shape != held.shape or value.dtype != held.dtype or value.size > MOST_COMPARED:
        return False
    return bool(value.tobytes() == held.tobytes())


def _joined(held: Any, handed: Sequence[Any]) -> tuple[Any, ...]:
    """The sum of gradients in parts, some of which are not there."""
    if held is None:
        return tuple(handed)
    return tuple(b if a is None else a if b is None else a + b for a, b in zip(held, handed, strict=True))


def _ones_like(value: Any) -> Any:
    """A gradient of 1 for each number of a value, in the form of the value."""
    if isinstance(value, (tuple, list)):
        return type(value)(_ones_like(one) for one in value)
    if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind in "fc":
        return np.ones_like(value)
    return None


def is_finite(value: Any) -> bool:
    """Whether all numbers of a value, or of its parts, are finite."""
    if isinstance(value, (tuple, list)):
        return all(map(is_finite, value))
    kind = getattr(value, "dtype", None)
    return kind is None or kind.kind not in "fc" or bool(np.isfinite(value).all())


LOGICAL = frozenset(
    "logical_and logical_or logical_not logical_xor where equal not_equal cast reduce_any reduce_all".split()
)


def attributes_of(node: Node, row: Op) -> dict[str, Any]:
    """A node's static parameters as its row takes them; what is not known stands at its default."""
    attrs = dict(row.attrs)
    for name, value in node.attrs.items():
        if name in attrs and value is not DYNAMIC:
            attrs[name] = value
        elif name == "axis" and value is DYNAMIC:
            attrs[name] = -1
    return attrs


def _broadcast_is_small(operands: Sequence[Any]) -> None:
    """A ValueError where operands together make far more elements than each of them has."""
    arrays = [operand for operand in operands if isinstance(operand, np.ndarray)]
    if math.prod(array.size for array in arrays) > MOST_MADE:
        count = math.prod(np.broadcast_shapes(*(array.shape for array in arrays)))
        if count > MOST_MADE:
            raise ValueError(f"{count} elements are too many to be tried")


def _constant(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        try:
            array = np.asarray(value)
        except ValueError:
            return value
        if array.dtype.kind == "f":
            return array.astype("float32")
        return array if array.dtype.kind in "ib" else value
    return value


def fit(value: Array, shape: tuple[int, ...]) -> Array:
    """An array brought to a shape: axes of length 1 are added where that does it, else it is repeated or cut."""
    if value.shape == shape:
        return value
    if shape == () or value.size == 0:
        return np.full(shape, value.ravel()[0] if value.size else 0, value.dtype)
    for candidate in (
        value,
        value.reshape(value.shape + (1,) * (len(shape) - value.ndim)) if value.ndim < len(shape) else value,
    ):
        try:
            return np.broadcast_to(candidate, shape).copy()
        except ValueError:
            continue
    return np.resize(value, shape)


def _moved(x: Array, shape: Any) -> Array:
    """The elements of an array in another order: in a shape that is given, as far as it is known."""
    if not isinstance(shape, (tuple, list)) or not all(isinstance(size, int) for size in shape):
        return x
    sizes = [BATCH if size < 0 else min(size, WIDEST) for size in shape]
    return np.resize(x, sizes) if x.size else x


def _product(x: Array, y: Array) -> Array:
    """A matrix product of what fits, the second operand brought to the size that the first one asks for."""
    if y.ndim == 1:
        y = y[:, None]
    if x.ndim == 1:
        x = x[None, :]
    return np.matmul(x, fit(y, (*y.shape[:-2], x.shape[-1], y.shape[-1])[-2:]))


def _spread(incoming: Any, operand: Any) -> Any:
    """A gradient through a function that nobody knows: finite where the incoming one is."""
    if not isinstance(operand, np.ndarray) or operand.dtype.kind != "f":
        return None
    return fit(np.asarray(incoming), operand.shape)


def _bfloat16(value: Array) -> Array:
    """Float32 numbers rounded to the nearest that bfloat16 holds."""
    bits = value.astype("float32").view("uint32")
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isfinite(value), rounded.view("float32"), value)


# Nodes that are no rows, or that no row can run.


def _layer(run: Run, node: Node, operands: list[Any]) -> Any:
    x = next((v for v in operands if isinstance(v, np.ndarray)), None)
    if x is None:
        return run._leaf(node, None)
    units = node.attrs.get("units", node.attrs.get("filters"))
    width = min(units, WIDEST) if isinstance(units, int) and units > 0 else CHANNELS
    if str(node.attrs.get("kind", "")).startswith(("BatchNorm", "LayerNorm", "GroupNorm", "RMSNorm", "PReLU")):
        width = x.shape[-1] if x.ndim else 1
    shape = (*x.shape[:-1], width) if x.ndim else (1, width)
    if node.attrs.get("kind") == "Embedding":
        shape = (*x.shape, width)
    return run._leaf(node, np.resize(x.astype("float32"), shape) if np.size(x) else np.zeros(shape, "float32"))


def _chosen(run: Run, node: Node, operands: list[Any]) -> Any:
    place = chosen_place(run, node)
    return operands[place]


def chosen_place(run: Run, node: Node) -> int:
    """Which operand of a join is taken: what its condition says, else where conditions let one be computed.

    Where nothing says which, the situation does.
    Behind a loop, which turns at least once as a rule, that is what came around.
    """
    around = _after_loop(node)
    if around is not None:
        return around if run.branch else 0
    condition = run.facts.flow.decided.get(node)
    if condition is not None and len(node.operands) == 2:
        held = truth(run.values.get(condition))
        if held is not None and not _unknown(condition):
            return 0 if held else 1
    own = set(node.under)
    open_ = [
        place
        for place, operand in enumerate(node.operands)
        if not any(run.denies(condition, holds) for condition, holds in operand.under if (condition, holds) not in own)
    ]
    open_ = open_ or list(range(len(node.operands)))
    if len(open_) > 1:
        run.undecided = True
    return open_[0 if run.branch else -1]


def _after_loop(node: Node) -> int | None:
    """Of what is left behind a loop, the place of what came around."""
    first = node.operands[0]
    for loop in first.users:
        if loop.op == "loop" and loop.operands[0] is first and loop.operands[-1] in node.operands[1:]:
            return node.operands.index(loop.operands[-1])
    return None


def _unknown(condition: Node) -> bool:
    """Whether nothing says which way a condition goes; a flag goes as its default says."""
    if condition.op == "input":
        return not isinstance(condition.attrs.get("default"), bool)
    return condition.op in ("unknown", "attribute")


def truth(value: Any) -> bool | None:
    """Whether a condition holds: of all elements, of none, or (None) of some."""
    if isinstance(value, np.ndarray):
        if value.size == 0:
            return None
        return bool(value.all()) if bool(value.all()) == bool(value.any()) else None
    return bool(value) if isinstance(value, (bool, int, float)) else None


def _absent(run: Run, node: Node, operands: list[Any]) -> bool:
    """Whether a value is None: an input is given, save where the situation takes the other branch."""
    asked = node.operands[0]
    return operands[0] is None or (not run.branch and asked.op == "input" and asked.attrs.get("default", 0) is None)


def _looped(run: Run, node: Node, operands: list[Any]) -> Any:
    return operands[0]


def _asserted(run: Run, node: Node, operands: list[Any]) -> Any:
    x = operands[0]
    if not isinstance(x, np.ndarray):
        return x
    return np.clip(x, node.attrs.get("lo"), node.attrs.get("hi")).astype(x.dtype)


def _subscripted(run: Run, node: Node, operands: list[Any]) -> Any:
    """`x[...]`: by its text where that is written with slices, else by its indices."""
    x = operands[0]
    index = _index(node, operands[1:])
    if isinstance(x, (tuple, list)):
        place = index[0] if isinstance(index, tuple) and index else index
        if isinstance(place, (int, np.integer)) and -len(x) <= place < len(x):
            return x[int(place)]
        return x[0] if x else run._leaf(node, None)
    if not isinstance(x, np.ndarray):
        return run._leaf(node, None) if x is None else x
    try:
        found = np.asarray(x[index])
    except (IndexError, TypeError, ValueError):
        found = None
    if found is not None and (found.size or not x.size):
        return found
    run.approximate.add(node)  # the array is smaller here than the program's
    return np.asarray(x[0] if x.ndim and len(x) else x)


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
    """The index of a `StridedSlice`: slices at their places, with its masks, and single indices between them."""
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
    """The index of a subscript, from its text; names in it are taken for small numbers."""
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


def _bound(bound: ast.expr | None) -> int | None:
    if bound is None:
        return None
    try:
        held = ast.literal_eval(bound)
    except ValueError:
        return 1 if not isinstance(bound, ast.UnaryOp) else -1
    return held if isinstance(held, int) else None


def _own_gradient(run: Run, node: Node, operands: list[Any]) -> Any:
    """What a function with a gradient of its own gives: the one result, or something of several."""
    return operands[0] if len(operands) == 1 else run._opaque(node, operands)


SPECIAL: dict[str, Callable[[Run, Node, list[Any]], Any]] = {
    "absent": _absent,
    "asserted": _asserted,
    "custom_gradient": _own_gradient,
    "getitem": _subscripted,
    "gradient": lambda run, node, operands: run._leaf(
        node, next((v for v in reversed(operands) if isinstance(v, np.ndarray)), None) if len(operands) > 1 else None
    ),
    "layer": _layer,
    "loop": _looped,
    "phi": _chosen,
}


def _pull_choice(run: Run, node: Node, incoming: Any, operands: list[Any]) -> list[Any]:
    place = chosen_place(run, node) if node.op == "phi" else 0
    return [incoming if at == place else None for at in range(len(operands))]


def _pull_subscript(run: Run, node: Node, incoming: Any, operands: list[Any]) -> list[Any]:
    x = operands[0]
    if isinstance(x, (tuple, list)):
        index = _index(node, operands[1:])
        place = index[0] if isinstance(index, tuple) and index else index
        known = isinstance(place, (int, np.integer)) and -len(x) <= place < len(x)
        taken = int(place) % len(x) if known else 0
        return [tuple(incoming if at == taken else None for at in range(len(x)))]
    if not isinstance(x, np.ndarray) or node in run.approximate:
        return [_spread(incoming, x)]
    found = np.zeros(x.shape, np.asarray(incoming).dtype)
    index = _index(node, operands[1:])
    try:
        np.add.at(found, index, incoming)
    except (IndexError, ValueError, TypeError):
        return [_spread(incoming, x)]
    return [found]


PULLED: dict[str, Callable[[Run, Node, Any, list[Any]], Sequence[Any]]] = {
    "asserted": lambda run, node, incoming, operands: [incoming],
    "getitem": _pull_subscript,
    "layer": lambda run, node, incoming, operands: [_spread(incoming, v) for v in operands],
    "identity": lambda run, node, incoming, operands: [incoming],
    "loop": _pull_choice,
    "phi": _pull_choice,
}
