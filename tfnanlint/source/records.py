"""Records: objects of named tuples and data classes, whose fields are known by name and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.source import grammar
from tfnanlint.source.values import Class, Instance, Items, Scope, Value, constant_of

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering


def fields_of(instance: Instance) -> list[Value]:
    """The values of a record's fields, in order."""
    return [instance.attributes[name] for name in instance.cls.fields if name in instance.attributes]


def record(low: Lowering, cls: Class, args: Arguments, node: grammar.Syntax, scope: Scope) -> Instance:
    """An object of a class that has fields and no `__init__` of its own."""
    instance = Instance(cls)
    for name, (value, _) in zip(cls.fields, args.positional, strict=False):
        instance.attributes[name] = value
    instance.attributes.update({name: value for name, (value, _) in args.keywords.items()})
    for name in cls.fields:
        if name not in instance.attributes and (args.starred is not None or cls.find(name) is None):
            instance.attributes[name] = low.unknown(node, scope, args.nodes if args.starred is not None else ())
    return instance


def changed(record: Instance, args: Arguments) -> Instance:
    """A copy of a record in which the fields that are named have other values."""
    return Instance(record.cls, {**record.attributes, **{name: value for name, (value, _) in args.keywords.items()}})


def replaced(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`dataclasses.replace(record, field=value)`; of what is not known, the same."""
    held = args.positional[0][0] if args.positional else None
    return changed(held, args) if isinstance(held, Instance) else held


def indexed_slices(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.IndexedSlices(values, indices, dense_shape)`: rows of a tensor, and which ones they are."""
    cls = Class("IndexedSlices", Scope(None, "class"), [], low.file)
    cls.own_fields = ["values", "indices", "dense_shape"]
    return record(low, cls, args, node, scope)


def named_tuple(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`collections.namedtuple(name, fields)`."""
    given = args.get(1, "field_names")
    held = constant_of(given)
    names: list[Any] = []
    if isinstance(given, Items):
        names = [constant_of(v) for v in given.values]
    elif isinstance(held, str):
        names = held.replace(",", " ").split()
    elif isinstance(held, tuple):
        names = list(held)
    if not names or not all(isinstance(name, str) for name in names):
        return None
    cls = Class("namedtuple", Scope(None, "class"), [], low.file)
    cls.own_fields = names
    return cls
