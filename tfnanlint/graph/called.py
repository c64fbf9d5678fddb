"""The functions that an operation of a live graph calls: itself, or in its branches and loops."""

from __future__ import annotations

from typing import Any

CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
IFS = frozenset({"If", "StatelessIf"})
CASES = frozenset({"Case", "StatelessCase"})
WHILES = frozenset({"While", "StatelessWhile"})


def function_of(graph: Any, name: str) -> Any:
    """A function that a graph calls, looked up in the graph and in those around it; None if it is in none of them."""
    while graph is not None:
        try:
            held = graph._get_function(name)
        except (AttributeError, ValueError, KeyError):
            held = None
        if held is not None:
            return held
        graph = getattr(graph, "outer_graph", None)
    return None


def functions_of(operation: Any) -> list[str]:
    """The functions that an operation calls: its branches in order, the condition and the body of its loop."""
    if operation.type in IFS:
        return [operation.get_attr(name).name for name in ("then_branch", "else_branch")]
    if operation.type in CASES:
        return [function.name for function in operation.get_attr("branches")]
    if operation.type in WHILES:
        return [operation.get_attr("body").name]
    return [operation.get_attr("f").name] if operation.type in CALLS else []
