"""Methods of objects known by kind: tapes, optimisers, lists, layers, models, and what they differentiate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.source import containers, distributions, gradients, grammar, models, precision, settings, texts, weights
from tfnanlint.source.names import canonical_path
from tfnanlint.source.values import (
    Instance,
    Items,
    Layer,
    Many,
    Method,
    Scope,
    Table,
    Tape,
    Value,
    constant_of,
    is_object,
)

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

SHAPES = frozenset(("get_shape", "as_list"))
"""Methods that give the shape of a tensor, or a shape as a list."""
ASSIGNING = {"assign": "", "assign_add": "add", "assign_sub": "subtract"}
"""Methods that store a value in a variable: the op that makes it of what the variable held."""
TABLES = frozenset(("get", "pop", "values", "keys", "items"))
"""Methods of dictionaries."""
KEEPING = frozenset(("tolist", "to_tensor", "as_numpy", "copy", "item"))
"""Methods that give the same values in another form."""
SLOT = "get_slot"
"""What gives the state that an optimizer keeps for a variable, which starts at 0."""
WEIGHTS = ("add_weight", "add_variable", "add_parameter")


def call(low: Lowering, method: Method, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A call of a method."""
    owner, name = method.owner, method.name
    if isinstance(owner, Tape):
        return _of_tape(low, owner, name, args, node, scope)
    if isinstance(owner, (Items, Many, Table)):
        return containers.method(low, owner, name, args, node, scope)
    if isinstance(text := constant_of(owner) if isinstance(owner, Node) else None, str):
        given = {key: value for key, (value, _) in args.keywords.items()}
        made = texts.by_method(name, text, [value for value, _ in args.positional], given)
        return low.flow.constant(made, low.origin(node, scope)) if made is not None else None
    if name == "apply_gradients":
        return low.unknown(node, scope)  # an operation, which has no value
    if name == SLOT:
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
    if name in gradients.OPTIMISING and args.positional:
        return gradients.minimised(low, name, args, node, scope)
    if name == "compile" and isinstance(owner, Node):
        models.compiled(low, owner, args.get(1, "loss"), node, scope)
    if name == "gradient" and len(args.positional) >= 2 and isinstance(owner, Node):
        return gradients.of(low, args, node, scope, "`gradient` of the tape")
    if name == "backward" and isinstance(owner, Node):
        low.flow.read.add(owner)  # a tensor of PyTorch, on which Keras runs as well
    if isinstance(owner, Node) and name in SHAPES:
        return owner if owner.op == "shape" else low.flow.describe("shape", owner, low.origin(node, scope))
    if isinstance(owner, Node) and name in KEEPING:
        return owner
    if isinstance(owner, Node) and name in ASSIGNING and args.positional:
        return _assigned(low, owner, name, args, node, scope)
    if isinstance(owner, Node) and name in TABLES and not isinstance(owner.constant, str):
        return _of_a_table(low, owner, name, args, node, scope)
    if isinstance(owner, Node) and name in ("read_value", "value", "numpy"):
        if name == "numpy":
            low.flow.read.add(owner)
        return owner
    return None


def _assigned(low: Lowering, owner: Node, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """What a variable holds once it was assigned to, which it keeps."""
    value, expression = args.positional[0]
    given = low.tensor(value, expression, scope)
    low.flow.kept.add(given)
    if not ASSIGNING[name]:
        return given
    return low.flow.add(ASSIGNING[name], (owner, given), {}, low.origin(node, scope))


def _of_a_table(
    low: Lowering, owner: Node, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A method of something that may be a dictionary: what it holds under a key, or all that it holds."""
    if name in ("get", "pop"):
        default = _defaulted(args.positional[1][0]) if len(args.positional) == 2 else None
        if default is not None or not args.positional or constant_of(args.positional[0][0]) is None:
            return default
        key, expression = args.positional[0]
        return low.flow.add("getitem", (owner, low.tensor(key, expression, scope)), {}, low.origin(node, scope))
    held = low.flow.add("getitem", (owner,), {"place": DYNAMIC}, low.origin(node, scope))
    key = low.flow.add("input", (), {"name": "key"}, low.origin(node, scope))
    return {"values": Many(held), "keys": Many(key), "items": Many(Items([key, held]))}[name]


def _defaulted(default: Value) -> Value | None:
    """A setting that an unknown configuration may hold: its default, where that is a number or an object."""
    number = constant_of(default)
    return default if (isinstance(number, (int, float)) and number) or is_object(default) else None


def _of_tape(low: Lowering, tape: Tape, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    if name in ("gradient", "jacobian", "batch_jacobian"):
        return gradients.of(low, args, node, scope, f"`{name}` of the tape", tape.opened)
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
    if name == "__call__" and weights.drawn_by_base(owner.cls):
        return low.flow.add("random_normal", args.nodes[:1], {"stddev": DYNAMIC}, low.origin(node, scope))
    if name == "compile" and is_model(owner):
        models.compiled(low, owner, args.get(1, "loss"), node, scope)
    if name == "_replace" and owner.cls.fields:
        changed = {key: value for key, (value, _) in args.keywords.items()}
        return Instance(owner.cls, {**owner.attributes, **changed})
    if name in gradients.OPTIMISING and args.positional:
        return gradients.minimised(low, name, args, node, scope)
    return None


def is_model(instance: Instance) -> bool:
    return not models.CLASSES.isdisjoint(map(canonical_path, instance.cls.ancestors()))


def weight(low: Lowering, owner: Instance, args: Arguments, node: grammar.Syntax, scope: Scope) -> Node:
    """A weight that a layer makes for itself, in the type the layer computes in."""
    attrs: dict[str, Any] = {}
    dtype = precision.of_object(low, owner)
    if dtype is not None:
        attrs["dtype"] = dtype
    return weights.made(low, args, attrs, low.origin(node, scope))
