"""Gradients inside a graph: the operations that compute them, and the forward operations they belong to.

A tape names its operations `gradient_tape/SCOPE/...`, after the name scope of the forward operation, and runs the
gradient function registered for its type. `tf.gradients` names them `gradients/NAME_grad/...`, after the operation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial

from tfnanlint.graph.model import Operation, Tensor
from tfnanlint.graph.stack import Stack

_MAKERS = {
    "_gradient_function": "backprop.py",
    "imperative_grad": "imperative_grad.py",
    "_GradientsHelper": "gradients_util.py",
}
_TAPE = re.compile(r"(?:^|/)gradient_tape/(?:(.*)/)?[^/]+$")
_NAMED = re.compile(r"^((?:.*/)?gradients(?:_\d+)?)/(.+?)_grad(?:/|$)")
CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
FORWARD = "__forward_"
"""How the name of a function begins that keeps what its gradient needs."""


def _derives(stack: Stack) -> bool:
    """Whether a stack is that of an operation that the framework made to compute a gradient."""
    return any(name in _MAKERS and path.endswith(_MAKERS[name]) for path, _, name in stack.inner)


Maker = tuple[Operation, Stack]
"""An operation that computes a gradient, and its stack."""
Scoped = tuple[str, str]
"""The scope of a forward operation, or its name, and the gradient function of its type."""


class Taken:
    """The gradients of one graph."""

    def __init__(self) -> None:
        self.any = False
        self.operations: set[Operation] = set()
        self._first: Maker | None = None
        self._named: dict[str, dict[str, Maker]] = {}
        """Of every call of `tf.gradients`, what it makes for each operation."""
        self._scoped: dict[Scoped, Maker] = {}
        self._consumed: dict[Scoped, set[Tensor]] = {}
        """What the gradients of a scope and a gradient function are computed from, of what was computed forward."""
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
            scoped = taped[1] or "", function
            self._scoped.setdefault(scoped, (operation, stack))
            self._consumed.setdefault(scoped, set()).update(t for t in operation.inputs if t.op not in self.operations)

    def ends(self, operations: list[Operation]) -> list[tuple[Operation, Maker]]:
        """The differentiated forward operations that no other operation differentiated with them uses.

        Each comes with the start of its gradient. Several calls of `tf.gradients` are kept apart.
        """
        found = [(o, maker) for made in self._named.values() for o, maker in _ends(operations, partial(_named, made))]
        if self._scoped or not self._named:
            sure = {scoped for o in operations if self._is_consumed(o) for scoped in _scopes(o)}
            found += _ends([o for o in operations if self._is_consumed(o) or sure.isdisjoint(_scopes(o))], self._taped)
        return found

    def recorded(self, operations: list[Operation]) -> list[Operation]:
        """The forward operations that surely have a gradient: it is named after them, or computed from their tensors.

        Of those that are linear the gradient needs no tensor: they may be told apart from others of their scope or not.
        """
        return [
            o
            for o in operations
            if any(o.name in made for made in self._named.values()) or self._is_consumed(o) or self._is_taped_call(o)
        ]

    def _is_consumed(self, operation: Operation) -> bool:
        """Whether a gradient of an operation's kind, in its scope, is computed from what goes into it or comes out."""
        tensors = {*operation.inputs, *operation.outputs}
        return any(not tensors.isdisjoint(self._consumed.get(scoped, ())) for scoped in _scopes(operation))

    def _is_taped_call(self, operation: Operation) -> bool:
        """Whether an operation calls a function that keeps what its gradient needs."""
        return operation.type in CALLS and operation.function("f").startswith(FORWARD)

    def _taped(self, operation: Operation) -> Maker | None:
        """What begins an operation's gradient under a tape; None where none is taken."""
        if operation.type in CALLS:
            return self._first if self._is_taped_call(operation) else None
        return next((self._scoped[scoped] for scoped in _scopes(operation) if scoped in self._scoped), None)


def _scopes(operation: Operation) -> tuple[Scoped, ...]:
    """What a tape may call the gradient of an operation."""
    function = gradient_function(operation.type)
    return ((operation.name.rpartition("/")[0], function), (operation.name, function)) if function is not None else ()


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
