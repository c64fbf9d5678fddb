"""Python's functions of objects: their attributes by name, their types, namespaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.ops import OPS
from tfnanlint.source import grammar
from tfnanlint.source.values import (
    Class,
    Function,
    Instance,
    Items,
    Layer,
    Partial,
    Path,
    Scope,
    Table,
    Value,
    constant_of,
    nodes_in,
)

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

PYTHON_TYPES = frozenset(("list", "tuple", "dict", "str", "int", "float", "bool"))
"""The types that a program asks for to tell tensors from what holds them."""
ANY_NAME = "*"
"""What an object holds under names that are not known."""


def _attribute(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`getattr`: an attribute, or whatever it is given instead; any that was set by a name that is not known."""
    owner, name = args.get(0), constant_of(args.get(1))
    held = owner.attributes.get(ANY_NAME) if isinstance(owner, Instance) else None
    if held is not None and isinstance(owner, Instance) and (not isinstance(name, str) or not _has(owner, name)):
        return held
    return low.attribute(owner, name, node, scope) if owner is not None and isinstance(name, str) else None


def _has(owner: Instance, name: str) -> bool:
    return name in owner.attributes or owner.cls.find(name) is not None


def _has_attribute(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`hasattr`: an object of the program has what was stored in it; what it lacks may be a base's."""
    owner, name = args.get(0), constant_of(args.get(1))
    held = isinstance(owner, Instance) and isinstance(name, str) and _has(owner, name)
    return low.flow.constant(True, low.origin(node, scope)) if held else None


def _set_attribute(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`setattr`: an attribute of an object of the program, by a name that may not be known."""
    owner, name, value = args.get(0), constant_of(args.get(1)), args.get(2)
    if isinstance(owner, Instance) and value is not None:
        low.flow.kept.update(nodes_in(value))
        low.stores.put(owner.attributes, name if isinstance(name, str) else ANY_NAME, value)
    return None


def _attributes(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`vars`: the attributes of an object by their names."""
    owner = args.get(0)
    return Table(dict(owner.attributes)) if isinstance(owner, Instance) else None


def _is_instance(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`isinstance` of Python's own types: whether a value is a list, a dictionary or a text is often known."""
    value, asked = args.get(0), args.get(1)
    parts = asked.values if isinstance(asked, Items) else [asked]
    names = {part.dotted.removeprefix("builtins.") for part in parts if isinstance(part, Path)}
    if value is None or len(names) != len(parts) or not names <= PYTHON_TYPES:
        return None
    answer = _is_of(value, names)
    return low.flow.constant(answer, low.origin(node, scope)) if answer is not None else None


def _is_of(value: Value, names: set[str]) -> bool | None:
    """Whether a value is of one of Python's own types, where that is known."""
    if isinstance(value, Items):
        listed = names & {"list", "tuple"}
        return None if len(listed) == 1 else bool(listed)
    if isinstance(value, Table):
        return "dict" in names
    if isinstance(value, (Function, Partial, Layer)):
        return False
    if isinstance(value, Node) and (value.op in OPS or value.op == "layer") and value.op != "const":
        return False if names.isdisjoint(("int", "float", "bool")) else None
    held = constant_of(value)
    return type(held).__name__ in names if isinstance(held, str) else None


def _namespace(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`SimpleNamespace`: an object with the attributes that it is given."""
    given = {name: value for name, (value, _) in args.keywords.items()}
    return Instance(Class("SimpleNamespace", Scope(None, "class"), [], low.file), given) if given else None


OBJECTS: Mapping[str, Callable[[Lowering, Arguments, grammar.Syntax, Scope], Value | None]] = {
    "builtins.getattr": _attribute,
    "builtins.setattr": _set_attribute,
    "builtins.vars": _attributes,
    "builtins.hasattr": _has_attribute,
    "builtins.isinstance": _is_instance,
    "types.SimpleNamespace": _namespace,
}
"""The functions by their paths."""
