"""Calls of ops: arguments bound to operands and static parameters by the signature that is spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops import HINTS, Op, Spelling
from tfnanlint.source import containers, grammar
from tfnanlint.source.arguments import Arguments, static
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.source.values import Items, Method, Origin, Scope, Value, constant_of

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering


def op_call(
    low: Lowering,
    op: Op,
    spelling: Spelling,
    name: str,
    args: Arguments,
    node: grammar.Syntax,
    scope: Scope,
    library: str = "",
) -> Value | None:
    """A call of an op: its arguments bound to operands and static parameters by the spelled signature.

    `library` computes it, where TensorFlow does not.
    """
    bound: dict[str, tuple[Value, grammar.Expression]] = {}
    if args.starred is not None or len(args.positional) > len(spelling.parameters):
        return None  # beyond what every generation takes by position
    for position, given in enumerate(args.positional):
        bound[spelling.parameters[position][0]] = given
    for keyword, given in args.keywords.items():
        canonical = spelling.canonical(keyword)
        if canonical is None:
            return None  # another generation's signature: better unknown than misread
        bound[canonical] = given
    operands: list[Node] = []
    pairs: list[tuple[Node, grammar.Expression]] = []
    for operand in op.operands:
        if operand not in bound:
            if operand.startswith("*"):
                return None
            break
        if operand.startswith("*") and "axis" in bound and isinstance(constant_of(bound[operand][0]), int):
            # the order of the first generation, `tf.concat(1, [x, y])`
            bound[operand], bound["axis"] = bound["axis"], bound[operand]
        value, expression = bound.pop(operand)
        parts = containers.elements(low, value, node, scope) if operand.startswith("*") else [value]
        for part in parts:
            number = op.takes.get(operand) == "shape" and isinstance(part, Items) and not part.values
            taken = low.flow.constant((), low.origin(node, scope)) if number else low.tensor(part, expression, scope)
            if spelling.through is not None:
                taken = low.flow.add(
                    spelling.through, (taken,), {}, low.origin(node, scope, arguments=((taken, expression),))
                )
            operands.append(taken)
            pairs.append((taken, expression))
    attrs = {key: static(value) for key, (value, _) in bound.items() if key not in HINTS and key not in op.operands}
    for key, default in spelling.defaults.items():
        attrs.setdefault(key, default)
    if library:
        attrs[LIBRARY] = library
    late = [key for key in bound if key in op.operands]
    if late or not operands or len(operands) < op.least:
        return None  # half typed, or another function than it seems
    keywords = {key: expression for key, (_, expression) in bound.items()}
    origin = low.origin(node, scope, arguments=tuple(pairs), keywords=keywords, spelling=name)
    made = low.flow.add(op.name, operands, attrs, origin)
    computed = {
        key: lengths
        for key, (value, _) in bound.items()
        if attrs.get(key) is DYNAMIC and key != "dtype" and (lengths := _lengths(low, value, node, scope))
    }
    if computed:
        low.flow.computed[made] = computed
    return made


def _lengths(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope) -> tuple[Node, ...]:
    """The values that a static parameter is computed of: the lengths of a shape, or the pairs of a padding in a row."""
    parts = [value]
    if isinstance(value, Items):
        listed = [one for part in value.values for one in (part.values if isinstance(part, Items) else [part])]
        parts = [low.tensor(part, node, scope) if isinstance(part, Method) else part for part in listed]
    return tuple(part for part in parts if isinstance(part, Node)) if all(isinstance(p, Node) for p in parts) else ()


def named_input(
    low: Lowering, args: Arguments, attrs: dict[str, Any], origin: Origin, place: int | None = None
) -> Node:
    """A placeholder, with what is given of it under the name that the call gives it, by keyword or at a position."""
    given = args.named("name") if place is None else args.get(place, "name")
    name = constant_of(given) if given is not None else None
    node = low.flow.add("placeholder", (), attrs if name is None else {**attrs, "name": name}, origin)
    if isinstance(name, str):
        low.know(name, node)
    return node
