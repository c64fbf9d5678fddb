"""A lowered graph: its flow, with the known facts about its inputs, variables and constants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tfnanlint.flow import DYNAMIC, Flow, Node
from tfnanlint.graph.contents import Contents
from tfnanlint.graph.counters import Counters
from tfnanlint.graph.literals import written
from tfnanlint.graph.origin import GraphOrigin, Sites
from tfnanlint.ranges import Assumption, Range


@dataclass
class Lowered:
    """A lowered graph: its flow, facts about its nodes from outside the flow, and its ends.

    `inputs` and `variables` are by name, a variable's without the `:0` that TensorFlow puts behind it, and with a
    number behind it where an earlier one has the same name.
    """

    flow: Flow = field(default_factory=Flow)
    assumptions: dict[Node, Assumption] = field(default_factory=dict)
    inputs: dict[str, Node] = field(default_factory=dict)
    variables: dict[str, Node] = field(default_factory=dict)
    outputs: list[Node] = field(default_factory=list)
    sites: Sites = field(default_factory=Sites)
    differentiates: bool = False
    """Whether the graph itself takes gradients."""
    recorded: list[list[Node]] = field(default_factory=list)
    """The operands of each operation whose gradient the graph takes for certain."""
    counters: Counters = field(default_factory=Counters)
    entered: int = 0
    """How many calls of functions have been entered."""
    beyond: dict[str, str] = field(default_factory=dict)
    """The limits beyond which calls were not entered, in words, each with the first function that was not."""
    partly: int = 0
    """How many operations that may fail were tried without all that they are computed from, and did not fail."""
    _variables: dict[Any, Node] = field(default_factory=dict)
    _namesakes: dict[str, int] = field(default_factory=dict)

    def assume(
        self,
        node: Node,
        *,
        range: Range | None = None,
        dtype: str | None = None,
        kinds: tuple[str, ...] = (),
        witness: Any = None,
        sample: Any = None,
    ) -> None:
        """Add an assumption about a node."""
        held = self.assumptions.get(node)
        if held is not None:
            range, dtype, kinds = range or held.range, dtype or held.dtype, kinds or held.kinds
            witness = held.witness if witness is None else witness
            sample = held.sample if sample is None else sample
        known = range is not None or kinds or witness is not None or sample is not None
        self.assumptions[node] = Assumption(range, dtype, kinds, witness, sample) if known else _of_type(dtype)

    def constant(self, contents: Contents, origin: GraphOrigin, dtype: str) -> Node:
        """A constant's node; of a large one, the range of what it holds is assumed."""
        value = written(contents.value, dtype, origin.stack.site)
        node = self.flow.constant(value, origin)
        self.assume(node, dtype=dtype, range=contents.range if value is DYNAMIC else None)
        return node

    def variable(
        self, name: str, origin: GraphOrigin, *, trainable: bool = True, key: Any = None, holds: Any = DYNAMIC
    ) -> Node:
        """A variable's node: the same wherever it is met. `key` tells variables of one name apart.

        `holds` is the number that all of its elements are when the graph is linted, if it is one.
        """
        key = name if key is None else key
        if key not in self._variables:
            attrs = {"name": name} if holds is DYNAMIC else {"name": name, "initializer": holds}
            node = self.flow.add("variable" if trainable else "placeholder", (), attrs, origin)
            self._variables[key] = node
            plain = free = name.removesuffix(":0")
            while free in self.variables:
                self._namesakes[plain] = self._namesakes.get(plain, 0) + 1
                free = f"{plain}_{self._namesakes[plain]}"
            self.variables[free] = node
        return self._variables[key]

    @property
    def not_linted(self) -> str:
        """What was not linted, in a sentence; "" where all was."""
        called = (f"function {name!r} is called {limit}" for limit, name in self.beyond.items())
        return f"not linted to its end: {'; '.join(called)}" if self.beyond else ""

    @property
    def note(self) -> str:
        """What trials could not show, in a sentence; "" where they were of all."""
        if not self.partly:
            return ""
        some = "1 operation" if self.partly == 1 else f"{self.partly:,} operations"
        return f"{some} that may fail: checked with made-up operands, as this graph is too large to run as a whole"

    def watched(self) -> set[Node]:
        """What the graph differentiates with respect to, besides variables: what its tapes were told to watch.

        Something that no variable has a part in has a gradient for that reason alone.
        """
        found: set[Node] = set()
        moved: set[Node] = set()
        _reach([node for node in self.flow if node.op in ("variable", "layer")], moved)
        for operands in self.recorded:
            if operands and moved.isdisjoint(operands):
                found.update(operands)
                _reach(operands, moved)
        return found

    def named(self, variables: Iterable[Any]) -> dict[str, Any]:
        """TensorFlow's variables by their names here, those left out that the graph does not have."""
        names = {node: name for name, node in self.variables.items()}
        nodes = {id(variable): self._variables.get(id(variable.handle)) for variable in variables}
        return {names[node]: v for v in variables if (node := nodes[id(v)]) is not None}


def _reach(nodes: Iterable[Node], reached: set[Node]) -> None:
    """Add to what was reached all that is computed from some nodes."""
    waiting = [node for node in nodes if node not in reached]
    reached.update(waiting)
    while waiting:
        more = [user for user in waiting.pop().users if user not in reached]
        reached.update(more)
        waiting += more


@cache
def _of_type(dtype: str | None) -> Assumption:
    """What is taken for granted of most nodes: their element type alone."""
    return Assumption(None, dtype)
