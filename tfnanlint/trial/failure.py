"""What a trial finds: an op that fails in a situation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node, Root
from tfnanlint.trial.arrays import has_nan
from tfnanlint.trial.limits import MISSING
from tfnanlint.trial.run import Run
from tfnanlint.trial.run_summary import summary
from tfnanlint.trial.situations import Situation

if TYPE_CHECKING:
    from tfnanlint.trial.part_trial import Part


@dataclass(frozen=True, eq=False)
class Failure:
    """An op that fails in a situation, in its value or its gradient; `compiled_only`: only when XLA compiles it."""

    node: Node
    kind: str
    situation: Situation
    likely: bool
    approximate: bool
    run: Run = field(repr=False)
    compiled_only: bool = False
    root: Root | None = None
    handed: Any = field(default=None, repr=False)
    """The gradient that is not finite, if the op fails in its gradient."""
    part: Part | None = field(default=None, repr=False)
    """Where it was found."""

    def is_missing(self, node: Node) -> bool:
        """Whether an input is not a number in the failing run: a missing value, which the program checks for."""
        return has_nan(self.run.values.get(node))

    @property
    def of_missing(self) -> bool:
        """Whether it fails because of a missing value, and not by what the program makes of the others."""
        if self.situation.side != MISSING:
            return False
        return self.kind == "gradient" or any(map(self.is_missing, self.node.operands))

    @cached_property
    def summary(self) -> str:
        """The run in one line: the small inputs, and the values on the way to the failure."""
        return summary(self.run, self.node, self.kind, self.handed)
