"""Gradients that a graph takes itself: which operations compute them, and which forward operations they belong to.

A tape names what it makes `gradient_tape/SCOPE/...`, after the name scope of the forward operation, and runs the gradient
function registered for its type; `tf.gradients` names it `gradients/NAME_grad/...`, after the operation itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tfnanlint.graph.stack import Stack

_MAKERS = (("backprop.py", "_gradient_function"), ("imperative_grad.py", "imperative_grad"), ("gradients_util.py", "_GradientsHelper"))
_TAPE = re.compile(r"(?:^|/)gradient_tape/(?:(.*)/)?[^/]+$")
_NAMED = re.compile(r"^(?:.*/)?gradients(?:_\d+)?/(.+?)_grad(?:/|$)")
FORWARD = "__forward_"
"""How the name of a function begins that keeps what its gradient needs."""


def is_gradient(operation: Any, stack: Stack) -> bool:
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
        self.names: set[str] = set()
        self._named: set[str] = set()
        self._scoped: set[tuple[str, str]] = set()

    def note(self, operation: Any, stack: Stack) -> None:
        """Note an operation that computes gradients."""
        self.any = True
        self.names.add(operation.name)
        named = _NAMED.match(operation.name)
        if named:
            self._named.add(named[1])
            return
        taped = _TAPE.match(operation.name)
        function = next((name for _, _, name in stack.inner if name.startswith("_") and "Grad" in name), None)
        if taped and function is not None:
            self._scoped.add((taped[1] or "", function))

    def ends(self, operations: list[Any]) -> list[Any]:
        """The differentiated forward operations of which no other differentiated one makes use."""
        found = {operation.name: operation for operation in operations if self._differentiated(operation)}
        return [
            operation
            for operation in found.values()
            if not any(user.name in found for tensor in operation.outputs for user in tensor.consumers())
        ]

    def _differentiated(self, operation: Any) -> bool:
        if operation.name in self._named:
            return True
        if operation.type in ("PartitionedCall", "StatefulPartitionedCall"):
            return str(operation.get_attr("f").name).startswith(FORWARD)
        function = gradient_function(operation.type)
        if function is None or not self._scoped:
            return False
        scope = operation.name.rpartition("/")[0]
        return (scope, function) in self._scoped or (operation.name, function) in self._scoped


@lru_cache(maxsize=None)
def gradient_function(kind: str) -> str | None:
    """The name of the gradient function registered for a graph type."""
    from tensorflow.python.framework import ops

    try:
        function = ops.gradient_registry.lookup(kind)
    except LookupError:
        return None
    return getattr(function, "__name__", None)
