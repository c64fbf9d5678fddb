"""Gradients that a graph takes itself: which operations compute them, and which forward operations they belong to.

A tape names what it makes `gradient_tape/SCOPE/...`, after the name scope of the forward operation, and runs the
gradient function registered for its type; `tf.gradients` names it `gradients/NAME_grad/...`, after the operation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial

from tfnanlint.graph.model import Operation
from tfnanlint.graph.stack import Stack

_MAKERS = {
    "_gradient_function": "backprop.py",
    "imperative_grad": "imperative_grad.py",
    "_GradientsHelper": "gradients_util.py",
}
_TAPE = re.compile(r"(?:^|/)gradient_tape/(?:(.*)/)?[^/]+$")
_NAMED = re.compile(r"^((?:.*/)?gradients(?:_\d+)?)/(.+?)_grad(?:/|$)")
FORWARD = "__forward_"
"""How the name of a function begins that keeps what its gradient needs."""


def _derives(stack: Stack) -> bool:
    """Whether a stack is that of an operation that the framework made to compute a gradient."""
    return any(name in _MAKERS and path.endswith(_MAKERS[name]) for path, _, name in stack.inner)


Maker = tuple[Operation, Stack]
"""An operation that computes a gradient, and its stack."""


class Taken:
    """The gradients of one graph."""

    def __init__(self) -> None:
        self.any = False
        self.operations: set[Operation] = set()
        self._first: Maker | None = None
        self._named: dict[str, dict[str, Maker]] = {}
        """Of every call of `tf.gradients`, what it makes for each operation."""
        self._scoped: dict[tuple[str, str], Maker] = {}
        self._deriving: dict[Stack, bool] = {}

    def is_gradient(self, operation: Operation, stack: Stack) -> bool:
        """Whether an operation was made to compute gradients, by the framework itself."""
        found = self._deriving.get(stack)
        if found is None:
            found = self._deriving[stack] = _derives(stack)
        return found or (
            stack.site is None and (operation.name.startswith("gradient_tape/") or bool(_NAMED.match(operation.name)))
        )

    def note(self, operation: Operation, stack: Stack) -> None:
        """Note an operation that computes gradients."""
        self.any = True
        self.operations.add(operation)
        self._first = self._first or (operation, stack)
        named = _NAMED.match(operation.name)
        if named:
            self._named.setdefault(named[1], {}).setdefault(named[2], (operation, stack))
            return
        taped = _TAPE.match(operation.name)
        function = next((name for _, _, name in stack.inner if name.startswith("_") and "Grad" in name), None)
        if taped and function is not None:
            self._scoped.setdefault((taped[1] or "", function), (operation, stack))

    def ends(self, operations: list[Operation]) -> list[tuple[Operation, Maker]]:
        """The differentiated forward operations of which no other makes use that is differentiated with them.

        Each comes with what begins its gradient. What several calls of `tf.gradients` differentiate is told apart.
        """
        found = [(o, maker) for made in self._named.values() for o, maker in _ends(operations, partial(_named, made))]
        if self._scoped or not self._named:
            found += _ends(operations, self._taped)
        return found

    def _taped(self, operation: Operation) -> Maker | None:
        """What begins an operation's gradient under a tape; None where none is taken."""
        if operation.type in ("PartitionedCall", "StatefulPartitionedCall"):
            return self._first if operation.function("f").startswith(FORWARD) else None
        function = gradient_function(operation.type) if self._scoped else None
        if function is None:
            return None
        scope = operation.name.rpartition("/")[0]
        return self._scoped.get((scope, function)) or self._scoped.get((operation.name, function))


def _named(made: dict[str, Maker], operation: Operation) -> Maker | None:
    return made.get(operation.name)


def _ends(operations: list[Operation], maker: Callable[[Operation], Maker | None]) -> list[tuple[Operation, Maker]]:
    """The operations that have a maker, and of which no other that has one makes use."""
    found = {operation: made for operation in operations if (made := maker(operation)) is not None}
    return [
        (operation, made)
        for operation, made in found.items()
        if not any(user in found for tensor in operation.outputs for user in tensor.consumers)
    ]


@cache
def gradient_function(kind: str) -> str | None:
    """The name of the gradient function registered for a graph type."""
    from tensorflow.python.framework import ops

    try:
        function = ops.gradient_registry.lookup(kind)
    except LookupError:
        return None
    return getattr(function, "__name__", None)
