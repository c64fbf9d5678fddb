"""Python's own functions of lists and dictionaries: `zip`, `enumerate`, `map`, `sum` and their kin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import COMPARISONS, Node
from tfnanlint.ops import OPS
from tfnanlint.source import containers, grammar
from tfnanlint.source.containers import UNROLLED, element_of, keywords, stacked
from tfnanlint.source.libraries import LIBRARY, library_of
from tfnanlint.source.values import Items, Many, Scope, Value, constant_of

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering


def _zip(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    given = [v for v, _ in args.positional]
    lists = [v for v in given if isinstance(v, Items)]
    if not given and isinstance(args.starred, Many) and isinstance(args.starred.element, Items):
        return Items([Many(column) for column in args.starred.element.values])
    if not given or args.starred is not None:
        return None
    if len(lists) == len(given):
        return Items([Items(list(row)) for row in zip(*[v.values for v in lists], strict=False)])
    return Many(Items([element_of(low, v, node, scope) for v in given]))


def _enumerate(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    if not args.positional:
        return None
    iterated, start = args.positional[0][0], args.get(1, "start")
    origin = low.origin(node, scope)
    first = constant_of(start) if start is not None else 0
    if isinstance(iterated, Items) and isinstance(first, int):
        numbered = enumerate(iterated.values, first)
        return Items([Items([low.flow.constant(i, origin), v]) for i, v in numbered])
    number = low.unknown(node, scope)
    if isinstance(start, Node) and first != 0:
        number = low.flow.add("add", (number, start), {LIBRARY: "builtins"}, origin)
    return Many(Items([number, element_of(low, iterated, node, scope)]))


def _listed(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`list` or `tuple` of a list."""
    given = args.positional[0][0] if args.positional else Items([])
    if isinstance(given, Items):
        return Items(list(given.values))
    if isinstance(given, Node) and given.op == "unknown":
        return Many(given)
    return given if isinstance(given, Many) else None


def repeated(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`itertools.repeat`: one value, as often as it says, or without end."""
    given = args.get(0, "object")
    if given is None:
        return None
    times = constant_of(args.get(1, "times"))
    return containers.repeated(low, Items([given]), times, node, scope) if isinstance(times, int) else Many(given)


def _reversed(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    given = args.positional[0][0] if args.positional else None
    if isinstance(given, Items):
        return Items(given.values[::-1])
    return given if isinstance(given, Many) else None


def _mapped(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    if len(args.positional) < 2:
        return None
    function, *lists = [v for v, _ in args.positional]
    if all(isinstance(v, Items) for v in lists) and not low.crowded:
        rows: Sequence[Any] = list(zip(*[v.values for v in lists if isinstance(v, Items)], strict=False))
        return Items([low.call(function, list(row), node, scope) for row in rows[:UNROLLED]])
    with low.inside_loop():
        elements = [element_of(low, v, node, scope) for v in lists]
        result = low.call(function, elements, node, scope)
    return stacked(low, result, node, scope) if isinstance(result, Node) else Many(result)


def _sum(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    given = args.positional[0][0] if args.positional else None
    if isinstance(given, Many):
        given = stacked(low, given.element, node, scope)
    if isinstance(given, Node) and given.op in OPS and len(args.positional) == 1:
        attrs = {"axis": 0, **_summed_by(given.operands if given.op == "stack" else [given])}
        return low.flow.add("reduce_sum", (given,), attrs, low.origin(node, scope))
    if not isinstance(given, Items) or not given.values:
        return None
    parts = [low.tensor(v, node, scope) for v in given.values]
    return low.flow.add("add_n", parts, _summed_by(parts), low.origin(node, scope))


def _summed_by(parts: Sequence[Node]) -> dict[str, str]:
    """The attribute for a sum that TensorFlow does not compute. It does not add truths up, as Python does."""
    held = "builtins" if all(part.op in COMPARISONS for part in parts) else library_of(parts)
    return {LIBRARY: held} if held else {}


LIST_FUNCTIONS: dict[str, Callable[[Lowering, Arguments, grammar.Syntax, Scope], Value | None]] = {
    "dict": keywords,
    "zip": _zip,
    "enumerate": _enumerate,
    "list": _listed,
    "tuple": _listed,
    "reversed": _reversed,
    "map": _mapped,
    "sum": _sum,
}
"""These functions, by name."""
