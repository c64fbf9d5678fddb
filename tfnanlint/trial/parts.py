"""Which parts of a flow matter for some of its values: what these are made of, and what is made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from tfnanlint.flow import Node

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

MOST_NODES = 3000
"""The most nodes of a part that is tried as a whole; of a larger one, windows around some of its candidates are."""
WINDOW = 240
"""The most nodes of a window."""
MOST_WINDOWS = 20
"""The most windows of a part."""


def reached(start: Iterable[Node], onward: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Some nodes, and all that lie onward of them."""
    found = set(start)
    stack = list(found)
    while stack:
        for node in onward(stack.pop()):
            if node not in found:
                found.add(node)
                stack.append(node)
    return found


def parts_of(facts: Facts, candidates: Iterable[Node]) -> Iterator[list[Node]]:
    """The parts of the flow that matter for some nodes: what they are made of, and what is made of them."""
    wanted = set(candidates)

    def needs(node: Node) -> tuple[Node, ...]:
        return (*node.operands, *asked_by(node, facts))

    onward = reached(wanted, lambda node: node.users)
    every = reached(onward, needs)
    seen: set[Node] = set()
    for start in sorted(onward, key=lambda n: n.index):
        if start in seen:
            continue
        part = reached([start], lambda node: [n for n in (*needs(node), *node.users) if n in every and n.op != "const"])
        seen |= part
        constants = {o for node in part for o in needs(node) if o.op == "const"}
        whole = sorted(part | constants, key=lambda n: n.index)
        if len(whole) <= MOST_NODES:
            yield whole
        else:
            yield from _windows([node for node in whole if node in wanted])


def asked_by(node: Node, facts: Facts) -> list[Node]:
    """What a run has to know besides a node's operands: lengths that are computed, and conditions."""
    flow = facts.flow
    found = [part for parts in flow.computed.get(node, {}).values() for part in parts]
    if node in flow.decided:
        found.append(flow.decided[node])
    return found + [condition for condition, _ in node.under]


def _windows(candidates: Sequence[Node]) -> Iterator[list[Node]]:
    """What stands nearest to each of some nodes of a large part, for as many of them as can be tried in time.

    The first of each op comes before the second of any: what there is a thousand times may be one thing each time.
    """
    met: Counter[str] = Counter()
    turns: list[tuple[int, int, Node]] = []
    for node in candidates:
        turns.append((met[node.op], node.index, node))
        met[node.op] += 1
    seen: set[Node] = set()
    count = 0
    for _, _, candidate in sorted(turns, key=itemgetter(0, 1)):
        if candidate in seen or count == MOST_WINDOWS:
            continue
        count += 1
        window = {candidate: None}
        waiting = [candidate]
        while waiting and len(window) < WINDOW:
            nearest, waiting = waiting, []
            for node in nearest:
                for other in (*node.operands, *sorted(node.users, key=seen.__contains__)):
                    if other not in window and len(window) < WINDOW:
                        window[other] = None
                        waiting.append(other)
        seen.update(window)
        yield sorted(window, key=lambda n: n.index)
