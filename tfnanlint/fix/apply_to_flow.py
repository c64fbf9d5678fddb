"""A match's repair put into the flow, the way its edits put it into the source, so that a trial can run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from tfnanlint.fix.departure import Departure
from tfnanlint.fix.numbers import written
from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.match.captures import ABSENT, Match, Static
from tfnanlint.ops import OPS
from tfnanlint.trial.flow_patch import FlowPatch, Untried


@dataclass(frozen=True)
class Spot:
    """Where the edits of a repair change the program: the operand that departs, and the value whose definition changes.

    Without a departure, the matched expression as a whole is replaced; without a value, what one op takes.
    """

    departure: Departure | None = None
    defined: Node | None = None


def apply_to_flow(match: Match, spots: list[Spot], patch: FlowPatch) -> None:
    """Change the flow as the edits of a repair change the program; raises `Untried`."""
    for spot in spots:
        if spot.departure is None:
            patch.replace(match.root, _RepairBuilder(match, patch, None, match.root).node(match.pattern.repaired))
            continue
        value, user = match.places[spot.departure.path[-1]]
        old, new = spot.departure.old, spot.departure.new
        if spot.defined is not None:
            copy = patch.copy(spot.defined)
            patch.replace(spot.defined, _RepairBuilder(match, patch, old, copy).node(new))
        else:
            patch.exchange(user, value, _RepairBuilder(match, patch, old, value).node(new))


class _RepairBuilder:
    """Builds the nodes of a repair in the program's flow; `old` of the pattern is `value` there."""

    def __init__(self, match: Match, patch: FlowPatch, old: Node | None, value: Node) -> None:
        self.match = match
        self.patch = patch
        self.made: dict[Node, Node] = {} if old is None else {old: value}

    def node(self, wanted: Any) -> Node:
        """What a node of the repair is in the program."""
        if not isinstance(wanted, Node):
            raise Untried
        if wanted not in self.made:
            self.made[wanted] = self._known(wanted) or self._new(wanted)
        return self.made[wanted]

    def _known(self, wanted: Node) -> Node | None:
        """A value that the program has computed already."""
        named = wanted.attrs["name"] if wanted.op == "input" else self.match.pattern.named.get(wanted)
        held = self.match.captured.get(named) if named is not None else None
        if isinstance(held, tuple):
            return self._number(held[0])
        for (above, place), (value, _) in self.match.places.items():
            if above.operands[place] is wanted and wanted.op != "const":
                return value
        return None

    def _number(self, node: Node) -> Node:
        """A captured value; one of the program's own constants as its type can hold it."""
        constant = node.constant
        if isinstance(constant, float) and written(self.match, repr(constant)) != repr(constant):
            return self.patch.constant(float(written(self.match, repr(constant))))
        return node

    def _new(self, wanted: Node) -> Node:
        if wanted.op == "const":
            value = wanted.constant
            number = isinstance(value, float)
            return self.patch.constant(float(written(self.match, repr(value))) if number else value)
        row = OPS.get(wanted.op)
        runs = wanted.op == "getitem" or (row is not None and row.run is not None and not row.random)
        if not runs:
            raise Untried
        attrs: dict[str, Any] = {}
        computed: dict[str, tuple[Node, ...]] = {}
        for name, value in wanted.attrs.items():
            attrs[name] = value
            if value is DYNAMIC and (dtype := self._type_of(wanted, name)) is not None:
                attrs[name] = dtype
            elif value is DYNAMIC:
                held = self._given(wanted, name)
                attrs[name] = held.value
                computed[name] = self.patch.facts.flow.computed.get(held.node, {}).get(held.attribute, ())
        operands = [self.node(operand) for operand in wanted.operands]
        if "dtype" in attrs and attrs["dtype"] is DYNAMIC:
            raise Untried
        found = self.patch.add(wanted.op, operands, {k: v for k, v in attrs.items() if v is not ABSENT})
        for name, parts in computed.items():
            if parts:
                self.patch.compute(found, name, parts)
        return found

    def _type_of(self, wanted: Node, name: str) -> str | None:
        """The element type of a captured value that a repair asks for, `x.dtype`; what nobody states is float32."""
        given = wanted.origin.keywords.get(name)
        if not isinstance(given, cst.Attribute) or given.attr.value != "dtype" or not isinstance(given.value, cst.Name):
            return None
        held = self.match.captured.get(given.value.value)
        return self.patch.facts.dtype(held[0]) or "float32" if isinstance(held, tuple) else None

    def _given(self, wanted: Node, name: str) -> Static:
        """The static parameter that a variable of the repair stands for."""
        given = wanted.origin.keywords.get(name)
        held = self.match.captured.get(given.value) if isinstance(given, cst.Name) else None
        if not isinstance(held, Static):
            raise Untried
        return held
