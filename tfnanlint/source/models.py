"""Keras models as values: sequential and functional ones, and what training them differentiates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import GIVEN_LABELS, Node
from tfnanlint.ops import OPS, SPELLINGS
from tfnanlint.ops.losses import CLASSES as CLASSES_OF_LOSSES
from tfnanlint.source import containers, grammar, model_layers, other_files
from tfnanlint.source.implicit_modules import attributes_taken
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.source.names import canonical_path
from tfnanlint.source.values import (
    Choice,
    Function,
    Instance,
    Items,
    Layer,
    Origin,
    Partial,
    Path,
    Scope,
    Table,
    Value,
    constant_of,
    nodes_in,
    parts_of,
)
from tfnanlint.vocabulary import WEIGHTS

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

SEQUENTIAL = frozenset(("keras.Sequential", "keras.models.Sequential"))
FUNCTIONAL = frozenset(("keras.Model", "keras.models.Model", "keras.models.Functional"))
CLASSES = SEQUENTIAL | FUNCTIONAL
KINDS = frozenset(("Sequential", "Functional"))
TRAINING = frozenset("fit fit_generator train_on_batch train_step evaluate evaluate_generator test_on_batch".split())
"""Methods of a model that compute the loss it is compiled with."""
FITTING = frozenset("fit fit_generator train_on_batch".split())
"""Methods of a model that train it."""
PREDICTING = frozenset({"predict", "predict_on_batch"})
"""Methods of a model that give arrays of NumPy: no gradient flows back through them."""
MOST_OUTPUTS = 4
"""Of a model with more outputs, one loss for all of them is computed of the first."""
LARGEST_COPY = 400
"""A functional model of more nodes than this is not lowered again for each of its calls."""


def built(low: Lowering, name: str, args: Arguments, origin: Origin) -> Layer | None:
    """A model that is not a class of the module."""
    if name in SEQUENTIAL:
        return Layer("Sequential", {}, origin, list(containers.elements_in_order(args.get(0, "layers")) or ()))
    if name in FUNCTIONAL:
        inputs, outputs = args.get(0, "inputs", "input"), args.get(1, "outputs", "output")  # of Keras 1, too
        if inputs is None or outputs is None:
            return Layer("Functional", {}, origin)
        for node in nodes_in(outputs):
            low.flow.differentiate(node, "the output of a Keras model", origin, implied=True)
        return Layer("Functional", {"inputs": inputs, "outputs": outputs}, origin)
    return None


def predicted(low: Lowering, outputs: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """What `predict` gives for the outputs of a model: the same numbers, as constants."""
    origin = low.origin(node, scope)
    copies = {one: low.flow.add("detached", (one,), {LIBRARY: "numpy"}, origin) for one in nodes_in(outputs)}
    return _replaced(outputs, copies)


def called(low: Lowering, model: Layer, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """What a model makes of its input."""
    if model.path == "Functional":
        copies = _copied(low, model, value, node, scope)
        if copies is not None:
            return _replaced(model.arguments["outputs"], copies)
        return low.flow.add("layer", nodes_in(value), {"kind": "Model"}, low.origin(node, scope))
    for part in model.parts:
        if isinstance(part, (Layer, Instance, Function, Partial)):
            value = low.call(part, [value], node, scope)
        elif not (isinstance(part, Node) and part.op == "placeholder"):
            value = low.unknown(node, scope, nodes_in(value))
    return value


def _copied(low: Lowering, model: Layer, value: Value, node: grammar.Syntax, scope: Scope) -> dict[Node, Node] | None:
    """By value of a functional model, the one computed from other inputs; None where that is too much or not known."""
    given = dict(zip(nodes_in(model.arguments.get("inputs")), nodes_in(value), strict=False))
    between = _between(nodes_in(model.arguments.get("outputs")), set(given))
    if between is None or not given:
        return None
    call = low.origin(node, scope)
    for old in between:
        where: Origin = old.origin
        arguments = [(given.get(o, o), expression) for o, expression in where.arguments]
        origin = replace(where, calls=(*low.calls, call, *where.calls), arguments=arguments)
        operands = old.operands[:1] if old.op == "loop" else old.operands
        given[old] = low.flow.add(old.op, [given.get(o, o) for o in operands], old.attrs, origin)
    for loop in between:
        if loop.op == "loop" and len(loop.operands) == 2:
            low.flow.connect(given[loop], given.get(loop.operands[1], loop.operands[1]))
    return given


def _between(outputs: list[Node], inputs: set[Node]) -> list[Node] | None:
    """The nodes on the way from the inputs to the outputs, in order; None where there are too many."""
    found: dict[Node, bool] = {}  # whether it is made of an input
    stack = list(outputs)
    carried: list[Node] = []  # what loops hand on to their next iteration: it is made of what enters the loop
    while stack or carried:
        if not stack:
            stack.append(carried.pop())
        at = stack[-1]
        if at in inputs or at in found or not at.operands:
            found.setdefault(at, False)
            stack.pop()
            continue
        if len(found) > LARGEST_COPY:
            return None
        waiting = [o for o in at.operands if o not in found and o not in inputs and o.index < at.index]
        if waiting:
            stack.extend(waiting)
            continue
        found[at] = any(o in inputs or found.get(o, False) for o in at.operands)
        carried += at.operands[1:] if at.op == "loop" else ()
        stack.pop()
    return sorted((n for n, dependent in found.items() if dependent and n not in inputs), key=lambda n: n.index)


def _replaced(value: Value, given: dict[Node, Node]) -> Value:
    if isinstance(value, Node):
        return given.get(value, value)
    if isinstance(value, Items):
        return Items([_replaced(v, given) for v in value.values])
    if isinstance(value, Table):
        return Table({k: _replaced(v, given) for k, v in value.entries.items()}, value.rest)
    if isinstance(value, Partial):
        keywords = {k: _replaced(v, given) for k, v in value.keywords.items()}
        return replace(value, arguments=[_replaced(v, given) for v in value.arguments], keywords=keywords)
    return value


def method(low: Lowering, model: Layer, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A method of a layer or model: what is added to it, trained, or called; everything else is unknown."""
    if name == "add" and model.path == "Sequential" and args.positional:
        model.parts.append(args.positional[0][0])
        return None
    if name == "pop" and model.path == "Sequential" and not args.positional and model.parts:
        return model.parts.pop()
    if name == "get_layer":
        return model_layers.asked_for(low, model, args, node, scope)
    if name == "compile":
        compiled(low, model, args, node, scope)
        return None
    if name in FITTING:
        fitted(low, model, args, node, scope)
        return None
    if name in ("call", "__call__", *PREDICTING):
        found = low.apply(model, args, node, scope)
        return predicted(low, found, node, scope) if name in PREDICTING else found
    if name in WEIGHTS:
        return low.flow.add("variable", (), {}, low.origin(node, scope))
    return None


