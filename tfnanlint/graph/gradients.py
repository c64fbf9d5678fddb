"""Gradients that a graph takes itself: which operations compute them, and which forward operations they belong to.

A tape names what it makes `gradient_tape/SCOPE/...`, after the name scope of the forward operation, and runs the
gradient function registered for its type; `tf.gradients` names it `gradients/NAME_grad/...`, after the operation.
"""

from __future__ import annotations

import re
from functools import cache

from tfnanlint.graph.model import Operation
from tfnanlint.graph.stack import Stack

_MAKERS = (
    ("backprop.py", "_gradient_function"),
    ("imperative_grad.py", "imperative_grad"),
    ("gradients_util.py", "_GradientsHelper"),
)
_TAPE = re.compile(r"(?:^|/)gradient_tape/(?:(.*)/)?[^/]+$")
_NAMED = re.compile(r"^(?:.*/)?gradients(?:_\d+)?/(.+?)_grad(?:/|$)")
FORWARD = "__forward_"
"""How the name of a function begins that keeps what its gradient needs."""


def is_gradient(operation: Operation, stack: Stack) -> bool:
    """Whether an operation was made to compute gradients, by the framework itself."""
    for path, _, name in stack.inner:
        for file, function in _MAKERS:
            if name == function and path.endswith(file):
                return True
    return stack.site is None and (operation.name.startswith("gradient_tape/") or bool(_NAMED.match(operation.name)))


class Taken:
    """The gradients of one graph."""

    def __init__(self) -> None:
        self.any = False
        self.operations: set[Operation] = set()
        self._first: tuple[Operation, Stack] | None = None
        self._named: dict[str, tuple[Operation, Stack]] = {}
        self._scoped: dict[tuple[str, str], tuple[Operation, Stack]] = {}

    def note(self, operation: Operation, stack: Stack) -> None:
        """Note an operation that computes gradients."""
        self.any = True
        self.operations.add(operation)
        self._first = self._first or (operation, stack)
        named = _NAMED.match(operation.name)
        if named:
            self._named.setdefault(named[1], (operation, stack))
            return
        taped = _TAPE.match(operation.name)
        function = next((name for _, _, name in stack.inner if name.startswith("_") and "Grad" in name), None)
        if taped and function is not None:
            self._scoped.setdefault((taped[1] or "", function), (operation, stack))

    def ends(self, operations: list[Operation]) -> list[Operation]:
        """The differentiated forward operations of which no other differentiated one makes use."""
        found = dict.fromkeys(operation for operation in operations if self.maker(operation) is not None)
        return [
            operation
            for operation in found
            if not any(user in found for tensor in operation.outputs for user in tensor.consumers)
        ]

    def maker(self, operation: Operation) -> tuple[Operation, Stack] | None:
        """The operation, and its stack, that begins a forward operation's gradient; None where none is taken."""
        if operation.name in self._named:
            return self._named[operation.name]
        if operation.type in ("PartitionedCall", "StatefulPartitionedCall"):
            return self._first if operation.function("f").startswith(FORWARD) else None
        function = gradient_function(operation.type) if self._scoped else None
        if function is None:
            return None
        scope = operation.name.rpartition("/")[0]
        return self._scoped.get((scope, function)) or self._scoped.get((operation.name, function))


@cache
def gradient_function(kind: str) -> str | None:
    """The name of the gradient function registered for a graph type."""
    from tensorflow.python.framework import ops

    try:
        function = ops.gradient_registry.lookup(kind)
    except LookupError:
        return None
    return getattr(function, "__name__", None)
