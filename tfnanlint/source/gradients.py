"""What a program differentiates: gradients of tapes, functions and optimisers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Node
from tfnanlint.source import grammar
from tfnanlint.source.values import Function, Items, Many, Partial, Scope, Value, nodes_in

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

_TRACED = re.compile(r"\bfunction\(|@[\w.]*\bfunction\b|\bdef train_step\b|\bvectorized_map\b|\bdistribute\b")
"""What shows that functions of a file may be traced."""
OPTIMISING = ("minimize", "compute_gradients", "get_gradients")
"""The methods of optimisers that differentiate their first argument."""


def result(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """A value, or what a function without arguments returns."""
    return low.call(value, [], node, scope) if isinstance(value, (Function, Partial)) else value


def minimised(low: Lowering, name: str, loss: Value, node: grammar.Syntax, scope: Scope) -> Value | None:
    """What an optimiser makes of a loss: it differentiates it, and may hand the gradients back."""
    loss = result(low, loss, node, scope)
    low.differentiate(loss, f"differentiated by `{name}`", low.origin(node, scope))
    found = nodes_in(loss)
    if not found:
        return None
    gradient = low.flow.add("gradient", found, {}, low.origin(node, scope))
    if name != "compute_gradients":
        return gradient
    return Many(Items([gradient, low.flow.add("variable", (), {}, low.origin(node, scope))]))


def may_be_traced(low: Lowering) -> bool:
    """Whether a function that opens a tape may run as a graph: as a `tf.function`, or as what Keras trains with."""
    return any(_TRACED.search(file.text) is not None for file in {low.file, low.home})


def by_tape(call: Any, method: str) -> str:
    """What differentiates in a call of a tape's method, by the name that the program has for the tape."""
    owner = getattr(getattr(call.func, "value", None), "value", None)
    return f"`{owner if isinstance(owner, str) else 'tape'}.{method}`"


def of(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope, how: str, opened: int = 0) -> Value | None:
    """Gradients of the first argument with respect to the second: one for each source that is known."""
    target = args.get(0, "target", "ys", "loss")
    sources = args.get(1, "sources", "xs", "variables")
    if target is None or not nodes_in(target):
        return None
    origin = low.origin(node, scope)
    low.differentiate(target, f"differentiated by {how}", origin, nodes_in(sources), opened)
    if isinstance(sources, Items):
        return Items(
            [
                low.flow.add("gradient", [*nodes_in(target), *nodes_in(s)], {}, low.origin(node, scope))
                for s in sources.values
            ]
        )
    return low.flow.add("gradient", [*nodes_in(target), *nodes_in(sources)], {}, origin)


def of_function(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.gradients` and its kin, which return a list, also for a single source."""
    found = of(low, args, node, scope, "`gradients`")
    single = isinstance(args.get(1, "xs", "variables"), Node)
    return Items([found]) if single and isinstance(found, Node) else found
