"""Whether a value is computed as it is written, and no graph optimiser and no compiler changes that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.source.conditions import asks_for_eager_mode
from tfnanlint.source.generation import is_of_first

if TYPE_CHECKING:
    from tfnanlint.facts.view import FactsView

MOST_STEPS = 200


def eagerly(facts: FactsView, node: Node) -> bool:
    """Whether a node is computed by code that is not traced, and that reads numbers of a value computed from it.

    So is what the program computes only where it finds itself in eager mode.
    """
    if any(holds and asks_for_eager_mode(condition) for condition, holds in node.under):
        return True
    return bool(facts.flow.read) and not _is_traced(node) and _is_read(facts, node)


def is_kept_by_training(facts: FactsView, node: Node) -> bool:
    """Whether a file that only TensorFlow 1 can run computes a node, and differentiates it.

    TensorFlow 1.15 moves the epsilon of `log(1 - sigmoid(x) + 1e-8)` where a session computes the logarithm alone. It
    keeps the epsilon where the session computes the gradient as well, as each step of training does. TensorFlow 2 moves
    it in both cases.
    """
    text = getattr(getattr(node.origin, "file", None), "text", None)  # a traced graph runs in TensorFlow 2
    return text is not None and facts.differentiated(node) is not None and is_of_first(text)


def _is_traced(node: Node) -> bool:
    """Whether a function that holds the code of a node, or leads to it, runs as a graph."""
    scopes = [scope for code in node.origin.activations for scope in _around(code)]
    return any("tf.function" in getattr(scope.owner, "decorators", ()) for scope in scopes)


def _around(scope: Any) -> list[Any]:
    """A scope and those around it."""
    found = []
    while scope is not None:
        found.append(scope)
        scope = scope.parent
    return found


def _is_read(facts: FactsView, node: Node) -> bool:
    """Whether the code that computes a node, or a caller of it, reads numbers of a value computed from the node."""
    codes = node.origin.activations
    stack, met = [node], {node}
    while stack:
        at = stack.pop()
        if at in facts.flow.read:
            return True
        if len(met) > MOST_STEPS:
            return False
        onward = {user for user in at.users if getattr(user.origin, "scope", None) in codes} - met
        met |= onward
        stack += onward
    return False
