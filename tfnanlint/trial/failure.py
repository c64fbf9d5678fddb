"""What a trial finds: an op that fails in a situation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tfnanlint.flow import Node, Root
from tfnanlint.trial.account import account
from tfnanlint.trial.run import Run
from tfnanlint.trial.situations import Situation


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

    @cached_property
    def account(self) -> str:
        """The run in one line: the small inputs, and the values on the way to the failure."""
        return account(self.run, self.node, self.kind, self.handed)
