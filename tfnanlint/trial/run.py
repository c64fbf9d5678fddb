"""Executes a flow in NumPy: forward from its inputs, and backward from what the program differentiates.

Every value is an array, or a Python number, string or tuple as in the program. If an op cannot be computed with the
given shapes, its operands are fitted, and its result and all that depends on it are marked as approximate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from tfnanlint.flow import DYNAMIC, Node, reached
from tfnanlint.ops import OPS
from tfnanlint.ops.kernels.shapes import BFLOAT16, as_type
from tfnanlint.ops.numeric import Array, np, pulled
from tfnanlint.ops.work import affordable
from tfnanlint.source.conditions import CHOICE
from tfnanlint.trial.arrays import (
    REFUSALS,
    as_array,
    check_broadcast,
    fit,
    is_broken,
    is_finite,
    is_same,
    joined,
    ones_like,
    spread,
    truth,
)
from tfnanlint.trial.budget import Budget
from tfnanlint.trial.control import is_open
from tfnanlint.trial.full_sizes import SUMMED_UP, at_full_size, with_factors
from tfnanlint.trial.nodes import PULLED, at_least_one_part
from tfnanlint.trial.plan import FLOATS, Plan, Step
from tfnanlint.trial.rounding import at_one, rounded
from tfnanlint.trial.shape_fitting import fitted
from tfnanlint.trial.shapes import CHANNELS, LARGEST, MOST_AXES, agrees, shape_of_traced
from tfnanlint.trial.situations import CALM, Situation
from tfnanlint.trial.zero_checks import zeroed

MOST_PADDED = 512
"""The most elements that are added at one end of an axis."""
PRODUCTS = frozenset("matmul matvec tensordot batch_dot einsum multiply".split())
"""Ops that give 0 where one of their operands is 0, whatever the shapes are."""
PARTS = frozenset({"num_or_size_splits"})
"""Static parameters that list the sizes of parts, none of which is empty."""
MOST_TURNS, LEAST_STEPS = 10_000, 10
"""The most ops that loops compute, and the least number of iterations."""
SMALL, MOST_HELD = 1 << 14, 1 << 22
"""The elements of a small value, and the most that a run holds in larger ones: several runs are kept at a time."""
SMALLEST = 2.0**-126
"""The smallest normal float32 number; the kernels flush smaller ones to 0."""


@dataclass(frozen=True)
class Start:
    """A finished run to start from, the differing nodes, what depends on a node, and what to compute first."""

    run: Run
    differing: Collection[Node]
    onward: Callable[[Node], Iterable[Node]]
    first: Collection[Node]
    """With everything they depend on; `Run.complete` computes the others."""


class Run:
    """The values of one forward run, by node; the shapes of those in `approximate` were fitted."""

    exact = False
    """Whether all is computed in double precision, whatever types the program has."""

    def __init__(
        self,
        plan: Plan,
        leaf: Callable[[Node, Any], Any],
        situation: Situation = CALM,
        smallest_draw: Node | None = None,
        start: Start | None = None,
        budget: Budget | None = None,
    ) -> None:
        """With `start`, only what depends on the differing nodes is computed again. Raises `Spent`."""
        self.plan = plan
        self.facts = plan.facts
        self._budget = budget or Budget(math.inf)
        self.arm = situation.arm
        self.smallest_draw = smallest_draw
        self.factors = situation.factors
        self.rounds = situation.rounds
        self.vanished = plan.vanishing(situation)
        """Values that are 0 whatever they are computed from, each with what the program checks."""
        self.undecided = False
        self.choices: dict[int, bool] = {}
        """How unknown conditions are decided in this run, by their `Node.value`."""
        self.values: dict[Node, Any] = {}
        self.approximate: set[Node] = set()
        self.fitted: set[Node] = set()
        """The nodes whose own operands were fitted; all that depends on them is approximate."""
        self.outside: set[Node] = set()
        """The nodes whose values come from outside the flow."""
        self.touched: Sequence[Node] = plan.nodes
        """The nodes that were computed again."""
        self.changed: Sequence[Node] = plan.nodes
        """Those whose values differ from the other run."""
        self.earlier: Run | None = None
        """The run after the first iteration that passes on something non-finite around a loop; None if none does."""
        self._left: Sequence[Node] = ()
        self._held = 0
        self._given = leaf
        self._start = start
        if start is None:
            for node in plan.nodes:
                self.values[node] = self._new(node, plan.step(node))
        else:
            self._follow(start)
        if situation.steps > 1:
            self.complete()
            self._around(situation.steps)

    def denies(self, condition: Node, holds: bool) -> bool:
        """Whether a condition is known to differ from `holds`, or is decided otherwise in this run."""
        held = self.held(condition)
        return held is not None and held is not holds

    def held(self, condition: Node) -> bool | None:
        """Whether a condition holds in this run; None where that is not known and was not decided so far."""
        if condition.attrs.get(CHOICE) is False:
            return True
        return truth(self.values.get(condition)) if not is_open(condition) else self.choices.get(condition.value)

    # Forward.

    def _new(self, node: Node, step: Step) -> Any:
        value = self._settled(node, step, self._followed(node, step))
        if node not in self.vanished or not isinstance(value, np.ndarray):
            return value
        checked = self.vanished[node]
        return zeroed(value, self.values.get(checked) if checked is not None else None)

    def _follow(self, start: Start) -> None:
        """Take the values of another run, and compute again what depends on the differing nodes."""
        ordinary = start.run
        self.values, self.undecided = dict(ordinary.values), ordinary.undecided
        self.choices = {} if self.arm else dict(ordinary.choices)
        self.approximate, self.outside = set(ordinary.approximate), set(ordinary.outside)
        self.fitted = set(ordinary.fitted)
        touched = sorted(reached(start.differing, start.onward), key=self.plan.places.__getitem__)
        self.changed = ()
        self.touched = [node for node in touched if node in start.first]
        self._left = [node for node in touched if node not in start.first]
        self._compute_again(self.touched, start)

    def complete(self) -> None:
        """Compute the remaining nodes."""
        if self._left and self._start is not None:
            left, self._left = self._left, ()
            self._compute_again(left, self._start)
            self.touched = sorted((*self.touched, *left), key=self.plan.places.__getitem__)

    def _compute_again(self, nodes: Iterable[Node], start: Start) -> None:
        ordinary, changed = start.run.values, []
        for node in nodes:
            step = self.plan.step(node)
            if node not in start.differing and self._is_as_before(node, step, ordinary):
                continue
            self.approximate.discard(node)
            self.fitted.discard(node)
            value, held = self._new(node, step), ordinary.get(node)
            if is_same(value, held):
                self.values[node] = held
            else:
                self.values[node] = value
                changed.append(node)
        self.changed = sorted((*self.changed, *changed), key=self.plan.places.__getitem__)

    def _is_as_before(self, node: Node, step: Step, ordinary: Mapping[Node, Any]) -> bool:
        """Whether all operands of a node have the same values as in another run."""
        values = self.values
        for operand in node.operands:
            if values.get(operand) is not ordinary.get(operand):
                return False
        for parts in step.lengths.values():
            if any(values.get(part) is not ordinary.get(part) for part in parts):
                return False
        return node.op != "phi"

    def leaf(self, node: Node, like: Any) -> Any:
        """Numbers from outside the flow for a node: in the shape of `like`, and NaN where `like` is not finite."""
        self.outside.add(node)
        return self._given(node, like)

    def _around(self, steps: int) -> None:
        """Run further iterations of the loops as long as their conditions hold."""
        loops, (inside, ends, body) = set(self.plan.loops), self.plan.around
        self._keep_if_breaking()
        for _ in range(min(steps - 1, max(MOST_TURNS // max(len(body), 1), LEAST_STEPS))):
            before = {node: self.values[node] for node in body}
            coming = {loop: self.values.get(loop.operands[1]) for loop in loops}
            for node in body:
                if node.op == "loop" and node not in loops and len(node.operands) == 2:
                    continue
                step = self.plan.step(node)
                value = coming[node] if coming.get(node) is not None else self._followed(node, step)
                self.values[node] = self._settled(node, step, value)
            self._keep_if_breaking()
            ended = {loop for loop in loops if self._has_ended(loop)}
            if ended:
                self.values.update(before)
                loops -= ended
            if not loops:
                break
        for node in self.plan.nodes:
            if node in inside and node not in ends:
                self.values[node] = self._new(node, self.plan.step(node))
        if self._start is not None:
            held = self._start.run.values
            self.touched = sorted({*self.touched, *inside}, key=self.plan.places.__getitem__)
            self.changed = [node for node in self.touched if self.values[node] is not held[node]]

    def _keep_if_breaking(self) -> None:
        """Keep the values of this iteration if it is the first one that hands on something non-finite."""
        if self.earlier is None and any(is_broken(self.values.get(loop.operands[1])) for loop in self.plan.loops):
            self.earlier = copy(self)
            self.earlier.values = dict(self.values)

    def _has_ended(self, loop: Node) -> bool:
        """Whether the condition of a loop is known to be false."""
        condition = self.facts.flow.decided.get(loop)
        return condition is not None and truth(self.values.get(condition)) is False

    def _followed(self, node: Node, step: Step) -> Any:
        """The value of a node; if shapes or memory do not allow to compute it, it becomes an input of its own."""
        self._budget.spend()
        try:
            value = self._value(node, step)
            if self._fits(getattr(value, "size", 1)):
                return value
        except REFUSALS:
            pass
        self.mark_fitted(node)
        return self.leaf(node, None)

    def _fits(self, size: int) -> bool:
        """Whether one more value may be kept: any small one, and so many elements of large ones."""
        self._held += size if size > SMALL else 0
        return size <= SMALL or self._held <= MOST_HELD

    def _value(self, node: Node, step: Step) -> Any:
        values = self.values
        if step.fixed:
            return step.constant
        if self.approximate and not self.approximate.isdisjoint(node.operands):
            self.approximate.add(node)
        if step.outside:
            return self.leaf(node, self._shaped(node, step))
        operands = [values.get(operand) for operand in node.operands]
        if step.special is not None:
            value = step.special(self, node, operands)
            return self.leaf(node, value) if step.assumed else value
        if step.row is None or (step.row.run is None and operands):
            return self.opaque(node, operands)
        value = self._run(node, step, operands)
        return at_least_one_part(self, node, operands, value) if node.op == "floordiv" else value

    def _run(self, node: Node, step: Step, operands: list[Any]) -> Any:
        row, attrs = step.row, self._attributes(node, step)
        assert row is not None
        given = _typed(step, operands)
        try:
            if row.run is None:
                return self.leaf(node, None)
            if row.elementwise:
                check_broadcast(given)
            value = row.run(*given, **attrs)
            if self.factors > 1 and node in self.plan.products:
                return with_factors(value, given[0], self.factors, of_matrix=node.op == "det")
            if self.rounds and node in self.plan.cancelling:
                return rounded(value, given)
            if node in self.plan.cosines:
                return at_one(value, given[0], self.plan.cosines[node])
            value = at_full_size(node, value, given[0], self.facts.flow.traced) if node.op in SUMMED_UP else value
            return self._least(node, value) if node is self.smallest_draw else value
        except REFUSALS:  # a wrongly guessed shape or an unknown parameter: fit the operands
            settled = not step.unsettled and all(_is_whole(attrs.get(name)) for name in step.lengths)
            if settled and not (node.op in PRODUCTS and any(map(_is_zero, given))):
                self.mark_fitted(node)
        try:
            value = fitted(row, given, attrs, scattered=node.attrs.get("axis") is DYNAMIC)
            return self._least(node, value) if node is self.smallest_draw else value
        except REFUSALS:
            return self.opaque(node, given)

    def attributes(self, node: Node) -> Mapping[str, Any]:
        """The static parameters of a node in this run."""
        return self._attributes(node, self.plan.step(node))

    def _attributes(self, node: Node, step: Step) -> dict[str, Any]:
        """The static parameters of a step; this run provides the ones that the program computes."""
        found = self.plan.shapes.get(node)
        if found is not None and "shape" in step.attrs:
            return {**step.attrs, "shape": found}
        if not step.lengths:
            return step.attrs
        attrs = dict(step.attrs)
        for name, parts in step.lengths.items():
            held = [self.values.get(part) for part in parts]
            whole = held[0] if len(held) == 1 else None
            if isinstance(whole, np.ndarray) and whole.ndim:
                attrs[name] = tuple(whole.tolist())
            elif len(held) > 1 or whole is not None:
                numbers = tuple(np.asarray(one).item() if np.size(one) == 1 else None for one in held)
                if name in PARTS and 0 in numbers:  # of made-up numbers, which are equal where they need not be
                    numbers = (None,) * len(numbers)
                if name == "paddings":
                    attrs[name] = _pairs(numbers)
                elif len(numbers) > 1 or _is_whole(numbers[0]):  # a made-up fraction is no length
                    only = numbers[0]
                    attrs[name] = numbers if len(numbers) > 1 else int(only) if isinstance(only, float) else only
        return attrs

    def _shaped(self, node: Node, step: Step) -> Any:
        """Zeros in the shape that the program computes for a weight; None if it is not known."""
        shape = self._attributes(node, step).get("shape") if step.lengths else None
        if isinstance(shape, int):
            shape = (shape,)
        if not isinstance(shape, tuple) or not all(isinstance(one, int) and one > 0 for one in shape):
            return None
        affordable(math.prod(shape))
        return np.zeros(shape, "float32")

    def mark_fitted(self, node: Node) -> None:
        """Mark that the operands of a node do not have the shapes that it needs."""
        self.fitted.add(node)
        self.approximate.add(node)

    def _least(self, node: Node, value: Any) -> Any:
        """A random draw with its least number once, which some millions of float32 draws contain, but not other types.

        That is 0, or the lower end of the interval that the program draws from.
        """
        least, row = self.facts.range(node).outer.lo, OPS[node.op]
        often = node.attrs.get("bits", 24) <= 24 and self.facts.dtype(node) != "float64"
        stated = isinstance(node.attrs.get("seed"), tuple)  # it draws the same each time
        if (least and "minval" not in row.attrs) or not np.isfinite(least) or not often or stated or not np.size(value):
            return value
        found = np.array(value)
        found.reshape(-1)[0] = least
        return found

    def opaque(self, node: Node, operands: list[Any]) -> Any:
        """An unknown function: finite and smooth where its arguments are finite, and NaN elsewhere."""
        arrays = [v for v in operands if isinstance(v, np.ndarray) and v.dtype.kind in "fiub"]
        if not arrays:
            return self.leaf(node, None)
        largest = max(arrays, key=lambda a: (a.ndim, a.size))
        chooses = any(v.dtype.kind == "b" for v in arrays)
        if not chooses and not all(map(is_finite, arrays)):
            largest = np.full(largest.shape, np.nan, "float32")
        held = self._start.run.values[node] if self._start is not None and node not in self._start.differing else None
        same = isinstance(held, np.ndarray) and held.shape == largest.shape
        if same and np.isfinite(largest).all() and is_finite(held):  # it is not where a repair is tried
            return held
        return self.leaf(node, largest)

    def _settled(self, node: Node, step: Step, value: Any) -> Any:
        """A result as the kernels return it: in its dtype, with denormals flushed to 0."""
        if not isinstance(value, np.ndarray):
            if not isinstance(value, (np.floating, np.integer, np.bool_)):
                return value
            value = np.asarray(value)
        if value.size > LARGEST or value.ndim > MOST_AXES:
            self.mark_fitted(node)
            value = np.resize(value, (4, CHANNELS))
        if step.shape is not None and not agrees(value.shape, step.shape):
            self.mark_fitted(node)
            value = fit(value, shape_of_traced(step.shape))
        if value.dtype.kind == "f" and self.exact:
            value = value.astype("float64", copy=False)
        elif value.dtype.kind == "f":
            value = _as_typed(value, step.dtype)
            if value.dtype.char == "f":
                size = np.abs(value)
                if np.fmin.reduce(size, axis=None, initial=1.0) < SMALLEST:
                    value = np.where(size < SMALLEST, np.float32(0), value)
            if node in self.plan.replaced and not np.isfinite(value).all():
                value = np.where(np.isfinite(value), value, self.leaf(node, np.zeros_like(value)))
        return value

    # Backward.

    def backward(self, roots: Sequence[Node]) -> tuple[dict[Node, Any], dict[Node, tuple[Node, Any]]]:
        """The gradients of the sum of some values, by node, and the nodes that break them.

        A breaking node turns a finite incoming gradient into one that is not; with it the operand and that gradient.
        """
        back: dict[Node, Any] = {}
        breaking: dict[Node, tuple[Node, Any]] = {}
        for root in roots:
            value = self.values.get(root)
            seed = ones_like(value)
            if seed is not None:
                back[root] = seed
        for node in reversed(self.plan.nodes) if back else ():
            incoming = back.get(node)
            if incoming is None or not node.operands or node.op in ("gradient", "custom_gradient"):
                continue
            whole = is_finite(incoming)
            for operand, handed in zip(node.operands, self.pulled(node, incoming), strict=False):
                value = self.values.get(operand)
                if isinstance(value, (tuple, list)):
                    if (
                        np.ndim(handed) if isinstance(handed, np.ndarray) else handed
                    ):  # an op may take parts for an array
                        back[operand] = joined(back.get(operand), tuple(handed))
                    continue
                if handed is None or not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
                    continue
                if np.shape(handed) != value.shape:
                    handed = fit(np.asarray(handed), value.shape)
                real = np.iscomplexobj(handed) and value.dtype.kind == "f"
                handed = np.asarray(handed.real if real else handed, value.dtype)
                if node in self.plan.replaced:
                    handed = np.where(np.isfinite(handed), handed, 0).astype(value.dtype)
                if whole and not np.isfinite(handed).all():
                    breaking.setdefault(node, (operand, handed))
                held = back.get(operand)
                back[operand] = handed if held is None else held + handed
        return back, breaking

    def pulled(self, node: Node, incoming: Any) -> Sequence[Any]:
        """The gradients of the operands of a node, from its incoming gradient."""
        operands = [self.values.get(operand) for operand in node.operands]
        self._budget.spend()
        special = PULLED.get(node.op)
        if special is not None:
            return special(self, node, incoming, operands)
        step = self.plan.step(node)
        row = step.row
        if row is not None and "*" in row.blocked:
            return ()
        if row is None or row.run is None:
            return [spread(incoming, v) for v in operands]
        if node in self.facts.flow.powers:
            power = np.asarray(self.facts.flow.powers[node], self.values[node].dtype)
            return pulled(OPS["pow"], incoming, self.values[node], [operands[0], power], {})[:1]
        try:
            found = pulled(row, incoming, self.values[node], _typed(step, operands), self._attributes(node, step))
        except REFUSALS:
            self.approximate.add(node)
            return [spread(incoming, v) for v in operands]
        if _is_listed(step, operands):
            return [tuple(found)]
        return [None if row.blocks(place) else one for place, one in enumerate(found)]


def _is_whole(value: Any) -> bool:
    """Whether a parameter consists of whole numbers, so that the program has computed it."""
    if isinstance(value, (tuple, list)):
        return all(map(_is_whole, value))
    return isinstance(value, (bool, int)) or (isinstance(value, float) and value.is_integer())


def _pairs(numbers: Sequence[Any]) -> tuple[tuple[int, int], ...]:
    """How much is added before and behind each axis: at most `MOST_PADDED`, and nothing where it is not known."""
    whole = [min(max(int(one), 0), MOST_PADDED) if _is_whole(one) else 0 for one in numbers]
    return tuple(zip(whole[::2], whole[1::2], strict=False))


class ExactRun(Run):
    """What the program would give if numbers in single and half precision had the range of those in double."""

    exact = True


def _is_zero(value: Any) -> bool:
    """Whether an array is 0 throughout."""
    return isinstance(value, np.ndarray) and value.size > 0 and not value.any()


def _typed(step: Step, operands: list[Any]) -> list[Any]:
    """Operands as the op takes them: lists unpacked, masks as numbers, Python numbers in the dtype of the tensor."""
    if _is_listed(step, operands):
        return list(operands[0])
    if step.row is None or not step.row.elementwise:
        return operands
    arrays = listed = False
    given = operands
    for place, value in enumerate(operands):
        if isinstance(value, np.ndarray):
            arrays = True
            if step.numeric and value.dtype.kind == "b":
                given = given.copy()
                given[place] = value.astype("float32")
        elif isinstance(value, (tuple, list)):
            listed = True
    if listed:
        given = [as_array(value) for value in given]
        arrays = arrays or any(isinstance(value, np.ndarray) for value in given)
    if not arrays:
        kind = step.dtype if step.dtype in FLOATS else "float32"
        given = [np.asarray(v, kind) if isinstance(v, float) else v for v in given]
    return given


def _is_listed(step: Step, operands: Sequence[Any]) -> bool:
    """Whether an op with any number of operands gets a single list of them."""
    listed = step.row is not None and step.row.operands[-1:] == ("*xs",)
    return listed and len(operands) == 1 and isinstance(operands[0], (tuple, list))


def _as_typed(value: Array, dtype: str | None) -> Array:
    """A floating-point result in its dtype; unknown ones are float32."""
    held: str = value.dtype.char
    kind = FLOATS.get(dtype or "", "f" if held == "d" else held)
    if held != kind:
        value = value.astype(kind)
    return as_type(value, BFLOAT16) if dtype == "bfloat16" else value