def compiled(
    low: Lowering, model: Layer | Instance | Node, args: Arguments, node: grammar.Syntax, scope: Scope
) -> None:
    """`compile` joins the model's output to its loss, and training differentiates both; its metrics are only shown."""
    origin, loss = low.origin(node, scope), args.get(1, "loss")
    metrics = parts_of(args.named("metrics")) + parts_of(args.named("weighted_metrics"))
    low.flow.metrics.update(one.node for one in metrics if isinstance(one, Function))
    if isinstance(model, Layer):
        model.loss, model.compiled = loss, origin
    with _noted(low, node, "compiled here"):
        outputs = _outputs(low, model, node, scope)
    if _is_never_trained(low, node):
        return
    if outputs is not None:
        low.differentiate(outputs, "differentiated when the compiled model is trained", origin)
    predictions = nodes_in(outputs) or [low.flow.add("layer", (), {"kind": "Model"}, origin)]
    _lost(low, loss, predictions, None, node, scope, _names_of(outputs))


def _is_never_trained(low: Lowering, node: grammar.Syntax) -> bool:
    """Whether an object compiles a model whose loss nothing computes, such as the generator of a GAN.

    The text trains or evaluates other models that it compiles, and never the one that this attribute holds.
    """
    model = node.func.value if isinstance(node, grammar.Call) and isinstance(node.func, grammar.Attribute) else None
    if not isinstance(model, grammar.Attribute):
        return False
    taken = attributes_taken(low.file.text)
    trained = {name for name, attributes in taken.items() if "compile" in attributes and attributes & TRAINING}
    return bool(trained) and model.attr.value not in trained


def fitted(low: Lowering, model: Layer, args: Arguments, node: grammar.Syntax, scope: Scope) -> None:
    """`fit` on data of which something is seen: the model and its loss are computed from it.

    The loss stands where the model was given it, so that what is wrong with the two is found once.
    """
    x, y = args.get(0, "x"), args.get(1, "y")
    if model.loss is None or not any(n.op in OPS and n.op != "placeholder" for n in nodes_in(x)) or x is None:
        return
    copies = _copied(low, model, x, node, scope) if model.path == "Functional" else None
    outputs, loss = model.arguments.get("outputs"), model.loss
    if copies is None or outputs is None:
        outputs = low.call(model, [x], node, scope)
    else:  # a loss that is given values of the model, such as the input of a gradient penalty, is given their copies
        outputs, loss = _replaced(outputs, copies), _replaced(loss, copies)
    low.differentiate(outputs, "differentiated by `fit`", low.origin(node, scope))
    made = model.compiled
    where: tuple[Any, Scope] = (node, scope)
    if made is not None and made.file is low.file:
        where = made.expr, made.scope
    _lost(low, loss, nodes_in(outputs), y, *where)


