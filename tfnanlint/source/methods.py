"""Methods of objects known by kind: tapes, optimisers, lists, layers, models, and what they differentiate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node, behind
from tfnanlint.source import (
    containers,
    distributions,
    gradients,
    grammar,
    layers,
    model_layers,
    models,
    numerics,
    precision,
    records,
    settings,
    streams,
    texts,
    weights,
)
from tfnanlint.source.arguments import Arguments
from tfnanlint.source.names import canonical_path
from tfnanlint.source.values import (
    Function,
    Instance,
    Items,
    Layer,
    Many,
    Method,
    Partial,
    Path,
    Scope,
    Table,
    Tape,
    Value,
    constant_of,
    is_object,
    nodes_in,
)

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

SHAPES = frozenset(("get_shape", "as_list"))
"""Methods that give the shape of a tensor, or a shape as a list."""
ASSIGNING = {"assign": "", "assign_add": "add", "assign_sub": "subtract"}
"""Methods that store a value in a variable: the op that makes it of what the variable held."""
TABLES = frozenset(("get", "pop", "values", "keys", "items"))
"""Methods of dictionaries."""
RUNNING = frozenset(("run", "experimental_run_v2", "call_for_each_replica"))
"""Methods of a strategy that call a function on every device."""
DISTRIBUTED = RUNNING | {"reduce", "all_reduce"}
KEEPING = frozenset(("tolist", "to_tensor", "as_numpy", "copy", "item"))
"""Methods that give the same values in another form."""
SLOT = "get_slot"
"""What gives the state that an optimizer keeps for a variable, which starts at 0."""
SLOTS = frozenset((SLOT, "add_slot", "add_variable_from_reference", "add_optimizer_variables"))
"""Methods of an optimizer that give what it keeps for each weight."""
CALLING = ("call", "__call__")
BASE = "layer of Keras above"
"""What an object holds of the Keras layer that it is: the layer, as its `__init__` was given its arguments."""
WEIGHTS = ("add_weight", "add_variable", "add_parameter")


def call(low: Lowering, method: Method, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A call of a method."""
    owner, name = method.owner, method.name
    if isinstance(owner, Tape):
        return _of_tape(low, owner, name, args, node, scope)
    if isinstance(owner, (Items, Many)) and name in streams.METHODS:
        return streams.method(low, owner, name, args, node, scope)
    if isinstance(owner, (Items, Many, Table)):
        return containers.method(low, owner, name, args, node, scope)
    if isinstance(owner, Node) and isinstance(text := constant_of(owner), str):
        return _of_text(low, text, name, args, node, scope)
    if name == "apply_gradients":
        low.flow.kept.update(args.nodes)  # they change the weights
        return low.unknown(node, scope)  # an operation, which has no value
    if name == SLOT and not isinstance(owner, Instance):
        return low.flow.add("placeholder", (), {"initializer": "zeros"}, low.origin(node, scope))
    if name == "add_loss" and args.positional:
        value = gradients.result(low, args.positional[0][0], node, scope)
        low.differentiate(value, "added to the model's loss by `add_loss`", low.origin(node, scope))
        return None
    if isinstance(owner, Layer):
        if owner.path.startswith(distributions.MARK):
            return distributions.method(low, owner, name, args, node, scope)
        return models.method(low, owner, name, args, node, scope)
    if isinstance(owner, Instance):
        return _of_instance(low, owner, name, args, node, scope)
    if name in gradients.OPTIMISING and (loss := args.get(0, "loss")) is not None:
        return gradients.minimised(low, name, loss, node, scope)
    if isinstance(owner, (Node, Path)) and name in DISTRIBUTED:
        return _distributed(low, name, args, node, scope)
    return _of_node(low, owner, name, args, node, scope) if isinstance(owner, Node) else None


