"""What a pattern found in a flow holds: its captured values, its nodes, and the verdict on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tfnanlint.facts import Reach
from tfnanlint.flow import Node, Root
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.ruleset.rule import Rule

if TYPE_CHECKING:
    from tfnanlint.source.values import Origin
    from tfnanlint.trial import Failure


class _Absent:
    """A static parameter that the call does not give."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()


class Written(Protocol):
    """A number as a program writes it."""

    @property
    def text(self) -> str:
        """The expression."""

    def reaches(self, there: Origin) -> bool:
        """Whether it means the same at another place."""


Places = dict[tuple[Node, int], tuple[Node, Node]]
"""Where each operand of a pattern stands: (pattern node, operand number) to (value, its user) in the program."""


@dataclass(frozen=True)
class Static:
    """A captured static parameter: its value, and the node whose call gives it."""

    value: Any
    node: Node
    attribute: str


@dataclass
class Match:
    """A pattern found at a node.

    `captured` holds what the variables stand for: values as (node, user), the user being the matched
    node that takes it as operand, and static parameters. `matched` are the op nodes of the pattern.
    """

    rule: Rule
    pattern: Pattern
    root: Node
    captured: dict[str, tuple[Node, Node] | Static]
    matched: dict[Node, None]
    reach: Reach
    evidence: str
    differentiated: Root | None = None
    alternatives: list[Match] = field(default_factory=list)
    """Other matches at the same node; their repairs are tried where this one's cannot be written."""
    repeated: list[Match] = field(default_factory=list)
    """Further matches in a graph that are reported with this one: a layer called twice, or a line in a loop."""
    other_dtype: str | None = None
    """The element type of an operand, where the rule claims nothing for that type."""
    places: Places = field(default_factory=dict)
    compiled_only: bool = False
    """Whether it fails only where XLA compiles the program; elsewhere the gradient is 0 and stays 0."""
    failure: Failure | None = None
    """What a trial showed."""
    compiled: bool = False
    """Whether the program itself asks for XLA here."""
    numbers: Mapping[float, str] = field(default_factory=dict)
    """Numbers of the rule file's repair that are replaced here, each with the text of the new one."""
    names: Mapping[str, Written] = field(default_factory=dict)
    """How the program itself writes such a number."""
    branches: tuple[tuple[Node, int], ...] = ()
    """The joins of an `if` that it passes through, each with the position of the branch that it takes."""
    inner: list[Match] = field(default_factory=list)
    """Matches of parts of it that fail, and that have an equivalent form: with that, nothing is left to repair here."""

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes in which it fails."""
        return ("xla",) if self.compiled_only else self.rule.modes


@dataclass
class Binding:
    captured: dict[str, tuple[Node, Node] | Static] = field(default_factory=dict)
    matched: dict[Node, None] = field(default_factory=dict)
    places: Places = field(default_factory=dict)
    branches: tuple[tuple[Node, int], ...] = ()

    def copy(self) -> Binding:
        return Binding(dict(self.captured), dict(self.matched), dict(self.places), self.branches)
