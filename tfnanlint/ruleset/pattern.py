"""A compiled rule: the dataflow of a `before`, and its repair."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DISCARDED
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.flow import Node
    from tfnanlint.template import Precondition


@dataclass
class Pattern:
    """One `before` of a rule, lowered: its root node, its variables' preconditions, and its repair.

    `named` are the inner nodes that the `before` gives a name to: its repair can take them as a whole.
    """

    name: str
    root: Node
    preconditions: dict[str, Precondition]
    variables: tuple[str, ...]
    size: int
    repair: Repair | None = None
    named: dict[Node, str] = field(default_factory=dict)
    statics: dict[Node, dict[str, str | None]] = field(default_factory=dict)
    """The static parameters that its nodes are given, each with the variable that gives it, if one does."""
    scope: Any = None
    repaired: Any = None
    """What the repair computes, of the same input nodes and inner nodes as the `before`."""

    @cached_property
    def differentiated(self) -> bool:
        """Whether it asks for a gradient."""
        return any(condition.differentiated for condition in self.preconditions.values())

    @cached_property
    def is_bare(self) -> bool:
        """Whether it is a single op, whatever it is computed from."""
        return all(node.op in ("input", "const") for node in self._nodes - {self.root})

    @cached_property
    def asks_for_values(self) -> bool:
        """Whether it says where a value has to lie, or holds a number."""
        asked = any(condition.regions or condition.literal for condition in self.preconditions.values())
        return asked or any(node.op == "const" for node in self._nodes)

    @cached_property
    def missing(self) -> bool:
        """Whether it is about what a missing (NaN) input does behind the check that the program makes."""
        return any(condition.missing for condition in self.preconditions.values())

    @property
    def of_statement(self) -> bool:
        """Whether it is about a statement of the source, of which a trace shows nothing."""
        return self.root.op == DISCARDED

    @property
    def fix_kind(self) -> str | None:
        """What its fix changes, where it has one."""
        if self.of_statement:
            return "rework"  # the result is assigned, and what follows computes with it
        return self.repair.kind if self.repair is not None else None

    @cached_property
    def ops(self) -> frozenset[str]:
        """The ops that occur in it, all of which a program has where it fits."""
        return frozenset(node.op for node in self._nodes) - {"input", "const", "downstream"}

    @cached_property
    def distant(self) -> frozenset[str]:
        """The ops of what its root is computed from through any other ops."""
        return frozenset(node.operands[0].op for node in self._nodes if node.op == "downstream") - {"input"}

    @cached_property
    def _nodes(self) -> set[Node]:
        found: set[Node] = set()
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node not in found:
                found.add(node)
                stack += node.operands
        return found

    @cached_property
    def breaks(self) -> bool:
        """Whether it has points at which it is not finite, of an op or by an infinity: a run can show the hazard."""
        infinite = any(isinstance(node.constant, float) and math.isinf(node.constant) for node in self._nodes)
        return infinite or self.takes_infinity or any(op in OPS and OPS[op].breaks for op in self.ops)

    @cached_property
    def takes_infinity(self) -> bool:
        """Whether it is about operands that are infinite."""
        regions = (region for condition in self.preconditions.values() for region in condition.regions)
        return any(math.isinf(region.lo) and region.lo == region.hi for region in regions)


@dataclass
class Repair:
    """A repair function of a rule: its kind, its variables, and the expression it returns."""

    kind: str
    variables: tuple[str, ...]
    expression: Any
