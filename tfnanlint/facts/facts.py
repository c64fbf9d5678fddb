"""The facts of a flow, computed when they are asked for, each once.

A value's facts follow from those of what it is made of, so that a question about one costs its ancestors, and not the
whole flow. Loops whose ways around overlap are computed together, with all that stands between their ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tfnanlint.facts.chance import by_chance, folds, is_comparison
from tfnanlint.facts.chosen import choices
from tfnanlint.facts.differences import DIFFERENCES
from tfnanlint.facts.draws import OF_ALL, drawn, drawn_to_zero, set_up
from tfnanlint.facts.kinds import SHAPES, knows
from tfnanlint.facts.penalties import penalties
from tfnanlint.facts.products import PRODUCTS
from tfnanlint.facts.relations import RELATIONS
from tfnanlint.facts.uses import told_by_use
from tfnanlint.flow import Flow, Node, Root, numbers_in
from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops import OPS
from tfnanlint.ranges import NOTHING_KNOWN, Assumption, Range

WIDENING_ROUNDS = 6
"""A loop's range that still grows after so many rounds is unknown."""

WIDENING_STOPS = (-INF, -1.0, 0.0, 1.0, INF)
"""A bound that moves around a loop is moved to the next of these: signs and unit ranges are what decides hazards."""

LOGITS = Range(UNKNOWN, reason="what a layer with weights gives, of either sign", signed=True)
"""Of a linear layer's output little is known, but nothing keeps it to one side of 0."""

ZERO = Interval.point(0.0)

ENDS_BY_CHANCE = frozenset({"add", "add_n", "reduce_sum", "reduce_mean", "abs", "square"})
"""Sums and magnitudes: no ordinary draws have the sum, or the magnitude, that is at the end of its range."""

TRAINABLE_OPS = frozenset({"variable", "layer", "input", "gradient"})
"""Values that carry a gradient to something trained, or may: a parameter may come from a layer."""


@dataclass(frozen=True)
class _Loops:
    """Loops whose ways around overlap: where they start and end, what they carry, and what they take from before."""

    start: int
    end: int
    carried: tuple[Node, ...]
    operands: tuple[Node, ...]


