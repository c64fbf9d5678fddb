"""The layers of a model as it gives them back: `model.layers`, `get_layer(name)`, `get_layer(index=...)`.

The layers of a functional model are those whose calls lie between its inputs and its outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.source import grammar
from tfnanlint.source.arguments import Arguments
from tfnanlint.source.values import Instance, Items, Layer, Scope, Table, Value, constant_of, nodes_in

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

MOST_CALLS = 2_000
"""The most calls of layers in a file that are noted for `model.layers` and `get_layer`."""
INPUT = "InputLayer"


def note(low: Lowering, layer: Layer | Instance, given: Value, result: Value) -> None:
    """Note a call of a layer, with its argument and its result."""
    if len(low.layer_calls) < MOST_CALLS:
        low.layer_calls.append((layer, nodes_in(given), nodes_in(result)))
    if isinstance(layer, Layer) and layer.called_on is None:
        layer.called_on = given, result


def of_model(low: Lowering, model: Layer | Instance, node: grammar.Syntax, scope: Scope) -> Items | None:
    """All layers of a model in Keras's order; None where that is not known."""
    if isinstance(model, Instance):
        return Items(_in_attributes(model))
    if model.path == "Sequential":
        _run_once(low, model, node, scope)
        return Items([part for part in model.parts if not _is_input(part)])
    called = _called_within(low, model)
    chain: list[Value] = []
    at = nodes_in(model.arguments.get("inputs"))
    if len(at) != 1 or not called:
        return None
    chain.append(Layer(INPUT, {}, low.origin(node, scope), called_on=(at[0], at[0])))
    for layer, given, result in called:
        if given != at or len(result) != 1:
            return None  # branches, or what is not a layer between two
        chain.append(layer)
        at = result
    return Items(chain) if at == nodes_in(model.arguments.get("outputs")) else None


def asked_for(
    low: Lowering, model: Layer | Instance, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """The layer that `get_layer` gives."""
    name, index = constant_of(args.get(0, "name")), constant_of(args.get(1, "index"))
    if isinstance(index, int):
        held = of_model(low, model, node, scope)
        return held.values[index] if held is not None and -len(held.values) <= index < len(held.values) else None
    if not isinstance(name, str):
        return None
    if isinstance(model, Layer) and model.path == "Functional":
        every: list[Value] = [layer for layer, _, _ in _called_within(low, model)]
    else:
        listed = of_model(low, model, node, scope)
        every = listed.values if listed is not None else []
    return next((one for one in every if _name_of(one) == name), None)


def _called_within(low: Lowering, model: Layer) -> list[tuple[Layer | Instance, list[Node], list[Node]]]:
    """The calls of layers on the way from a functional model's inputs to its outputs, in order."""
    on_the_way: set[Node] = set()
    inputs = set(nodes_in(model.arguments.get("inputs")))
    stack = nodes_in(model.arguments.get("outputs"))
    while stack:
        node = stack.pop()
        if node not in on_the_way:
            on_the_way.add(node)
            stack.extend(node.operands if node not in inputs else ())
    return [call for call in low.layer_calls if on_the_way.issuperset(call[1]) and on_the_way.issuperset(call[2])]


def _in_attributes(model: Instance) -> list[Value]:
    """The layers that an object holds, in the order in which it got them."""
    found: dict[int, Value] = {}
    for value in model.attributes.values():
        held = value.values if isinstance(value, Items) else value.entries.values() if isinstance(value, Table) else ()
        for one in (value, *held):
            if isinstance(one, Layer) or (isinstance(one, Instance) and one.cls.find("call") is not None):
                found.setdefault(id(one), one)
    return list(found.values())


def _run_once(low: Lowering, model: Layer, node: grammar.Syntax, scope: Scope) -> None:
    """Call a sequential model on some batch, if its layers were called on nothing yet."""
    layers = [part for part in model.parts if isinstance(part, Layer)]
    if "outputs" not in model.arguments and any(part.called_on is None for part in layers):
        batch = low.flow.add("placeholder", (), {}, low.origin(node, scope))
        model.arguments["inputs"] = batch
        model.arguments["outputs"] = low.call(model, [batch], node, scope)


def _is_input(part: Value) -> bool:
    return (isinstance(part, Node) and part.op == "placeholder") or (isinstance(part, Layer) and part.path == INPUT)


def _name_of(layer: Value) -> str | None:
    """The name that a layer was given."""
    held = layer.arguments if isinstance(layer, Layer) else layer.attributes if isinstance(layer, Instance) else {}
    name = constant_of(held.get("name"))
    return name if isinstance(name, str) else None


def attribute(low: Lowering, model: Layer, name: str, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`model.output` and its kin, where they are known."""
    if name == "layers" and model.path in ("Sequential", "Functional"):
        return of_model(low, model, node, scope)
    held = {"output": "outputs", "outputs": "outputs", "input": "inputs", "inputs": "inputs"}.get(name)
    if held is None:
        return None
    if model.path == "Sequential":
        _run_once(low, model, node, scope)
    if held in model.arguments:
        return model.arguments[held]
    return model.called_on[held == "outputs"] if model.called_on is not None and not name.endswith("s") else None
