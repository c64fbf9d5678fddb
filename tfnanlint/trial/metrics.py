"""Which values only measure how good a model is: somebody reads them, and training does not use them."""

from __future__ import annotations

from typing import Any

from tfnanlint.flow import Flow, Node
from tfnanlint.vocabulary import METRIC_METHODS, is_metric


def measures(node: Node, flow: Flow) -> bool:
    """Whether a function that computes a value is a metric: by its name, by its class, or as `compile` takes it."""
    functions = [scope.owner for scope in getattr(node.origin, "activations", ()) if scope.kind == "function"]
    return any(
        is_metric(function.name) or _is_of_metric_class(function) or function.node in flow.metrics
        for function in functions
        if function is not None
    )


def _is_of_metric_class(function: Any) -> bool:
    """Whether a function is a method of a class that is updated as a Keras metric is."""
    if function.cls is None or function.name not in METRIC_METHODS:
        return False
    return function.cls.find("update_state") is not None