class Facts:
    """Ranges, types and gradient context of every node of a flow."""

    def __init__(self, flow: Flow, assumptions: dict[Node, Assumption] | None = None) -> None:
        self.flow = flow
        self.assumptions = assumptions or flow.assumptions
        self._ranges: list[Range | None] = []
        self._dtypes: list[str | None] = []
        self._groups: dict[int, _Loops] = {}
        self._differentiated: dict[Node, Root] | None = None
        self._roots: list[Root] = []
        self._recorded: dict[Node, int] = {}
        self._carries: dict[Node, bool] = {}
        self._drawn: dict[Node, bool] = {}
        self._chosen: dict[Node, tuple[tuple[Node, bool], ...]] = {}

    # Ranges.

    def range(self, node: Node) -> Range:
        """The range of a node."""
        if node.index < len(self._ranges):
            held = self._ranges[node.index]
            if held is not None:
                return held
        self._compute(node)
        return self._range(node)

    def dtype(self, node: Node) -> str | None:
        """The element type of a node, where the program says it."""
        assumed = self.assumptions.get(node)
        if assumed is not None and assumed.dtype is not None:
            return assumed.dtype
        self.range(node)
        return self._dtypes[node.index]

    def _range(self, node: Node) -> Range:
        """The range of a node that has been computed."""
        held = self._ranges[node.index]
        assert held is not None
        return held

    def _compute(self, node: Node) -> None:
        """The facts of a node and of all that it is made of."""
        nodes = self.flow.nodes
        if len(self._ranges) < len(nodes):
            more = len(nodes) - len(self._ranges)
            self._ranges += [None] * more
            self._dtypes += [None] * more
            self._groups = {index: group for group in _grouped(nodes) for index in range(group.start, group.end + 1)}
        wanted: set[int] = set()
        stack = [node]
        while stack:
            at = stack.pop()
            group = self._groups.get(at.index)
            index = at.index if group is None else group.start
            if index not in wanted and self._ranges[at.index] is None:
                wanted.add(index)
                stack += at.operands if group is None else group.operands
        for index in sorted(wanted):  # some of them may be asked for meanwhile
            if self._ranges[index] is None:
                if index in self._groups:
                    self._loops(self._groups[index])
                else:
                    self._dtypes[index] = self._infer_dtype(nodes[index])
                    self._ranges[index] = self._infer(nodes[index])

    def _loops(self, group: _Loops) -> None:
        """The ranges of values carried around loops, overlapping ones together: grown until each holds what returns."""
        held: dict[Node, Range] = {}
        for turn in range(len(group.carried) + WIDENING_ROUNDS):
            self._pass(group, held)
            grown = {loop: self._grown(loop, held[loop]) for loop in group.carried}
            changing = [loop for loop in group.carried if grown[loop].outer != held[loop].outer]
            if not changing:
                break
            for loop in changing:
                held[loop] = grown[loop] if turn < WIDENING_ROUNDS else NOTHING_KNOWN
        for loop in group.carried:  # what is seen of it has to come back as well
            back = self._range(loop.operands[1]).seen
            seen = held[loop].seen
            held[loop] = replace(held[loop], seen=seen.hull(back) if seen is not None and back is not None else None)
        self._pass(group, held)

    def _pass(self, group: _Loops, held: dict[Node, Range]) -> None:
        """The ranges from the start to the end of the loops, their carried values taken as `held`."""
        inside = slice(group.start, group.end + 1)
        self._dtypes[inside] = [None] * (group.end + 1 - group.start)
        for node in self.flow.nodes[inside]:
            self._dtypes[node.index] = self._infer_dtype(node)
            if _goes_around(node):
                self._ranges[node.index] = held.setdefault(node, self._range(node.operands[0]))
            else:
                self._ranges[node.index] = self._infer(node)

    def _grown(self, loop: Node, held: Range) -> Range:
        """What a loop value is held to be, grown by what comes back: bounds that move go to the next stop."""
        outer, back = held.outer, self._range(loop.operands[1]).outer
        lo = outer.lo if back.lo >= outer.lo else max(t for t in WIDENING_STOPS if t <= back.lo)
        hi = outer.hi if back.hi <= outer.hi else min(t for t in WIDENING_STOPS if t >= back.hi)
        return replace(held, outer=Interval(lo, hi))

    def _infer(self, node: Node) -> Range:
        assumed = self.assumptions.get(node)
        if assumed is not None and assumed.range is not None:
            return assumed.range
        if node.op == "const":
            return self._constant(node)
        if node.op == "loop" and len(node.operands) == 1:  # nothing comes around: it stays what it was
            return self._range(node.operands[0])
        if node.op not in OPS and node.op not in PRODUCTS:
            return LOGITS if knows(self, node, "logits") else told_by_use(node) or NOTHING_KNOWN
        found = self._transfer(node, [self._range(o) for o in node.operands])
        for relations in (RELATIONS, PRODUCTS, DIFFERENCES):
            if node.op in relations:
                found = relations[node.op](self, node) or found
        if found.outer.unknown and found.seen is None and not found.signed and knows(self, node, "logits"):
            found = LOGITS
        if found.seen == ZERO and node.op in OF_ALL and self.drawn(node) and not drawn_to_zero(node):
            found = replace(found, seen=None)
        dtype = self._dtypes[node.index]
        outer, seen = found.outer.rounded(dtype), found.seen.rounded(dtype) if found.seen is not None else None
        return found if outer is found.outer and seen is found.seen else replace(found, outer=outer, seen=seen)

    def _constant(self, node: Node) -> Range:
        value = node.constant
        values = value if isinstance(value, tuple) else (value,)
        numbers = [v for v in numbers_in(values) if v == v]
        if not numbers:
            return NOTHING_KNOWN
        interval = Interval(float(min(numbers)), float(max(numbers)))
        return Range(
            interval,
            interval,
            f"the constant {value:g}" if len(numbers) == 1 and not isinstance(value, tuple) else "constants",
        )

    def _transfer(self, node: Node, operands: list[Range]) -> Range:
        row = OPS.get(node.op)
        if row is None or row.transfer is None:
            return NOTHING_KNOWN
        if not row.operands[-1].startswith("*") and row.operands:
            operands = operands[: len(row.operands)]
            while len(operands) < len(row.operands):
                operands.append(NOTHING_KNOWN)
        if not operands:
            operands = [NOTHING_KNOWN]
        operands = [self._as_taken(node, place, held) for place, held in enumerate(operands)]
        if (folded := folds(node)) and is_comparison(node.operands[0]):
            # Equal pairs are ordinary, however the two are bounded: all that is known is the distance 0.
            operands[0] = replace(operands[0], seen=None, saturated=False)
        outer = row.transfer(*[r.outer for r in operands], attrs=node.attrs)
        saturated = row.saturates or any(r.saturated for r in operands)
        seen = [r.seen for r in operands]
        attained: Interval | None
        if row.attained is not None:
            if row.saturates and operands[0].outer.unknown and _at_a_point(seen[0]):
                seen[0] = None  # the 0 of a mask says nothing of how large the other elements are
            if saturated and not (row.elementwise or row.moves or row.saturates or node.op == "reduce_prod"):
                seen = [None if r.saturated else r.seen for r in operands]
            attained = row.attained(*seen, attrs=node.attrs)
        elif all(s is not None for s in seen):
            attained = row.transfer(*seen, attrs=node.attrs)
            if attained == row.transfer(*[UNKNOWN] * len(seen), attrs=node.attrs):
                attained = None  # a bound that holds for any operand is no evidence that it is attained
        else:
            attained = None
        if attained is not None:
            attained = attained.meet(outer)
            if folded and seen[0] is not None and seen[0].lo < 0 < seen[0].hi:
                attained = Interval.point(attained.hi)  # inside a continuum 0 is hit by chance only
        if row.from_zero and attained is not None:
            by_draw = seen[0] is None or attained == Interval.point(0.0)
            if any(_one_sided(r) for r in operands) or (
                by_draw and any(self.no_data(o) for o in node.operands[:1]) and not drawn_to_zero(node)
            ):
                attained = None
        if (
            node.op in ENDS_BY_CHANCE
            and attained is not None
            and not saturated
            and self._of_no_data(node)
            and not drawn_to_zero(node)
        ):
            attained = None
        # What is told of `seen` goes no further than `seen` itself: the difference to a label knows no saturation.
        saturated = saturated and attained is not None
        signed = outer.unknown and attained is None and _signed(node, operands)
        return Range(outer, attained, self._reason(node, operands), saturated, False, by_chance(node, operands), signed)

    def _as_taken(self, node: Node, place: int, held: Range) -> Range:
        """An operand's range as an op takes it: a literal becomes a number of the tensor's type."""
        if place >= len(node.operands) or node.operands[place].op != "const":
            return held
        dtype = self._dtypes[node.index]
        outer, seen = held.outer.rounded(dtype), held.seen.rounded(dtype) if held.seen is not None else None
        return held if outer is held.outer and seen is held.seen else replace(held, outer=outer, seen=seen)

    def _reason(self, node: Node, operands: list[Range]) -> str:
        """Why the range is what it is: the row's words, else the first operand's that has any."""
        row = OPS[node.op]
        if node.op == "reduce_sum" and operands[0].reason == "a square":
            return "a sum of squares, 0 when every term is"
        if node.op == "reduce_mean" and operands[0].reason == "a square":
            return "a mean of squares, 0 when every term is"
        if row.reason is not None and not (
            node.op in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min") and operands[0].reason
        ):
            return row.reason
        if node.op in SHAPES:  # the values of what it is the shape of do not matter
            return ""
        told = [r.reason for r in operands if r.reason and not r.reason.startswith("the constant")]
        return told[0] if told else ""

    def _of_no_data(self, node: Node) -> bool:
        """Whether a value is a sum of several draws or settings, or the magnitude of one."""
        several = len({operand.value for operand in node.operands}) > 1 or node.op != "add"
        return several and all(self.no_data(operand) for operand in node.operands)

    def drawn(self, node: Node) -> bool:
        """Whether a value is made of random draws alone, and so is 0 by chance only."""
        return drawn(self, node, self._drawn)

    def no_data(self, node: Node) -> bool:
        """Whether a value is made of draws alone, or of settings, and so is 0 by chance only."""
        return self.drawn(node) or set_up(self, node)

    # Types.

    def _infer_dtype(self, node: Node) -> str | None:
        assumed = self.assumptions.get(node)
        if assumed is not None and assumed.dtype is not None:
            return assumed.dtype
        given = node.attrs.get("dtype")
        if isinstance(given, str):
            return given
        row = OPS.get(node.op)
        if node.op in ("getitem", "phi", "loop") or (row is not None and row.same_dtype):
            for operand in node.operands:
                if self._dtypes[operand.index] is not None:
                    return self._dtypes[operand.index]
        return None

    # Gradients.

    def differentiated(self, node: Node) -> Root | None:
        """By what a node is differentiated, or None."""
        self.roots()
        assert self._differentiated is not None
        return self._differentiated.get(node)

    def roots(self) -> list[Root]:
        """All values that are differentiated, those of gradient penalties included."""
        if self._differentiated is None:
            self._differentiated = {}
            for root in self.flow.roots:
                self._spread(root)
            further = list(penalties(self.flow, self._differentiated))
            for root in further:
                self._spread(root)
            self._roots = [*self.flow.roots, *further]
        return self._roots

    def _spread(self, root: Root) -> None:
        """Mark everything the root's gradient passes through."""
        assert self._differentiated is not None
        stack = [root.node]
        while stack:
            node = stack.pop()
            if self._recorded.get(node, INF) <= root.opened or _before(node, root):
                continue
            self._recorded[node] = root.opened
            self._differentiated.setdefault(node, root)
            row = OPS.get(node.op)
            for place, operand in enumerate(node.operands):
                if node.op == "custom_gradient" or (row is not None and row.blocks(place)):
                    continue
                stack.append(operand)

    def carries(self, node: Node) -> bool:
        """Whether a gradient with respect to `node` is of use to anything that may be trained."""
        sources = {source.value for root in self.flow.roots for source in root.sources}
        stack = [node]
        while stack:
            at = stack[-1]
            if at in self._carries:
                stack.pop()
                continue
            row = OPS.get(at.op)
            opaque = at.op == "loop" or (at.op == "unknown" and not at.operands)
            if opaque or at.op in TRAINABLE_OPS or at.value in sources:
                self._carries[at] = True
            else:
                open_operands = [o for i, o in enumerate(at.operands) if row is None or not row.blocks(i)]
                waiting = [o for o in open_operands if o not in self._carries]
                if waiting:
                    stack.extend(waiting)
                    continue
                self._carries[at] = any(self._carries[o] for o in open_operands)
            stack.pop()
        return self._carries[node]

    def chosen_under(self, node: Node) -> tuple[tuple[Node, bool], ...]:
        """The conditions, and whether they hold, under which a node's value is used: `where` chooses it."""
        if node not in self._chosen:
            return choices(node, self._chosen)
        return self._chosen[node]


