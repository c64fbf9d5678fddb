"""Datasets and `TensorArray`s: lists of tensors that a program writes and reads by methods of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.source import containers, grammar
from tfnanlint.source.parameters import parameters_of
from tfnanlint.source.values import Function, Items, Many, Partial, Scope, Value

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

ARRAYS = frozenset(("write", "read", "stack", "concat", "gather", "unstack"))
"""Methods of a `TensorArray`."""
STREAMING = frozenset(
    "batch padded_batch unbatch shuffle repeat prefetch cache take skip filter shard with_options apply "
    "as_numpy_iterator ignore_errors rebatch".split()
)
"""Methods of a dataset that hand on its elements, one by one or in batches."""
BATCHING = frozenset("batch padded_batch unbatch rebatch apply".split())
"""Those after which an element is another one: what a filter has asked does not hold of it."""


def method(
    low: Lowering, owner: Items | Many, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A call of one of `METHODS`, of a `TensorArray` or a dataset; None for another one of its methods."""
    if isinstance(owner, Items):
        return _of_array(low, owner, name, args, node, scope) if name in ARRAYS else None
    if name == "enumerate":
        return Many(Items([low.unknown(node, scope), owner.element]))
    if name == "filter" and args.positional:
        return Many(owner.element, (*owner.filters, args.positional[0][0]))
    if name in BATCHING:
        return Many(owner.element)
    if name != "map" or not args.positional:
        return owner if name in STREAMING else None
    with low.inside_loop(), ExitStack() as filtered:
        element = containers.another(low, owner.element, node, scope)
        for passes in owner.filters:
            filtered.enter_context(low.under(mapped(low, passes, element, node, scope), True))
        return Many(mapped(low, args.positional[0][0], element, node, scope))


def mapped(low: Lowering, function: Value, element: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """A function of an element of a dataset, which hands on the parts of a tuple as so many arguments."""
    if isinstance(element, Items):
        given = element.values
    elif isinstance(element, Node) and (count := _required(function)) > 1:
        given = [containers.element_of(low, element, node, scope, place) for place in range(count)]
    else:
        given = [element]
    return low.call(function, given, node, scope)


def _required(function: Value) -> int:
    """The number of arguments that a function of the program needs; 1 for any other value."""
    if isinstance(function, Partial):
        return 1 if function.keywords else _required(function.function) - len(function.arguments)
    if not isinstance(function, Function):
        return 1
    bound = function.bound is not None and "staticmethod" not in function.decorators
    return sum(default is None for _, default, _ in parameters_of(function.node)) - bound


def _of_array(
    low: Lowering, owner: Items, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A method of a `TensorArray`, which is a list of what is written to it."""
    if name == "write":
        if (value := args.get(1, "value")) is not None:
            containers.grow(low, owner, value, name, node, scope)
        return owner
    if name == "unstack":
        rows = args.get(0, "value")
        return Many(containers.element_of(low, rows, node, scope)) if rows is not None else None
    if name == "read":
        return containers.element_of(low, owner, node, scope)
    return low.tensor(owner, node, scope) if owner.values else None


def _array(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A `TensorArray`: a list, to which its methods write."""
    return Items([], low.loop, low.life)


def _dataset(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A dataset of rows: a list of unknown length, whose elements are alike."""
    rows = args.get(0, "tensors")
    return Many(containers.structure_of(low, rows, node, scope)) if rows is not None else None


def _zipped(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """Several datasets, row by row."""
    given = args.get(0, "datasets")
    parts = given.values if isinstance(given, Items) else [v for v, _ in args.positional]
    known = [part.element for part in parts if isinstance(part, Many)]
    return Many(Items(known)) if parts and len(known) == len(parts) else None


METHODS = ARRAYS | STREAMING | {"map", "enumerate"}
STREAMS: Mapping[str, Callable[[Lowering, Arguments, grammar.Syntax, Scope], Value | None]] = {
    "tf.TensorArray": _array,
    "tf.data.Dataset.from_tensor_slices": _dataset,
    "tf.data.Dataset.zip": _zipped,
}
"""What makes them, by its path."""
