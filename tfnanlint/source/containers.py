"""Lists, tuples, dictionaries and records of values: made, grown, indexed, unpacked, iterated over.

A list whose elements are known is `Items`; one of unknown length whose elements are all alike is `Many`, or a
`stack` node where they are tensors. A dictionary is a `Table`; objects with named fields are `Instance`s.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import ALIKE, DYNAMIC, Node, is_mask
from tfnanlint.ops import OPS
from tfnanlint.source import grammar, indexing, literals, other_files, records, tuples, weights
from tfnanlint.source.conditions import is_offered
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.source.packages import is_ours
from tfnanlint.source.values import (
    Instance,
    Items,
    Layer,
    Many,
    Method,
    Path,
    Scope,
    Table,
    Value,
    choice_of,
    constant_of,
    is_none,
    is_vast,
    nodes_in,
    parts_of,
)

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

UNROLLED = 16
"""Over so many known elements a comprehension is lowered element by element."""
MOST_ENTRIES = 16
"""The most entries of a dictionary that are read as any of them under a key that is not known."""
LARGEST_LIST = 256
"""Beyond so many elements a list is no longer followed."""


def display(low: Lowering, node: Any, scope: Scope) -> Value:
    """A list or tuple as it is written."""
    values: list[Value] = []
    for at, element in enumerate(node.elements):
        value = low.expression(element.value, scope)
        if not isinstance(element, grammar.StarredElement):
            values.append(value)
        elif (known := elements_in_order(value)) is not None and len(values) + len(known) <= LARGEST_LIST:
            values += known
        else:
            rest = [(low.expression(e.value, scope), e) for e in node.elements[at + 1 :]]
            return tuples.of_parts(low, values, value, rest, node, scope)
    return Items(values, low.loop, low.life)


def dictionary(low: Lowering, node: grammar.Dict, scope: Scope) -> Value:
    """A dictionary as it is written."""
    table = Table({})
    for element in node.elements:
        value = low.expression(element.value, scope)
        if isinstance(element, grammar.DictElement):
            key = constant_of(low.expression(element.key, scope))
            if isinstance(key, (str, int)):
                table.entries[key] = value
            else:
                table.rest = value
        else:
            _update(low, table, value, node, scope)
    return table


def _update(low: Lowering, table: Table, value: Value, node: grammar.Syntax, scope: Scope) -> None:
    """All entries of another dictionary."""
    if isinstance(value, Table):
        table.entries.update(value.entries)
        table.rest = value.rest or table.rest
    else:
        table.rest = low.unknown(node, scope, nodes_in(value))


def keywords(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Table:
    """`dict(...)`."""
    table = Table({})
    for value, _ in args.positional:
        _update(low, table, value, node, scope)
    table.entries.update({name: value for name, (value, _) in args.keywords.items()})
    if args.starred is not None:
        table.rest = low.unknown(node, scope, args.nodes)
    return table


def subscript_key(low: Lowering, node: grammar.Subscript, scope: Scope) -> Any:
    """The index or key of a subscript, where it is known; else None."""
    return _key_of(_only_index(low, node, scope))


def _only_index(low: Lowering, node: grammar.Subscript, scope: Scope) -> Value | None:
    """What stands alone between the brackets; None for several indices, and for a slice."""
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, grammar.Index):
        return low.expression(node.slice[0].slice.value, scope)
    return None


def replaced(low: Lowering, owner: Node, value: Value, target: grammar.Subscript, scope: Scope) -> Node | None:
    """An array in which a mask chooses the elements that change: `x[np.isinf(x)] = 0`; None for other indices."""
    if len(target.slice) != 1 or not isinstance(target.slice[0].slice, grammar.Index):
        return None
    chosen = low.expression(target.slice[0].slice.value, scope)
    if isinstance(chosen, Node) and chosen.operands and _lists_places(chosen):
        chosen = chosen.operands[0]
    if not isinstance(chosen, Node) or not is_mask(chosen):
        return None
    operands = (chosen, low.tensor(value, target, scope), owner)
    return low.flow.add("where", operands, {LIBRARY: "numpy"}, low.origin(target, scope))


def _lists_places(node: Node) -> bool:
    """Whether a value lists the places at which a mask holds."""
    return node.attrs.get("called") == "nonzero" or (node.op == "where" and len(node.operands) == 1)


def _imported_key(low: Lowering, path: Path, node: grammar.Subscript, scope: Scope) -> Value:
    """The key that another module defines; where that is not read, the name of a constant stands for the constant."""
    defined = other_files.imported(low, path)
    if defined is not None or is_ours(path.dotted):
        return defined if defined is not None else path
    name = path.dotted.rpartition(".")[2]
    origin = low.origin(node, scope)
    return low.flow.constant(name, origin) if name.isupper() else low.recall("unknown", (), {"name": name}, origin)


def _key_of(value: Value | None) -> Any:
    """The constant that is a key, if the program offers no others; of a parameter, the text that is its default."""
    if isinstance(value, Node) and value.op == "input" and isinstance(default := value.attrs.get("default"), str):
        return default
    return constant_of(value) if not is_offered(value) else None


def subscript(low: Lowering, node: grammar.Subscript, scope: Scope) -> Value:
    """`owner[index]`."""
    owner = low.expression(node.value, scope)
    only = _only_index(low, node, scope)  # evaluated once: in `x[x[x[i]]]` each time would be two of the next one
    only = _imported_key(low, only, node, scope) if isinstance(only, Path) else only
    key = _key_of(only)
    if isinstance(owner, Method) and isinstance(owner.owner, Node):
        owner = low.tensor(owner, node.value, scope)
    if isinstance(owner, Instance) and owner.cls.fields:
        owner = Items(records.fields_of(owner))
    if isinstance(owner, Items):
        if isinstance(key, int) and -len(owner.values) <= key < len(owner.values):
            return owner.values[key]
        cut = _cut(low, owner, node, scope)
        return cut if cut is not None else element_of(low, owner, node, scope)
    if isinstance(owner, Many):
        return owner if isinstance(node.slice[0].slice, grammar.Slice) else element_of(low, owner, node, scope)
    if isinstance(owner, Table):
        return entry(low, owner, key, node, scope)
    if isinstance(owner, Node):
        if (half := tuples.half(low, owner, key, node)) is not None:
            return half
        if isinstance(key, str) and key in (stored := low.entries.get(owner.value, {})):
            return stored[key]
        if owner in low.comprehensions and isinstance(key, int) and not low.crowded:
            return low.comprehensions[owner].at(low, key)
        held = indexing.part(low, owner, node, scope) or indexing.widened(low, owner, node, scope)
        if held is not None:
            return held
        parts = {} if only is not None else {part: low.expression(part, scope) for part in _index_parts(node)}
        index = nodes_in(only) if only is not None else _nodes_of(parts)
        origin = low.origin(node, scope, arguments=((owner, node.value),))
        if (part := _stacked_at(owner, node)) is not None and len(node.slice) == 1:
            return part
        owner, index = (part, index[1:]) if part is not None else (owner, index)
        if isinstance(key, str) and owner.op == "cast" and owner.operands[0].op in ("input", "placeholder"):
            # Keras casts what a batch holds under each key
            held = low.recall("getitem", (owner.operands[0], *index), {}, origin)
            return low.recall("cast", (held,), owner.attrs, origin)
        if not any(map(_is_cut, node.slice)):
            return low.recall("getitem", (owner, *index), {}, origin)
        return low.flow.add("getitem", (owner, *index), {"slices": _text_of(low, node, parts)}, origin)
    if isinstance(owner, Method) and isinstance(owner.owner, Instance):  # of an attribute that another class sets
        return low.flow.add("unknown", (), {"name": owner.name}, low.origin(node, scope))
    return low.unknown(node, scope, nodes_in(owner))


def repeated(low: Lowering, listed: Value, times: Any, node: grammar.Syntax, scope: Scope) -> Value:
    """`[x] * n`: the elements of a list, over and over."""
    assert isinstance(listed, Items)
    if isinstance(times, int) and 0 <= times * len(listed.values) <= LARGEST_LIST:
        return Items(listed.values * times)
    element = low.join(listed.values, node, scope)
    return Many(element) if element is not None else low.unknown(node, scope)


def joined(low: Lowering, left: Items | Many, right: Items | Many, node: grammar.Syntax, scope: Scope) -> Value:
    """Two lists one after the other; one element stands for all where the order is not known."""
    first, second = elements_in_order(left), elements_in_order(right)
    if first is not None and second is not None:
        return Items([*first, *second][:LARGEST_LIST], low.loop, low.life)
    elements = [element_of(low, one, node, scope) for one in (left, right) if isinstance(one, Many) or one.values]
    element = low.join(elements, node, scope)
    return Many(element) if element is not None else Items([])


def elements_in_order(listed: Value | None) -> list[Value] | None:
    """The elements of a list, where their order is known.

    Layers of unknown number stand in their place once, as a loop over them is lowered: what comes after them decides
    what a model gives back.
    """
    if isinstance(listed, Items):
        return listed.values
    return [listed.element] if isinstance(listed, Many) and isinstance(listed.element, (Layer, Instance)) else None


def put(low: Lowering, owner: Items | Many, value: Value, node: grammar.Syntax, scope: Scope) -> None:
    """Replace an element of a list at an unknown position: any may be the new value, and those that are None are."""
    if isinstance(owner, Many):
        joined = None if is_none(owner.element) else low.join([owner.element, value], node, scope)
        owner.element = joined if joined is not None else value
        return
    joined_all = [value if is_none(held) else low.join([held, value], node, scope) for held in owner.values]
    owner.values[:] = [one for one in joined_all if one is not None]


def put_entry(low: Lowering, owner: Node, key: str, value: Value, node: grammar.Subscript, scope: Scope) -> None:
    """Store a value under a name in a dictionary that comes from outside: what it holds under others stays."""
    stored = low.entries.setdefault(owner.value, {})
    if key not in stored:  # what it still holds if only one arm of a condition stores something
        stored[key] = low.recall("getitem", (owner, *_index(low, node, scope)), {}, low.origin(node, scope))
    low.flow.kept.update(nodes_in(value))
    low.stores.put(stored, key, value)


def _index(low: Lowering, node: grammar.Subscript, scope: Scope) -> list[Node]:
    """The values in an index, for an op that takes a part."""
    return _nodes_of({part: low.expression(part, scope) for part in _index_parts(node)})


def _nodes_of(parts: Mapping[grammar.Expression, Value]) -> list[Node]:
    return [value for part in parts.values() for value in nodes_in(part)]


def _text_of(low: Lowering, node: grammar.Subscript, parts: Mapping[grammar.Expression, Value]) -> str:
    """A subscript with slices; a number stands for a name that is known to hold it: `x[:, i]` in a comprehension."""
    code = low.file.tree.code_for_node(node)
    text = " ".join(code.split())
    numbers = [constant_of(value) for value in parts.values()]
    told = zip(parts, numbers, strict=True)
    if "#" not in text and all(type(held) is not int or literals.number(part) == held for part, held in told):
        return text
    try:
        tree = ast.parse(f"({code}\n)", mode="eval").body  # a comment ends with its line
    except SyntaxError:  # of another version of Python
        return text
    assert isinstance(tree, ast.Subscript)
    held = iter(numbers)
    if isinstance(tree.slice, ast.Tuple):
        tree.slice.elts = [_with_numbers(cut, held) for cut in tree.slice.elts]
    else:
        tree.slice = _with_numbers(tree.slice, held)
    return ast.unparse(tree)


def _with_numbers(cut: ast.expr, numbers: Iterator[Any]) -> ast.expr:
    """A part of a subscript, with the next of these numbers in place of each expression that holds an integer."""

    def number(part: ast.expr | None) -> ast.expr | None:
        held = next(numbers) if part is not None else None
        return ast.Constant(held) if type(held) is int else part

    if isinstance(cut, ast.Slice):
        return ast.Slice(number(cut.lower), number(cut.upper), number(cut.step))
    return cut if isinstance(cut, ast.Constant) and cut.value is ... else number(cut) or cut


def _stacked_at(owner: Node, node: grammar.Subscript) -> Node | None:
    """What stands at a known place along the first axis of a stack."""
    first = node.slice[0].slice
    if owner.op != "stack" or owner.attrs.get("axis", 0) != 0 or not isinstance(first, grammar.Index):
        return None
    place = literals.number(first.value)
    many = len(owner.operands)
    return owner.operands[place] if isinstance(place, int) and many > 1 and -many <= place < many else None


def _cut(low: Lowering, owner: Items, node: grammar.Subscript, scope: Scope) -> Items | None:
    """A slice of a list, where its bounds are known."""
    part = node.slice[0].slice
    if len(node.slice) != 1 or not isinstance(part, grammar.Slice):
        return None
    bounds: list[int | None] = []
    for bound in (part.lower, part.upper, part.step):
        held = constant_of(low.expression(bound, scope)) if bound is not None else None
        if bound is not None and not isinstance(held, int):
            return None
        bounds.append(held)
    return Items(owner.values[slice(*bounds)]) if bounds[2] != 0 else None


def _index_parts(node: grammar.Subscript) -> list[grammar.Expression]:
    """The expressions in a subscript, bounds of slices included."""
    found: list[grammar.Expression] = []
    for element in node.slice:
        if isinstance(element.slice, grammar.Slice):
            found += [b for b in (element.slice.lower, element.slice.upper, element.slice.step) if b is not None]
        elif not _is_cut(element):
            found.append(element.slice.value)
    return found


def _is_cut(element: grammar.SubscriptElement) -> bool:
    """Whether a part of a subscript is a slice, or stands for all axes that no other part names."""
    return isinstance(element.slice, grammar.Slice) or isinstance(element.slice.value, grammar.Ellipsis)


def entry(low: Lowering, table: Table, key: Any, node: grammar.Syntax, scope: Scope) -> Value:
    """What a dictionary holds under a key: any of its values where the key is not known."""
    if isinstance(key, (str, int)) and key in table.entries:
        return table.entries[key]
    if isinstance(key, str) and isinstance(table.rest, Node) and table.rest.op == "input":  # a further argument
        table.entries[key] = low.flow.add("input", (), {"name": key}, table.rest.origin)
        return table.entries[key]
    if table.rest is not None and (key is not None or not table.entries):
        return another(low, table.rest, node, scope)
    if key is None and table.entries and table.rest is None:
        held = list(table.entries.values())
        chosen = choice_of(held) or (low.join(held, node, scope) if _are_alike(held) else None)
        if chosen is not None:
            return chosen
    return low.unknown(node, scope, nodes_in(table))


def _are_alike(values: list[Value]) -> bool:
    """Whether values are numbers, or dictionaries, so that any may stand for the others."""
    if len(values) > MOST_ENTRIES:
        return False
    return all(type(constant_of(one)) in (int, float) for one in values) or all(isinstance(v, Table) for v in values)


def element_of(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope, place: int | None = None) -> Value:
    """The element at a place of a value that is unpacked, or some element of one that is iterated over."""
    if isinstance(value, Items):
        parts = [element_of(low, part, node, scope) if weights.is_list(part) else part for part in value.values]
        joined = low.join(parts, node, scope)
        return joined if joined is not None else low.unknown(node, scope)
    if isinstance(value, Many):
        return another(low, value.element, node, scope)
    if isinstance(value, Node):
        origin = low.origin(node, scope)
        if place is None:
            return low.flow.add("getitem", (value,), {"place": DYNAMIC}, origin)
        if (held := indexing.element(low, value, place, origin)) is not None:
            return held
        if value in low.comprehensions and not low.crowded:
            return low.comprehensions[value].at(low, place)
        several = _is_given(value) or (value.attrs.get("place") is DYNAMIC and _is_given(value.operands[0]))
        attrs = {"unpacked": True} if several else {}
        return low.flow.add("getitem", (value, low.flow.constant(place, origin)), attrs, origin)
    if weights.is_list(value):
        return weights.some(low, node, scope)
    whole = low.unknown(node, scope, nodes_in(value))
    return whole if place is None else element_of(low, whole, node, scope, place)


def _is_given(value: Node) -> bool:
    """Whether a value comes from outside and may be a tuple, each element of which is an input of its own."""
    given = value.op in ("input", "placeholder") and value.attrs.get("default") is None
    return value.op == "unknown" or given or bool(value.attrs.get("unpacked"))


def has_elements(value: Node) -> bool:
    """Whether a value is a tensor, or a tuple from outside: its elements differ; those of an unknown list need not."""
    entry_of_table = value.op == "getitem" and isinstance(value.operands[-1].constant, str)
    return (value.op in OPS and not entry_of_table) or _is_given(value)


def another(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """One more value like a given one: the tensors in it are alike, but not the same."""
    if is_vast(value):
        return low.unknown(node, scope, nodes_in(value))
    if isinstance(value, Node):
        if value.op == "const":
            return value
        return low.flow.add("getitem", (value,), {"place": DYNAMIC, ALIKE: True}, low.origin(node, scope))
    if isinstance(value, Items):
        return Items([another(low, v, node, scope) for v in value.values])
    if isinstance(value, Table):
        return Table({k: another(low, v, node, scope) for k, v in value.entries.items()}, value.rest)
    return value


def structure_of(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """One element of each tensor in a structure of them, as mapping functions take them."""
    if is_vast(value):
        return low.unknown(node, scope, nodes_in(value))
    if isinstance(value, Items):
        return Items([structure_of(low, v, node, scope) for v in value.values])
    if isinstance(value, Table):
        return Table({k: structure_of(low, v, node, scope) for k, v in value.entries.items()}, value.rest)
    return element_of(low, value, node, scope)


def stacked(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """Many values like a given one, each of the tensors in it stacked."""
    if is_vast(value):
        return low.unknown(node, scope, nodes_in(value))
    if isinstance(value, Node):
        return low.flow.add("stack", (value,), {}, low.origin(node, scope))
    if isinstance(value, Items):
        return Items([stacked(low, v, node, scope) for v in value.values])
    if isinstance(value, Table):
        return Table({k: stacked(low, v, node, scope) for k, v in value.entries.items()}, value.rest)
    return value


def elements(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope) -> list[Value]:
    """What an op that takes a list of tensors takes: two of those that a comprehension over unknown elements gives."""
    if isinstance(value, Items):
        return value.values
    if isinstance(value, Node) and value.op == "stack" and len(value.operands) == 1 and not value.attrs:
        element = value.operands[0]
        return [element, another(low, element, node, scope)]
    return [value]


def unpacked(low: Lowering, value: Value, count: int, starred: bool) -> list[Value] | None:
    """The values that `a, b = value` gives, where they are known one by one."""
    if isinstance(value, Instance) and value.cls.fields:
        value = Items(records.fields_of(value))
    if isinstance(value, Items) and len(value.values) == count and not starred:
        return value.values
    return None


# Methods and builtins.


def method(
    low: Lowering, owner: Items | Many | Table, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A call of a list's or dictionary's method."""
    if isinstance(owner, Items) and name in ("append", "extend") and args.positional:
        grow(low, owner, args.positional[0][0], name, node, scope)
        return None
    if not isinstance(owner, Table):
        return None
    if name in ("get", "pop", "setdefault"):
        key = _key_of(args.get(0))
        default = args.get(1)
        if key not in owner.entries and name == "setdefault" and default is not None and isinstance(key, (str, int)):
            owner.entries[key] = default
        known = not args.positional or isinstance(key, (str, int))
        if known and key not in owner.entries and owner.rest is None:
            return default
        if isinstance(key, str) and key not in owner.entries and type(number := constant_of(default)) in (int, float):
            setting = low.flow.add("input", (), {"name": key, "default": number}, low.origin(node, scope))
            low.flow.settings.add(setting)  # what a caller may give, by a name that says what it is
            return setting
        return entry(low, owner, key, node, scope)
    if name == "update":
        for value, _ in args.positional:
            if not any(part is owner for part in parts_of(value)):
                _update(low, owner, value, node, scope)
        owner.entries.update({key: value for key, (value, _) in args.keywords.items()})
        return None
    if name == "copy":
        return Table(dict(owner.entries), owner.rest)
    keys = [low.flow.constant(k, low.origin(node, scope)) for k in owner.entries]
    if owner.rest is not None and not owner.entries:
        unknown = low.unknown(node, scope)
        rows = {"keys": unknown, "values": owner.rest, "items": Items([unknown, owner.rest])}
        return Many(rows[name]) if name in rows else None
    columns: dict[str, list[Value]] = {
        "keys": list(keys),
        "values": list(owner.entries.values()),
        "items": [Items([k, v]) for k, v in zip(keys, owner.entries.values(), strict=True)],
    }
    return Items(columns[name]) if name in columns and owner.rest is None else None


def grow(low: Lowering, owner: Items, added: Value, name: str, node: grammar.Syntax, scope: Scope) -> None:
    """`append` or `extend` of a known list, up to a size; a list that would come to hold itself stays as it is."""
    new = list(added.values) if name == "extend" and isinstance(added, Items) else [added]
    # A loop that adds to it once adds to it again, and so does a method that is called again.
    if low.loop != owner.loop or owner.life not in (None, low.life):
        new += [another(low, v, node, scope) for v in new]
    if len(owner.values) + len(new) <= LARGEST_LIST and not any(part is owner for v in new for part in parts_of(v)):
        owner.values.extend(new)
