"""Functions that call the functions given to them: conditionals, loops, maps, folds, `partial`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.source import containers, grammar
from tfnanlint.source.definitions import JIT_KEYWORDS
from tfnanlint.source.values import (
    Function,
    Items,
    Many,
    Partial,
    Scope,
    Table,
    Value,
    constant_of,
    is_vast,
    nodes_in,
    parts_of,
)

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering


NESTS = ("tf.nest", "tf.contrib.framework.nest", "keras.tree", "keras.utils.tree", "tree", "tf.python.util.nest")
"""The modules of functions of nested structures."""


def _partial(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    if not args.positional:
        return None
    return Partial(
        args.positional[0][0], [v for v, _ in args.positional[1:]], {k: v for k, (v, _) in args.keywords.items()}
    )


def _itself(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.function(f)` is f."""
    return args.positional[0][0] if args.positional and not isinstance(args.positional[0][0], Node) else None


def _traced(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.function(f)` is f, run as a graph."""
    function = _itself(low, args, node, scope)
    if not isinstance(function, Function):
        return function
    asked = [constant_of(args.keywords[name][0]) for name in JIT_KEYWORDS if name in args.keywords]
    return replace(
        function, decorators=(*function.decorators, "tf.function"), compiled=function.compiled or True in asked
    )


def _cond(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    results = []
    for branch, holds in ((args.get(1, "true_fn", "fn1"), True), (args.get(2, "false_fn", "fn2"), False)):
        if branch is not None:
            with low.under(args.get(0, "pred"), holds):
                results.append(low.call(branch, [], node, scope))
    return low.decided(args.get(0, "pred"), results, node, scope)


def _case(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.case` and `tf.switch_case`: one of the functions they are given."""
    given = args.get(0, "pred_fn_pairs") if "branch_index" not in args.keywords and len(args.positional) == 1 else None
    branches = given if given is not None else args.get(1, "branch_fns")
    if not isinstance(branches, (Items, Table)):
        return None
    values = branches.values if isinstance(branches, Items) else list(branches.entries.values())
    functions = [v.values[-1] if isinstance(v, Items) and v.values else v for v in values]
    default = args.keywords.get("default")
    functions += [default[0]] if default is not None else []
    return low.join([low.call(f, [], node, scope) for f in functions], node, scope)


def _map_fn(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    function, elements = args.get(0, "fn", "f"), args.get(1, "elems", "xs")
    if function is None or elements is None:
        return None
    with low.inside_loop():
        element = containers.structure_of(low, elements, node, scope)
        result = low.call(function, [element], node, scope)
    return containers.stacked(low, result, node, scope)


def _fold(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.foldl`, `tf.foldr`: the last value that is carried along."""
    function, elements = args.get(0, "fn"), args.get(1, "elems")
    if function is None or elements is None:
        return None
    start = args.get(2, "initializer")
    if start is None:
        start = containers.structure_of(low, elements, node, scope)

    def step(carried: Value) -> Value:
        element = containers.structure_of(low, elements, node, scope)
        return low.call(function, [carried, element], node, scope)

    return _carried(low, start, step, node, scope)


def _scan(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.scan`: all values that are carried along."""
    result = _fold(low, args, node, scope)
    return containers.stacked(low, result, node, scope) if result is not None else None


def _while_loop(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.while_loop`: its variables carried around its body."""
    condition, body, given = args.get(0, "cond"), args.get(1, "body"), args.get(2, "loop_vars")
    if body is None or given is None:
        return None
    several = isinstance(given, Items)

    def step(carried: Value) -> Value:
        variables = carried.values if several and isinstance(carried, Items) else [carried]
        if condition is not None:
            low.call(condition, variables, node, scope)
        result = low.call(body, variables, node, scope)
        alone = several and len(variables) == 1 and not isinstance(result, Items)
        return Items([result]) if alone else result

    return _carried(low, given, step, node, scope)


def _carried(low: Lowering, start: Value, step: Callable[[Value], Value], node: grammar.Syntax, scope: Scope) -> Value:
    """What a loop carries around, from its first values and one step."""
    carried = _loops(low, start, node, scope)
    with low.inside_loop():
        back = step(carried)
    if isinstance(carried, Items) and not isinstance(back, (Items, Table)):  # a step that nobody knows
        back = Items([low.unknown(node, scope, nodes_in(back)) for _ in carried.values])
    _connect(low, carried, back)
    return _left(low, start, carried, back, node, scope)


def _left(low: Lowering, start: Value, carried: Value, back: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """What is left after a loop: what there was before it, or what came around last."""
    if isinstance(carried, Items) and isinstance(start, Items) and isinstance(back, Items):
        rows = [*zip(start.values, carried.values, back.values, strict=False)]
        return Items([_left(low, *row, node, scope) for row in rows]) if len(rows) == len(carried.values) else carried
    if not isinstance(carried, Node) or carried.op != "loop":
        return carried
    joined = low.left_by_loop(start, back, [], node, scope)
    if not isinstance(joined, Node):
        return carried
    return joined if joined.op != "unknown" else carried


def _loops(low: Lowering, value: Value, node: grammar.Syntax, scope: Scope) -> Value:
    """A structure whose tensors change around a loop."""
    if isinstance(value, Node):
        return low.flow.add("loop", (value,), {}, low.origin(node, scope))
    if isinstance(value, Items):
        return Items([_loops(low, v, node, scope) for v in value.values])
    if isinstance(value, Table):
        return Table({k: _loops(low, v, node, scope) for k, v in value.entries.items()}, value.rest)
    return value


def _connect(low: Lowering, carried: Value, back: Value) -> None:
    """Join what comes around to what was carried."""
    if isinstance(carried, Node):
        if carried.op == "loop" and len(carried.operands) == 1 and isinstance(back, Node) and back is not carried:
            low.flow.connect(carried, back)
    elif isinstance(carried, Items) and isinstance(back, Items):
        for one, other in zip(carried.values, back.values, strict=False):
            _connect(low, one, other)
    elif isinstance(carried, Table) and isinstance(back, Table):
        for key in carried.entries.keys() & back.entries.keys():
            _connect(low, carried.entries[key], back.entries[key])


def _mapped(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.nest.map_structure`: a function of each tensor of a structure, or of several that are alike."""
    if len(args.positional) < 2 or args.starred is not None:
        return None
    function, *structures = [value for value, _ in args.positional]
    return _mapped_over(low, function, structures, node, scope)


def _mapped_over(
    low: Lowering, function: Value, structures: Sequence[Value], node: grammar.Syntax, scope: Scope
) -> Value:
    first = structures[0]
    if is_vast(first):
        return low.unknown(node, scope, [part for structure in structures for part in nodes_in(structure)])
    if isinstance(first, Items) and len(first.values) <= containers.UNROLLED and not low.crowded:
        columns = [s.values if isinstance(s, Items) else [s] * len(first.values) for s in structures]
        if all(len(column) == len(first.values) for column in columns):
            return Items([_mapped_over(low, function, row, node, scope) for row in zip(*columns, strict=True)])
    if isinstance(first, Table):
        rows = {
            key: [s.entries.get(key, s) if isinstance(s, Table) else s for s in structures] for key in first.entries
        }
        rest = [s.rest if isinstance(s, Table) and s.rest is not None else s for s in structures]
        return Table(
            {key: _mapped_over(low, function, row, node, scope) for key, row in rows.items()},
            _mapped_over(low, function, rest, node, scope) if first.rest is not None else None,
        )
    if isinstance(first, Many):
        elements = [containers.element_of(low, s, node, scope) for s in structures]
        return Many(low.call(function, elements, node, scope))
    return low.call(function, structures, node, scope)


def _flat(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.nest.flatten`: the tensors of a structure, in order."""
    structure = args.get(0, "structure")
    if structure is None:
        return None
    if isinstance(structure, Many):
        return structure
    parts: list[Value] = [part for part in parts_of(structure) if not isinstance(part, (Items, Table, Many))]
    known = isinstance(structure, (Items, Table)) and not any(isinstance(p, Many) for p in parts_of(structure))
    return Items(parts) if known else Many(structure) if isinstance(structure, Node) else None


def _packed(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.nest.pack_sequence_as`: a flat list, in the shape of a structure."""
    structure, flat = args.get(0, "structure"), args.get(1, "flat_sequence", "flat")
    if isinstance(flat, Many) and isinstance(structure, Node):
        return flat.element
    if not isinstance(flat, Items):
        return None
    given = iter(flat.values)

    def packed(like: Value) -> Value | None:
        if isinstance(like, Items):
            inner = [packed(v) for v in like.values]
            return Items([v for v in inner if v is not None])
        if isinstance(like, Table):
            return Table({k: v for k, held in like.entries.items() if (v := packed(held)) is not None})
        return next(given, None)

    return packed(structure) if structure is not None else None


COMBINATORS: Mapping[str, Callable[[Lowering, Arguments, grammar.Syntax, Scope], Value | None]] = {
    "functools.partial": _partial,
    "tf.function": _traced,
    "tf.recompute_grad": _itself,
    "tf.autograph.experimental.do_not_convert": _itself,
    "tf.autograph.to_graph": _itself,
    "functools.lru_cache": _itself,
    "tf.cond": _cond,
    "ops.cond": _cond,
    "tf.case": _case,
    "tf.switch_case": _case,
    "ops.switch": _case,
    "tf.while_loop": _while_loop,
    "ops.while_loop": _while_loop,
    "tf.map_fn": _map_fn,
    "tf.vectorized_map": _map_fn,
    "K.map_fn": _map_fn,
    "ops.map": _map_fn,
    "ops.vectorized_map": _map_fn,
    "tf.scan": _scan,
    **{f"{module}.map_structure": _mapped for module in NESTS},
    **{f"{module}.flatten": _flat for module in NESTS},
    **{f"{module}.pack_sequence_as": _packed for module in NESTS},
    "tf.foldl": _fold,
    "tf.foldr": _fold,
    "K.foldl": _fold,
    "K.foldr": _fold,
}
