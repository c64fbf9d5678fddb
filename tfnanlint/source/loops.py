"""Loops: a body that is lowered once, with every tensor that it changes carried around."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
from tfnanlint.source import grammar
from tfnanlint.source.values import Jumps, Scope

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering


def turned(low: Lowering, body: Callable[[], bool], names: Sequence[str], expr: grammar.Syntax, scope: Scope) -> None:
    """A loop body lowered once; what it binds under `names` is carried around in a `loop` node."""
    carried: dict[str, Node] = {}
    first: dict[str, Node] = {}
    for name in names:
        held = scope.lookup(name)
        if isinstance(held, Node):
            first[name] = held
            carried[name] = low.flow.add("loop", (held,), {}, low.origin(expr, scope))
            low.bind(scope, name, carried[name])
    low.jumps.append(Jumps())
    assigned = dict(low.assigned)
    with low.inside_loop():
        left = body()
    low.assigned = {one: value for one, value in assigned.items() if low.assigned.get(one) is value}
    jumps = low.jumps.pop()
    around = [*([] if left else [scope.state()]), *jumps.continues]
    for name, loop in carried.items():
        back = low.join([end.get(name) for end in around], expr, scope)
        if isinstance(back, Node) and back is not loop:
            low.flow.connect(loop, back)
        joined = low.left_by_loop(first[name], back, [end.get(name) for end in jumps.breaks], expr, scope)
        low.bind(scope, name, joined if joined is not None else loop)
