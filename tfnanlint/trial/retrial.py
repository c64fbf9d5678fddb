"""A repair run in the program, in every situation of the trial, and what speaks against it.

The part of the flow in which an op failed is run again with the repair in it, on the same inputs. The failure has to
be gone, and none may be new. What was finite has to stay what it was, and gradients have to be of ordinary size.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from tfnanlint.flow import Node, Root, reached
from tfnanlint.ops.numeric import Array, compiled, np
from tfnanlint.trial import roles
from tfnanlint.trial.arrays import REFUSALS, is_broken, is_finite
from tfnanlint.trial.budget import RUN, Budget
from tfnanlint.trial.by_use import LOGARITHMS
from tfnanlint.trial.edges import EDGES, SCALED
from tfnanlint.trial.failure import Failure
from tfnanlint.trial.flow_patch import FlowPatch, Untried
from tfnanlint.trial.inputs import WEIGHTS
from tfnanlint.trial.judging import Judge, broken_in
from tfnanlint.trial.run import ExactRun, Run, Start
from tfnanlint.trial.situations import CALM, Situation

FAILS, TYPE, CHANGES, RANGE = "fails", "type", "changes", "range"
STEEP, HUGE, FAR, CANCELS, FROZEN = "steep", "huge", "far", "cancels", "frozen"
"""What speaks against a repair: it leaves or makes a failure; it has another shape or type; it changes an ordinary
result; it takes a share or a probability beyond 1; its gradient is too steep, or its result too large; it bounds what
ordinary data has far beyond the bound; it bounds an overflow that cancels out, and gives another result; no gradient
brings back what it bounds."""
STEEPEST = 1e6
"""How much larger than an ordinary one the gradient of a repaired program may be."""
LARGEST_RESULT = 1e9
"""How much larger than an ordinary one a result may be that a floor leaves: the epsilons of most programs do not go
beyond it, and what does is as good as infinite."""
RELATIVE, ABSOLUTE = 2e-2, 1e-3
"""The differences that count as rounding: to the number itself, and to the largest one of the tensor."""
SMALL, LEAST = 1e-2, 2e-3
"""Least magnitudes for comparing results: of ordinary inputs, and of small ones. The root of a floor of 1e-12 takes the
place of a 0."""
ORDINARY = 1e2
"""How much larger than on an ordinary batch a gradient may be that a repair has to keep: beside a pole it is larger."""
LARGEST_SINGLE = 3e38
"""The largest number in single precision, about; a result beyond it is not finite whatever repairs the program."""
MOST_GRADIENTS = 4
"""The most situations without a failure in which gradients are compared."""


@dataclass(frozen=True)
class Objection:
    """An objection to a repair: which one, at which node, and in which situation."""

    what: str
    node: Node
    situation: Situation
    kind: str = "value"

    @property
    def by_its_number(self) -> bool:
        """Whether another number in the repair may do."""
        return self.what not in (FAR, CANCELS, FROZEN)


class Retrial:
    """Runs of a part with a repair in it, compared with those without."""

    def __init__(
        self, failure: Failure, matched: Collection[Node], patch: FlowPatch, kind: str, budget: Budget
    ) -> None:
        """`matched` are the nodes that the repair is for; `kind` says what it promises. Raises `Untried`."""
        part = failure.part
        if part is None or part.settled is None:
            raise Untried
        self.part, self.kind, self.budget, self.patch = part, kind, budget, patch
        self.judge = Judge(part.facts, part.inputs, part.judge.observed)
        self.compiled_only = failure.compiled_only
        added, changed = list(patch.added), patch.changed
        own = {*added, *changed}
        for node in own:
            if node in changed and node not in part.inside:
                raise Untried
            if any(operand not in part.inside and operand not in own for operand in node.operands):
                raise Untried
        first = min(part.plan.places[node] for node in changed)
        self.nodes = [*part.nodes[:first], *added, *part.nodes[first:]]
        if any(part.plan.places[o] >= first for node in added for o in node.operands if o in part.inside):
            raise Untried  # an operand is computed later than the first user of the repair
        self.plan = part.plan.changed(self.nodes, own)
        self.own = own
        self.touched = sorted(reached(own, self._onward), key=self.plan.places.__getitem__)
        self.results = [node for node in self.touched if node in self.judge.observed]
        self.ours = {*own, *matched}
        self.written = max((_size(operand.constant) for node in own for operand in node.operands), default=1.0)
        """The size of the largest number in the repair, such as the -1e9 beside a mask, if that is more than 1."""
        others = (one for one in part.found if one.node not in self.ours and one.node in part.candidates)
        self.known = {(one.node, one.kind) for one in others}
        """The failures that other findings are about; any other one behind the repair shows that it does not help."""
        self.failing = {one.situation.key for one in part.found if one.node in self.ours}
        self.likely = {one.situation.key for one in part.found if one.node in self.ours and one.likely}
        """The situations in which it fails on numbers that a trial does not make up."""
        self.always = not self.ours.isdisjoint(part.plan.replaced)
        """Whether it fails on ordinary numbers, so that what it gives without the repair is made up."""
        touched = set(self.touched)
        self.roots = [root for root in part.roots if root.node in touched]
        self.judged = touched | self.ours
        self.usual: dict[Node, float] = {}
        """The sizes of gradients on an ordinary batch."""
        self.steepest = 1.0
        self.healed = False
        """Whether a result that was not finite is, with the repair."""
        self.remaining: Objection | None = None
        """An op that nothing else is reported about, and that keeps a result from being finite with the repair."""

    def _onward(self, node: Node) -> Iterator[Node]:
        yield from self.part.dependents.get(node, ())
        yield from (user for user in node.users if user in self.part.inside or user in self.own)

    def objection(self) -> Objection | None:
        """The first objection to the repair, or None. Raises `Untried` and `Spent`."""
        self.part.inputs.ordinary = self.part.settled
        try:
            with np.errstate(all="ignore"):
                return self._first_objection()
        finally:
            self.part.inputs.ordinary = None

    def _first_objection(self) -> Objection | None:
        compared = 0
        seen: dict[Node, list[Array]] = {}
        late: list[tuple[Situation, Run]] = []
        for situation, run in self.part.repeated(self.budget):
            again = self._again(situation, run)
            fails = self.always or situation.key in self.failing
            if situation.name == CALM.name and not fails:
                self._measure(run)
            found = self._of_values(situation, run, again, fails)
            if found is None and situation.name == CALM.name:
                found = self._far_beyond_a_bound(situation, run, again)
            if found is not None:
                return found
            differs = situation.name != SCALED.name and any(node not in self.own for node in again.changed)
            if fails or situation is CALM or (differs and compared < MOST_GRADIENTS):
                compared += not fails
                found = self._of_gradients(situation, run, again, fails)
                if found is not None:
                    return found
            for node in self.results if not fails else ():
                seen.setdefault(node, []).append(run.values[node])
            if fails:
                late.append((situation, again))
        if self.remaining is not None and not self.healed:
            return self.remaining
        return self._beyond_a_share(seen, late)

    def _again(self, situation: Situation, run: Run) -> Run:
        """The run in a situation, with the repair."""
        self.budget.spend(RUN)
        part = self.part
        leaf = part.leaf(situation, dict(part.made))
        start = Start(run, self.own, self._onward, self.nodes) if situation.steps == 1 else None
        try:
            return Run(self.plan, leaf, situation, run.smallest_draw, start, self.budget)
        except REFUSALS as problem:
            raise Untried from problem

    # Values.

    def _of_values(self, situation: Situation, run: Run, again: Run, fails: bool) -> Objection | None:
        for old, new in self.patch.ends:
            a, b = run.values[old], again.values[new]
            if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype != b.dtype:
                return Objection(TYPE, old, situation)
        for node in self.patch.changed:
            a, b = run.values[node], again.values[node]
            if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape != b.shape:
                if node in run.approximate or node in again.approximate:
                    raise Untried  # the shapes around it were made to fit
                return Objection(TYPE, node, situation)
        broken = {node for node in self.touched if is_broken(again.values[node])}
        for node in self.touched if broken else ():
            fails_now = node in broken and self.judge.is_seen_to_fail(node, broken, again)
            if fails_now and not self._is_spoiled(node, again) and self._is_new(node, situation, run):
                return Objection(FAILS, node, situation)
        if fails:
            self._note_results(situation, run, again, broken)
        # a sum of logarithms has no more terms where the product is made longer
        if fails and situation.factors == 1 and (found := self._other_than_exact(situation, run, again)) is not None:
            return found
        if fails and situation.key in self.likely and any(node.op == "maximum" for node in self.patch.added):
            for node in self.results:
                most = LARGEST_RESULT * max(self._scale(node, situation), 1.0)
                if most < _largest(again.values[node]) < LARGEST_SINGLE:
                    return Objection(HUGE, node, situation)
        if self.kind != "rework" and not fails and situation not in EDGES:
            for node in self.results:
                # less than any floor that its type holds
                small = situation.name == SCALED.name and _is_half(run.values[node])
                if not small and not _agree(run.values[node], again.values[node], self._scale(node, situation)):
                    return Objection(CHANGES, node, situation)
        return None

    def _note_results(self, situation: Situation, run: Run, again: Run, broken: Collection[Node]) -> None:
        """Note whether the results are finite with the repair, and which op is left that fails."""
        spoiled = [node for node in self.results if is_broken(run.values[node])]
        self.healed = self.healed or not spoiled or any(node not in broken for node in spoiled)
        if self.healed or self.remaining is not None:
            return
        behind = reached([node for node in spoiled if node in broken], lambda at: at.operands)
        for node in self.nodes:
            if node not in behind or node in self.ours or (node, "value") in self.known:
                continue
            begins = is_broken(again.values[node]) and not any(is_broken(again.values[o]) for o in node.operands)
            if begins and self.judge.makes(node, again):
                self.remaining = Objection(FAILS, node, situation)
                return

    def _other_than_exact(self, situation: Situation, run: Run, again: Run) -> Objection | None:
        """Whether the overflow that a repair bounds would cancel, as in a quotient, and the bound gives another result.

        The logarithm of what underflows is large, and any bound is as good.
        """
        part = self.part
        ours = {one.node for one in part.found if one.node in self.ours and one.kind == "value"}
        broken = [one for one in ours if one.op not in LOGARITHMS and is_broken(run.values[one])]
        with self.patch.lifted():
            overflowing = [one for one in broken if part.judge.makes(one, run)]
            if not overflowing:
                return None
            self.budget.spend(RUN)
            try:
                leaf = part.leaf(situation, dict(part.made))
                exact = ExactRun(part.plan, leaf, situation, run.smallest_draw, None, self.budget)
            except REFUSALS as problem:
                raise Untried from problem
        if not all(is_finite(exact.values[one]) for one in overflowing):
            return None
        for node in self.results:
            told, given = exact.values.get(node), again.values[node]
            held = isinstance(told, np.ndarray) and told.dtype.kind == "f" and _largest(told) < LARGEST_SINGLE
            if self.kind == "after" and not is_finite(given):
                continue  # the same function, behind which another op still overflows
            if held and not _agree(told, given, SMALL):
                return Objection(CANCELS, node, situation)
        return None

    def _far_beyond_a_bound(self, situation: Situation, run: Run, again: Run) -> Objection | None:
        """An objection if a bound replaces numbers of an ordinary batch that are far beyond it: it would hide them."""
        for old, new in self.patch.ends:
            if new.op not in ("maximum", "minimum") or self._is_assumed(old):
                continue
            a, b = run.values[old], again.values[new]
            if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and not _agree(a, b, 1.0):
                return Objection(FAR, old, situation)
        return None

    def _is_assumed(self, node: Node) -> bool:
        """Whether a value depends on numbers that the user states."""
        given = self.judge.made_of(node)
        return any(role.name == roles.ASSUMED for one, role in self.part.inputs.roles.items() if one in given)

    def _is_spoiled(self, node: Node, again: Run) -> bool:
        """Whether a non-finite value that is unrelated to the repair goes into a node."""
        behind = reached([node], lambda at: [operand for operand in at.operands if is_broken(again.values[operand])])
        return not behind <= self.judged

    def _is_new(self, node: Node, situation: Situation, run: Run, kind: str = "value") -> bool:
        """Whether a failure occurs only with the repair."""
        if self.kind == "after" and node in self.ours:
            return False  # the same function, whose hazard was another besides
        if (node, kind) in self.known:
            return False
        before = kind == "value" and node not in self.ours and node in run.values and is_broken(run.values[node])
        if before and self.judge.makes(node, run):
            return False
        return not self.judge.is_chance(node, situation, kind == "gradient")

    def _scale(self, node: Node, situation: Situation) -> float:
        """The size of a value on an ordinary batch, at least `SMALL`; `LEAST` where inputs are small."""
        assert self.part.settled is not None
        return LEAST if situation.name == SCALED.name else max(_largest(self.part.settled.values.get(node)), SMALL)

    def _beyond_a_share(self, seen: dict[Node, list[Array]], late: list[tuple[Situation, Run]]) -> Objection | None:
        """An objection if a result exceeds 1 with the repair, and is in [0, 1] wherever it was finite without it."""
        for node, values in seen.items():
            finite = [v for v in values if isinstance(v, np.ndarray) and v.dtype.kind == "f" and v.size]
            if len(finite) < 2 or not all(bool(((v >= 0) & (v <= 1)).all()) for v in finite):
                continue
            lo, hi = min(float(v.min()) for v in finite), max(float(v.max()) for v in finite)
            if lo == hi or hi < 1.0 - ABSOLUTE:
                continue  # a share is 1 where all is right, and another result only by chance
            for situation, again in late:
                value = again.values[node]
                if isinstance(value, np.ndarray) and value.size and float(value.max()) > 1.0 + ABSOLUTE:
                    return Objection(RANGE, node, situation)
        return None

    # Gradients.

    def _of_gradients(self, situation: Situation, run: Run, again: Run, fails: bool) -> Objection | None:
        for root in self.roots:
            if is_broken(again.values[root.node]):
                continue
            with compiled() if self.compiled_only else nullcontext():
                back, breaking = again.backward([root.node])
                broken = broken_in(again) if breaking else set()
                found = list(self.judge.of_root(again, situation, root, broken, self.compiled_only, (back, breaking)))
            for one in found:
                if one.node not in self.judged:
                    continue
                if self._is_new(one.node, situation, run, "gradient") and not self._broke(one, situation, run, root):
                    return Objection(FAILS, one.node, situation, "gradient")
            trained = {node: grad for node, grad in back.items() if self._is_trained(node, root)}
            with self.patch.lifted():
                held = self.part.handed(run, root)
            steepest = max(self.steepest, *(_largest(held.get(node)) for node in trained), 0.0)
            if fails:
                limit = STEEPEST * steepest * self._enlarged(run) * self.written
                if self.kind != "after" and max(map(_largest, trained.values()), default=0.0) > limit:
                    return Objection(STEEP, root.node, situation, "gradient")
                if trained and not root.implied and (frozen := self._frozen(situation, again, back)) is not None:
                    return Objection(FROZEN, frozen, situation, "gradient")
            elif self.kind != "rework" and situation not in EDGES and steepest <= ORDINARY * self.steepest:
                for node, grad in trained.items():
                    if node in held and not _agree(held[node], grad, max(self.usual.get(node, 0.0), SMALL)):
                        return Objection(CHANGES, node, situation, "gradient")
        return None

    def _frozen(self, situation: Situation, again: Run, back: Mapping[Node, Any]) -> Node | None:
        """A value that is beyond a bound of the repair, and that training no longer brings back.

        No gradient passes an active bound. What is left, by other ways, has to point where the whole gradient points.
        A floor that keeps a value off 0 is meant for rounding, and not for what is far below it.
        """
        for node in self.patch.added:
            if node.op not in ("minimum", "maximum") or len(node.operands) != 2:
                continue
            value, bound = (again.values[operand] for operand in node.operands)
            through: Any = back.get(node)
            rest: Any = back.get(node.operands[0])
            if any(not isinstance(one, np.ndarray) or one.shape != np.shape(value) for one in (value, through, rest)):
                continue
            beyond = value > bound
            if node.op == "maximum":
                far = value < bound - self._scale(node.operands[0], situation)
                beyond = far & (bound < SMALL) & (situation.key in self.likely)
            lost = beyond & (through != 0) & (np.sign(rest) != np.sign(rest + through))
            if lost.any():
                return node
        return None

    def _enlarged(self, run: Run) -> float:
        """How much larger gradients may be because the weights that they pass through are larger than usual."""
        assert self.part.settled is not None
        times = 1.0
        for node, role in self.part.inputs.roles.items():
            if role.name in WEIGHTS and node in self.part.inside:
                usual = max(_largest(self.part.settled.values.get(node)), 1.0)
                times *= max(_largest(run.values.get(node)) / usual, 1.0)
        return times

    def _broke(self, failure: Failure, situation: Situation, run: Run, root: Root) -> bool:
        """Whether another op's gradient fails without the repair, too."""
        if failure.node in self.ours or is_broken(run.values[root.node]):
            return False
        with self.patch.lifted():
            before = list(self.judge.of_root(run, situation, root, broken_in(run), self.compiled_only))
        return any(one.node is failure.node for one in before)

    def _is_trained(self, node: Node, root: Root) -> bool:
        return node in self.part.inside and self.judge.is_trained(node, root)

    def _measure(self, run: Run) -> None:
        """Note how large gradients are on an ordinary batch."""
        for root in self.roots:
            if is_finite(run.values[root.node]):
                with self.patch.lifted():
                    held = self.part.handed(run, root)
                for node, grad in held.items():
                    if self._is_trained(node, root):
                        self.usual[node] = max(self.usual.get(node, 0.0), _largest(grad))
        self.steepest = max(self.steepest, *self.usual.values(), 1.0)


def _size(constant: Any) -> float:
    """The size of a finite number, at least 1."""
    return max(abs(constant), 1.0) if isinstance(constant, float) and math.isfinite(constant) else 1.0


def _is_half(value: Any) -> bool:
    """Whether a value is of half precision."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.dtype.itemsize == 2


def _largest(value: Any) -> float:
    """The largest magnitude among the finite numbers of a value."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu" or not value.size:
        return 0.0
    sizes = np.abs(value.astype("float64", copy=False))
    return float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))


def _agree(old: Any, new: Any, scale: float) -> bool:
    """Whether two values are the same but for rounding, where the old one is finite."""
    if not isinstance(old, np.ndarray) or not isinstance(new, np.ndarray):
        return True
    if old.dtype.kind != "f" or new.dtype.kind != "f" or old.shape != new.shape:
        return True
    a, b = old.astype("float64"), new.astype("float64")
    held = np.isfinite(a)
    room = RELATIVE * np.maximum(np.abs(a), np.abs(b)) + ABSOLUTE * max(_largest(old), scale)
    with np.errstate(all="ignore"):
        return bool((~held | (np.abs(a - b) <= room)).all())
