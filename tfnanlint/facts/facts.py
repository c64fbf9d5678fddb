"""The facts of a flow, computed when they are asked for, each once.

A value's facts follow from those of what it is made of, so that a question about one costs its ancestors, and not the
whole flow. Loops whose bodies overlap are computed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from tfnanlint.facts.kinds import knows
from tfnanlint.facts.penalties import penalties
from tfnanlint.facts.reasons import CONSTANTS, CONSTANTS_WITH_ZERO, reason_of
from tfnanlint.facts.relations import RELATIONS
from tfnanlint.flow import Flow, Node, Root, activations, numbers_in, reached
from tfnanlint.interval import INF, UNKNOWN, Interval
from tfnanlint.ops import OPS
from tfnanlint.ops.registry import of_its_dtype
from tfnanlint.ranges import NOTHING_KNOWN, Assumption, Range

WIDENING_ROUNDS = 6
"""A loop's range that still grows after so many rounds is unknown."""

WIDENING_STOPS = (-INF, -1.0, 0.0, 1.0, INF)
"""A bound that moves around a loop is moved to the next of these: signs and unit ranges are what decides hazards."""

LOGITS = Range(UNKNOWN, "the output of a layer with weights, of either sign")

TRAINABLE_OPS = frozenset({"variable", "layer", "input", "gradient"})
"""Values that carry a gradient to something trained, or may: a parameter may come from a layer."""


@dataclass(frozen=True)
class _Loops:
    """Loops whose bodies overlap: where they start and end, what they carry, and what they take from before."""

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
            loops = any(map(_goes_around, nodes[len(self._ranges) :]))
            self._ranges += [None] * more
            self._dtypes += [None] * more
            if loops:
                self._groups = {
                    index: group for group in _grouped(nodes) for index in range(group.start, group.end + 1)
                }
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
        """The ranges of values that loops carry, extended until each contains what comes back."""
        held: dict[Node, Range] = {}
        for turn in count():
            self._pass(group, held)
            grown = {loop: self._grown(loop, held[loop]) for loop in group.carried}
            changing = [loop for loop in group.carried if grown[loop].outer != held[loop].outer]
            if not changing:
                break
            for loop in changing:
                held[loop] = grown[loop] if turn < WIDENING_ROUNDS else NOTHING_KNOWN

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
        """The assumed range of a loop value, extended by what comes back; a bound that moves goes to the next stop."""
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
        if node.op not in OPS and node.op not in RELATIONS:
            return LOGITS if knows(self, node, "logits") else NOTHING_KNOWN
        found = self._transfer(node, [self._range(o) for o in node.operands])
        if node.op in RELATIONS:
            found = RELATIONS[node.op](self, node) or found
        if found.outer.unknown and knows(self, node, "logits"):
            found = LOGITS
        return _rounded(found, self._dtypes[node.index])

    def _constant(self, node: Node) -> Range:
        value = node.constant
        values = value if isinstance(value, tuple) else (value,)
        numbers = [v for v in numbers_in(values) if v == v]
        if not numbers:
            return NOTHING_KNOWN
        several = CONSTANTS_WITH_ZERO if 0 in numbers else CONSTANTS
        return Range(
            Interval(float(min(numbers)), float(max(numbers))),
            f"the constant {value:g}" if len(numbers) == 1 and not isinstance(value, tuple) else several,
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
        # A literal becomes a number of the tensor's type.
        dtype = self._dtypes[node.index]
        operands = [
            _rounded(held, dtype) if place < len(node.operands) and node.operands[place].op == "const" else held
            for place, held in enumerate(operands)
        ]
        return Range(row.transfer(*[held.outer for held in operands], attrs=node.attrs), reason_of(node, operands))

    # Types.

    def _infer_dtype(self, node: Node) -> str | None:
        assumed = self.assumptions.get(node)
        if assumed is not None and assumed.dtype is not None:
            return assumed.dtype
        given = node.attrs.get("dtype")
        if isinstance(given, str):
            return given
        for operand in of_its_dtype(node.op, node.operands):
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
            for root in sorted(self.flow.roots, key=lambda root: root.implied):  # what is said goes first
                self._spread(root)
            further = list(penalties(self.flow, self._differentiated))
            for root in further:
                self._spread(root)
            self._roots = [*self.flow.roots, *further]
        return self._roots

    def _spread(self, root: Root) -> None:
        """Mark everything the root's gradient passes through."""
        assert self._differentiated is not None
        between = _between(root)
        stack = [root.node]
        while stack:
            node = stack.pop()
            if self._recorded.get(node, INF) <= root.opened or _before(node, root):
                continue
            if between is not None and node not in between:
                continue
            self._recorded[node] = root.opened
            self._differentiated.setdefault(node, root)
            row = OPS.get(node.op)
            for place, operand in enumerate(node.operands):
                if node.op == "custom_gradient" or (row is not None and row.blocks(place)):
                    continue
                stack.append(operand)

    def liken(self, new: Node, node: Node) -> None:
        """Treat a new node as differentiated in the same way as another one."""
        root = self.differentiated(node)
        if root is not None and self._differentiated is not None:
            self._differentiated[new] = root

    def forget(self, nodes: Sequence[Node]) -> None:
        """Drop what is known of the last nodes, which were removed."""
        start = len(self.flow.nodes) - len(nodes)
        del self._ranges[start:], self._dtypes[start:]
        for node in nodes:
            self._recorded.pop(node, None)
            self._carries.pop(node, None)
            if self._differentiated is not None:
                self._differentiated.pop(node, None)

    def carries(self, node: Node) -> bool:
        """Whether a gradient with respect to `node` may train something."""
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


def _grouped(nodes: Sequence[Node]) -> Iterator[_Loops]:
    """The loops of a flow; those whose bodies overlap are one group."""
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

    The order of two nodes is known if the same call of a function runs both, directly or through other calls.
    """
    return node.index < root.opened and not activations(node.origin).isdisjoint(activations(root.origin))


def _rounded(held: Range, dtype: str | None) -> Range:
    outer = held.outer.rounded(dtype)
    return held if outer is held.outer else replace(held, outer=outer)


def _goes_around(node: Node) -> bool:
    """Whether a node carries a value around a loop that comes back from further on."""
    return node.op == "loop" and len(node.operands) == 2 and node.operands[1].index > node.index


def _between(root: Root) -> set[Node] | None:
    """The nodes that a gradient passes through, if all its sources are computed values; else None.

    Sources that do not lead to the value, as the flow shows it, are weights that a list or a loop has collected.
    """
    if not root.sources or not all(source.operands and source.op in OPS for source in root.sources):
        return None
    between = reached(root.sources, lambda node: node.users)
    return between if root.node in between else None