def _grouped(nodes: Sequence[Node]) -> Iterator[_Loops]:
    """The loops of a flow, those whose ways around overlap together."""
    loops = [node for node in nodes if _goes_around(node)]
    while loops:
        start = loops[0].index
        end, carried = start, []
        for loop in loops:
            if loop.index > end:
                break
            carried.append(loop)
            end = max(end, loop.operands[1].index)
        before = {
            operand: None for node in nodes[start : end + 1] for operand in node.operands if operand.index < start
        }
        yield _Loops(start, end, tuple(carried), tuple(before))
        loops = loops[len(carried) :]


def _before(node: Node, root: Root) -> bool:
    """Whether a value is computed before the tape is opened, which therefore has not recorded it.

    That the one comes first is known where both are run by the same call of a function, be it through others.
    """
    return node.index < root.opened and not _activations(node.origin).isdisjoint(_activations(root.origin))


def _activations(origin: Any) -> frozenset[Any]:
    """The function calls that something is computed in; none in a traced graph."""
    return getattr(origin, "activations", frozenset())


def _goes_around(node: Node) -> bool:
    """Whether a node carries a value around a loop that comes back from further on."""
    return node.op == "loop" and len(node.operands) == 2 and node.operands[1].index > node.index


def _at_a_point(seen: Interval | None) -> bool:
    """Whether all that is seen of a value is one number."""
    return seen is not None and seen.lo == seen.hi


def _one_sided(held: Range) -> bool:
    """Whether nothing is seen of a value that keeps to one side of 0: an exponential, say."""
    return held.seen is None and (held.outer.lo >= 0 or held.outer.hi <= 0)


def _signed(node: Node, operands: list[Range]) -> bool:
    """Whether a result takes either sign as its operand does: it is the same numbers, shifted or scaled a little."""
    row = OPS[node.op]
    if row.moves or node.op in ("neg", "cast", "identity"):
        return operands[0].signed
    if node.op not in ("add", "subtract", "multiply", "divide"):
        return False
    x, y = operands
    if x.signed == y.signed:
        return x.signed and node.op in ("add", "subtract")
    other = y if x.signed else x
    if node.op == "multiply" and other.outer.unknown and not other.shown and not other.reason:
        return True  # a number of either sign, times data
    number = other.outer
    if number.lo != number.hi or (node.op == "divide" and y.signed):
        return False
    if node.op in ("add", "subtract"):
        return abs(number.lo) <= 1.0
    return abs(number.lo) >= 0.5 if node.op == "multiply" else abs(number.lo) <= 2.0
