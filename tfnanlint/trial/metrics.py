"""Which values only measure how good a model is: somebody reads them, and training does not use them."""

from __future__ import annotations

from tfnanlint.flow import Flow, Node
from tfnanlint.vocabulary import UPDATES, is_metric


def measures(node: Node, flow: Flow) -> bool:
    """Whether a function that computes a value is a metric: by its name, by its class, or as `compile` takes it."""
    functions = [scope.owner for scope in getattr(node.origin, "activations", ()) if scope.kind == "function"]
    return any(
        is_metric(function.name)
        or (function.cls is not None and function.name in UPDATES)
        or function.node in flow.metrics
        for function in functions
        if function is not None
    )