def _of_text(low: Lowering, text: str, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A method of a known text, where its result is known."""
    given = {key: value for key, (value, _) in args.keywords.items()}
    made = texts.by_method(name, text, [value for value, _ in args.positional], given)
    return low.flow.constant(made, low.origin(node, scope)) if made is not None else None


def _of_node(
    low: Lowering, owner: Node, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A method of a tensor, or of an object of which nothing is known but its name."""
    if name == "map" and args.positional and _is_called(args.positional[0][0]):
        element = containers.element_of(low, owner, node, scope)
        return Many(streams.mapped(low, args.positional[0][0], element, node, scope))
    if name == "compile":
        models.compiled(low, owner, args, node, scope)
    if name == "gradient" and len(args.positional) >= 2:
        return gradients.of(low, args, node, scope, gradients.by_tape(node, name))
    if name == "backward":
        low.flow.read.add(owner)  # a tensor of PyTorch, on which Keras runs as well
    if name in SHAPES:
        return owner if owner.op == "shape" else low.flow.describe("shape", owner, low.origin(node, scope))
    if name in KEEPING:
        return owner
    if name in ASSIGNING and args.positional:
        return _assigned(low, owner, name, args, node, scope)
    if name in weights.SCATTERING:
        return _scattered(low, owner, name, args, node, scope)
    if name in numerics.METHODS and numerics.is_array(owner, args):
        return numerics.method(low, owner, name, args, node, scope)
    if name in TABLES and not isinstance(owner.constant, str):
        return _of_a_table(low, owner, name, args, node, scope)
    if name in ("read_value", "value", "numpy"):
        if name != "numpy" or owner.op == "const":
            return owner
        low.flow.read.add(owner)
        return low.flow.add("detached", (owner,), {}, low.origin(node, scope))
    return None


def _is_called(value: Value) -> bool:
    """Whether a value is a function that can be followed, and no object that may be anything."""
    return isinstance(value, (Function, Partial)) or (isinstance(value, Path) and is_object(value))


def _distributed(low: Lowering, name: str, args: Arguments, node: Any, scope: Scope) -> Value | None:
    """What a strategy computes on every device: a function of its replicas, or the sum of what they have."""
    if name in RUNNING:
        function, given, named = args.get(0, "fn"), args.get(1, "args"), args.named("kwargs")
        if function is None or not _is_called(function):
            return None
        positional = given.values if isinstance(given, Items) else [given] if given is not None else []
        keywords = {str(k): (v, node) for k, v in named.entries.items()} if isinstance(named, Table) else {}
        return low.apply(function, Arguments([(v, node) for v in positional], keywords), node, scope)
    value = args.get(1, "value")
    return value if isinstance(value, Node) else None


def _scattered(
    low: Lowering, owner: Node, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """What a variable holds once some of its rows were changed, which it keeps."""
    slices = args.get(0, "sparse_delta")
    if not isinstance(slices, Instance) or not {"values", "indices"} <= slices.attributes.keys():
        return None
    indices, given = slices.attributes["indices"], slices.attributes["values"]
    held = weights.scattered(low, owner, name, indices, given, node, scope)
    return _kept(low, owner, held, node, scope)


def _assigned(low: Lowering, owner: Node, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """What a variable holds once it was assigned to, which it keeps; no gradient comes through an assignment."""
    variable = _variable_of(low, owner)
    whole = _variable_of(low, behind(owner, {"getitem"}))
    if owner.op == "getitem" and whole.op == "variable":  # `mask[0, 1].assign(0.0)`: the rest stays as it is
        held = low.flow.add("phi", (whole, low.tensor(*args.positional[0], scope)), {}, low.origin(node, scope))
        weights.assign(low, whole, held)
        return _kept(low, whole, held, node, scope)
    held = weights.updated(low, owner, variable, ASSIGNING[name], args.positional[0], node, scope)
    return _kept(low, owner, held, node, scope)


def _variable_of(low: Lowering, owner: Node) -> Node:
    """The variable that holds a value, if one was assigned it."""
    return next((one for one, value in low.assigned.items() if value is owner), owner)


def _kept(low: Lowering, owner: Node, held: Node, node: grammar.Syntax, scope: Scope) -> Node:
    """A value that the variable of `owner` holds from now on."""
    variable = _variable_of(low, owner)
    if variable.op != "variable" or owner not in held.operands:  # what moves a weight leaves it trained
        held = low.flow.add("detached", (held,), {}, low.origin(node, scope))
        weights.assign(low, variable, held)
    if low.statement is node:  # and no operation of a graph, which is run later
        low.assigned[variable] = held
    return held


def _of_a_table(
    low: Lowering, owner: Node, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A method of something that may be a dictionary: what it holds under a key, or all that it holds."""
    if name in ("get", "pop"):
        default = _defaulted(args.positional[1][0]) if len(args.positional) == 2 else None
        asked = constant_of(args.positional[0][0]) if args.positional else None
        if default is not None or asked is None or (name == "pop" and not isinstance(asked, str)):
            return default  # a list gives another element with each `pop`
        key, expression = args.positional[0]
        return low.recall("getitem", (owner, low.tensor(key, expression, scope)), {}, low.origin(node, scope))
    held = low.flow.add("getitem", (owner,), {"place": DYNAMIC}, low.origin(node, scope))
    key = low.flow.add("input", (), {"name": "key"}, low.origin(node, scope))
    return {"values": Many(held), "keys": Many(key), "items": Many(Items([key, held]))}[name]


def _defaulted(default: Value) -> Value | None:
    """A setting that an unknown configuration may hold: its default, where that is a number or an object."""
    number = constant_of(default)
    return default if (isinstance(number, (int, float)) and number) or is_object(default) else None


def _of_tape(low: Lowering, tape: Tape, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    if name in ("gradient", "jacobian", "batch_jacobian"):
        if scope.kind == "module" or not gradients.may_be_traced(low):  # it runs eagerly, as if the numbers were read
            low.flow.read.update(nodes_in(args.get(0, "target")))
        return gradients.of(low, args, node, scope, gradients.by_tape(node, name), tape.opened)
    return None


def _of_instance(
    low: Lowering, owner: Instance, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """What an object of the module's own classes inherits from Keras."""
    if settings.is_parser(owner):
        return settings.of_parser(low, owner, name, args, node, scope)
    if name == "evaluate" and len(args.positional) == 1:  # of a test, in which it gives the numbers of a tensor
        return args.positional[0][0]
    if name == "__init__" and args.keywords.get("dtype") is not None:
        owner.attributes[precision.POLICY] = args.keywords["dtype"][0]
    if name in WEIGHTS:
        return weight(low, owner, args, node, scope)
    if name in SLOTS and any(is_optimizer(path) for path in owner.cls.ancestors()):
        return _slot(low, owner, name, args, node, scope)
    if name in ASSIGNING and len(args.positional) == 2 and isinstance(args.positional[0][0], Node):  # an optimizer's
        rest = Arguments(args.positional[1:], args.keywords, args.starred, args.ordered)
        return _assigned(low, args.positional[0][0], name, rest, node, scope)
    if name in ("__init__", *CALLING) and (inherited := layers.inherited(owner.cls)):
        if name == "__init__":
            owner.attributes[BASE] = layers.built(low, inherited, args, low.origin(node, scope), node, scope)
        elif args.positional:
            base = owner.attributes.get(BASE)
            made = base if isinstance(base, Layer) else Layer(inherited, {}, low.origin(node, scope))
            return layers.call_layer(low, made, args, node, scope)
    if name == "__call__" and weights.drawn_by_base(owner.cls):
        return low.flow.add("random_normal", args.nodes[:1], {"stddev": DYNAMIC}, low.origin(node, scope))
    if name in models.PREDICTING and is_model(owner) and args.positional:
        return models.predicted(low, low.call(owner, [args.positional[0][0]], node, scope), node, scope)
    if name == "get_layer" and is_model(owner):
        return model_layers.asked_for(low, owner, args, node, scope)
    if name == "compile" and is_model(owner):
        models.compiled(low, owner, args, node, scope)
    if name in models.FITTING and is_model(owner):
        models.stepped(low, owner, node, scope)
    if name == "_replace" and owner.cls.fields:
        return records.changed(owner, args)
    if name in gradients.OPTIMISING and (loss := args.get(0, "loss")) is not None:
        return gradients.minimised(low, name, loss, node, scope)
    return None


def is_optimizer(path: str) -> bool:
    """Whether a class outside of the program, by its path, is that of an optimizer."""
    return canonical_path(path).startswith(("keras.optimizers.", "tf.train.", "tf.optimizers."))


def _slot(low: Lowering, owner: Instance, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """What an optimizer keeps for a weight: zeros at first, and the same whenever it is asked for."""
    called = constant_of(args.get(1, "slot_name", "name"))
    key = f"slot {called}" if isinstance(called, str) else f"slot of {name}"
    if key not in owner.attributes:
        attrs = {"initializer": "zeros", "trainable": False, **({"name": called} if isinstance(called, str) else {})}
        owner.attributes[key] = low.flow.add("placeholder", (), attrs, low.origin(node, scope))
    held = owner.attributes[key]
    return Many(held) if name == "add_optimizer_variables" else held


def is_model(instance: Instance) -> bool:
    return not models.CLASSES.isdisjoint(map(canonical_path, instance.cls.ancestors()))


def weight(low: Lowering, owner: Instance, args: Arguments, node: grammar.Syntax, scope: Scope) -> Node:
    """A weight that a layer makes for itself, in the type the layer computes in."""
    attrs: dict[str, Any] = {}
    dtype = precision.of_object(low, owner)
    if dtype is not None:
        attrs["dtype"] = dtype
    return weights.made(low, args, attrs, low.origin(node, scope))