def stepped(low: Lowering, model: Instance, node: grammar.Syntax, scope: Scope) -> None:
    """`fit` of a model that has a training step of its own: it is given batches of which nothing is known."""
    step = model.cls.find("train_step")
    if isinstance(step, Function):
        batch = low.flow.add("input", (), {"name": "data"}, low.origin(node, scope))
        low.call(step.bind(model), [batch], node, scope)


def _by_name(
    losses: Table, predictions: list[Node], names: Sequence[str | None]
) -> tuple[list[Value | None], list[Node]]:
    """The losses that are given by the names of outputs, and the outputs, one for each; by place where none has one."""
    named = {name: node for name, node in zip(names, predictions, strict=False) if name is not None}
    found = [(loss, named[key]) for key, loss in losses.entries.items() if key in named]
    if not found:
        return list(losses.entries.values()), predictions
    return [loss for loss, _ in found], [node for _, node in found]


def _names_of(outputs: Value | None) -> list[str | None]:
    """The names of a model's outputs: their keys, or those of the layers that make them."""
    if isinstance(outputs, Table):
        return [str(key) for key, value in outputs.entries.items() for _ in nodes_in(value)]
    return [_name_of(node) for node in nodes_in(outputs)]


def _name_of(node: Node) -> str | None:
    """The name of the layer that makes an output, behind its activation."""
    made = node.origin.expr if node.origin is not None else None
    while node.op != "layer" and len(node.operands) == 1 and node.operands[0].origin.expr is made:
        node = node.operands[0]
    name = node.attrs.get("name") if node.op == "layer" else None
    return name if isinstance(name, str) else None


def _lost(
    low: Lowering,
    loss: Value | None,
    predictions: list[Node],
    labels: Value | None,
    node: grammar.Syntax,
    scope: Scope,
    names: Sequence[str | None] = (),
) -> None:
    """The losses of a model's outputs, which training differentiates."""
    losses: list[Value | None] = [loss]
    if isinstance(loss, Items):
        losses = list(loss.values)
    elif isinstance(loss, Table):
        losses, predictions = _by_name(loss, predictions, names)
    elif 1 < len(predictions) <= MOST_OUTPUTS:  # one for each output
        losses = [loss] * len(predictions)
    origin = low.origin(node, scope)
    for place, one in enumerate(losses):
        one = _library_loss(one) if len(predictions) == len(losses) else one
        if isinstance(one, Path):
            one = other_files.imported(low, one)
        if isinstance(one, (Function, Partial, Instance, Choice)) and predictions:
            given = nodes_in(labels)
            if len(given) == len(losses):
                held = given[place]
            else:
                held = low.flow.add("placeholder", (), {GIVEN_LABELS: True}, origin)
            predicted = predictions[place] if len(predictions) == len(losses) else predictions[0]
            with _noted(low, node, "used as the loss here"):
                result = low.call(one, [held, predicted], node, scope)
            low.differentiate(result, "differentiated as the loss given to `compile`", origin)


@contextmanager
def _noted(low: Lowering, node: grammar.Syntax, note: str) -> Iterator[None]:
    """Say of what is called from an expression what it is for."""
    saved, low.noted = low.noted, (node, note)
    try:
        yield
    finally:
        low.noted = saved


def _library_loss(loss: Value | None) -> Value | None:
    """A Keras loss that is given by its name or as its function, as one to call; anything else as it is."""
    name = constant_of(loss)
    if isinstance(name, str):
        path = f"keras.losses.{name}"
        loss = Path(CLASSES_OF_LOSSES.get(path, path))
    known = isinstance(loss, Path) and canonical_path(loss.dotted) in SPELLINGS
    return Partial(loss, [], {}, widens=True) if isinstance(loss, Path) and known else loss


def _outputs(low: Lowering, model: Layer | Instance | Node, node: grammar.Syntax, scope: Scope) -> Value | None:
    """What a model computes: a functional model's outputs, another's call on an unknown batch."""
    if isinstance(model, Layer) and model.path == "Functional":
        return model.arguments.get("outputs")
    batch = low.flow.add("placeholder", (), {}, low.origin(node, scope))
    if isinstance(model, Layer) and model.path == "Sequential":
        return called(low, model, batch, node, scope)
    if isinstance(model, Instance) and isinstance(model.cls.find("call"), Function):
        return low.call(model, [batch], node, scope)
    return None
