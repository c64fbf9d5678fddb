"""The parts of a flow that matter for some of its values: what they depend on, and what depends on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from tfnanlint.flow import Node, reached
from tfnanlint.trial.limits import HANDING_ON

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

MOST_NODES = 3000
"""The most nodes of a part that is tried as a whole; in a larger one, windows around candidates are tried."""
WINDOW = 240
"""The most nodes of a window."""
MOST_HANDED = 12
"""The most nodes through which an unknown value is followed."""
MOST_WINDOWS = 20
"""The most windows of a part."""


def parts_of(facts: Facts, candidates: Iterable[Node]) -> Iterator[list[Node]]:
    """The connected parts of a flow that contain some nodes, what they depend on, and what depends on them."""
    wanted = set(candidates)

    def needs(node: Node) -> tuple[Node, ...]:
        return (*node.operands, *asked_by(node, facts))

    def around(node: Node) -> tuple[Node, ...]:
        return needs(node) if _is_shared(node) else (*needs(node), *node.users)

    updates = facts.flow.updates
    onward = reached(wanted, lambda node: [user for user in node.users if user not in updates])
    every = reached(onward, needs)
    seen: set[Node] = set()
    for start in sorted(onward, key=lambda n: n.index):
        if start in seen:
            continue
        part = reached([start], lambda node: [n for n in around(node) if n in every and n.op != "const"])
        seen |= {node for node in part if not _is_shared(node)}
        constants = {o for node in part for o in needs(node) if o.op == "const"}
        whole = sorted(part | constants, key=lambda n: n.index)
        if len(whole) <= MOST_NODES:
            yield whole
        else:
            yield from _windows([node for node in whole if node in wanted])


def _is_shared(node: Node) -> bool:
    """Whether a value comes from an unknown function, such as a setting read from a file, unchanged.

    Two computations are not one part only because both read this value; otherwise all functions of a module would be
    one part.
    """
    stack = [node]
    for _ in range(MOST_HANDED):
        if not stack:
            return True
        at = stack.pop()
        if at.op != "const" and not (at.op in HANDING_ON and at.operands) and (at.op != "unknown" or at.operands):
            return False
        stack += at.operands
    return False


def asked_by(node: Node, facts: Facts) -> list[Node]:
    """The nodes that a run needs besides a node's operands: computed lengths, and conditions."""
    flow = facts.flow
    found = [part for parts in flow.computed.get(node, {}).values() for part in parts]
    if node in flow.decided:
        found.append(flow.decided[node])
    return found + [condition for condition, _ in node.under]


def _windows(candidates: Sequence[Node]) -> Iterator[list[Node]]:
    """The nearest nodes of each candidate in a large part, for as many candidates as the limits allow.

    The first candidate of each op comes before the second of any: a thousand equal ops often repeat one formula. The
    last one comes second, because no later op can hide its failure.
    """
    count = Counter(node.op for node in candidates)
    met: Counter[str] = Counter()
    turns: list[tuple[int, int, Node]] = []
    for node in candidates:
        place = met[node.op]
        met[node.op] += 1
        turns.append((1 if 0 < place == count[node.op] - 1 else place + (place > 0), node.index, node))
    seen: set[Node] = set()
    made = 0
    for _, _, candidate in sorted(turns, key=itemgetter(0, 1)):
        if candidate in seen or made == MOST_WINDOWS:
            continue
        made += 1
        window = {candidate: None}
        waiting = [candidate]
        while waiting and len(window) < WINDOW:
            nearest, waiting = waiting, []
            for node in nearest:
                cut = (
                    len(node.operands) >= WINDOW
                )  # then its value comes from outside the window, not from its operands
                for other in (*(() if cut else node.operands), *sorted(node.users, key=seen.__contains__)):
                    if other not in window and len(window) < WINDOW:
                        window[other] = None
                        waiting.append(other)
        seen.update(window)
        yield sorted(window, key=lambda n: n.index)
