"""The dataflow around a hazard, small enough to draw: its inputs, and the values that are differentiated."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tfnanlint.finding import Bounds, Place, Value
from tfnanlint.ops import OPS
from tfnanlint.ops.row import EVERY, SOME

if TYPE_CHECKING:
    from tfnanlint.facts import Facts
    from tfnanlint.flow import Node
    from tfnanlint.match.captures import Match

_OP_WORDS = {"phi": "either branch", "loop": "in the loop", "getitem": "an element"}
"""What reports call the ops that no program names."""

MOST_CAUSES = 12
"""How many values before the hazard a slice holds: the nearest ones."""
MOST_EFFECTS = 4
"""How many values behind the hazard a slice holds: the first ones, and the one that is differentiated."""
FURTHEST = 2000
"""How many values are looked at on the way from the hazard to what is differentiated."""


def slice_of(match: Match, facts: Facts, place_of: Callable[[Any], Place | None]) -> tuple[Value, ...]:
    """The values around a match, operands before the values computed from them."""
    face = _faces(match)
    causes = _causes(match, face)
    effects = _effects(match, facts)
    goal = match.differentiated.node if match.differentiated is not None else None
    order = [*sorted(causes, key=lambda node: node.index), *effects]
    index = {node: number for number, node in enumerate(order)}
    values = []
    for number, node in enumerate(order):
        places = [index.get(face(operand), number) for operand in _data(node)]
        operands = tuple(dict.fromkeys(place for place in places if place < number))
        cut = any(place >= number for place in places)  # left out, or coming around a loop
        if number > index[match.root]:
            cut = number - 1 not in operands
            operands = (number - 1,)
        held = facts.range(node)
        known = node.op != "const" and not held.outer.unknown
        role = "hazard" if node is match.root else "matched" if node in match.matched else "other"
        values.append(
            Value(
                op=_name(node),
                role="differentiated" if node is goal and role == "other" else role,
                range=str(held.outer) if known else "",
                reason=held.reason if known else "",
                place=place_of(node.origin) if node.origin is not None else None,
                operands=operands,
                cut=cut,
                bounds=None if held.outer.unknown else (held.outer.lo, held.outer.hi),
                breaks=_breaks(match, node),
            )
        )
    return tuple(values)


def _breaks(match: Match, node: Node) -> tuple[Bounds, ...]:
    """Where the hazard's op is not finite in an operand: in its value, or in the gradient that is asked for."""
    row = OPS.get(match.root.op)
    if row is None or node not in match.root.operands:
        return ()
    place = match.root.operands.index(node)
    kinds = {"value"} if match.differentiated is None else {"value", "gradient"}
    found = (
        (broken.lo, broken.hi)
        for broken in row.breaks
        if broken.kind in kinds and broken.of in (SOME, EVERY) and row.operands[place : place + 1] == (broken.operand,)
    )
    return tuple(dict.fromkeys(found))


def _data(node: Node) -> tuple[Node, ...]:
    """The operands that carry data: no indices, no shapes, no names."""
    if node.op == "getitem":
        return node.operands[:1]
    return tuple(o for o in node.operands if o.op != "const" or isinstance(o.constant, (int, float)))


def _faces(match: Match) -> Callable[[Node], Node]:
    """Which of several nodes that hold the same value stands for all: one of the match, else the first to be asked."""
    faces = {node.value: node for node in (*match.matched, match.root)}

    def face(node: Node) -> Node:
        found = faces.setdefault(node.value, node)
        return found if found.index <= node.index else node

    return face


def _causes(match: Match, face: Callable[[Node], Node]) -> set[Node]:
    """The hazard's value and those nearest to it that it is computed from, the matched ones in any case."""
    found = {match.root, *match.matched}
    waiting = deque([match.root])
    seen = {match.root}
    while waiting and len(found) <= MOST_CAUSES:
        node = waiting.popleft()
        for operand in map(face, _data(node)):
            if operand not in seen and operand.index < match.root.index:
                seen.add(operand)
                waiting.append(operand)
                found.add(operand)
    return found


def _effects(match: Match, facts: Facts) -> list[Node]:
    """The shortest way from the hazard to what is differentiated, without either end's repetition."""
    if match.differentiated is None or match.differentiated.node is match.root:
        return []
    goal = match.differentiated.node
    came_from: dict[Node, Node] = {match.root: match.root}
    waiting = deque([match.root])
    while waiting and goal not in came_from and len(came_from) < FURTHEST:
        node = waiting.popleft()
        for user in node.users:
            if user not in came_from and facts.differentiated(user) is not None:
                came_from[user] = node
                waiting.append(user)
    if goal not in came_from:
        return []
    way = [goal]
    while came_from[way[-1]] is not match.root:
        way.append(came_from[way[-1]])
    way.reverse()
    way = [node for node in way if node not in match.matched]
    return way if len(way) <= MOST_EFFECTS else [*way[: MOST_EFFECTS - 1], way[-1]]


def _name(node: Node) -> str:
    """What a value is called in a picture: its op, a parameter's name, a constant's value."""
    if node.op == "const":
        text = repr(node.constant)
        return text if len(text) <= 20 else text[:17] + "..."
    name = node.attrs.get("name")
    if node.op == "input" and isinstance(name, str) and name:
        return name
    return op_word(node)


def op_word(node: Node) -> str:
    """What reports call the op of a value: a layer by its class, what no program names by what it does."""
    return str(node.attrs.get("kind") or _OP_WORDS.get(node.op, node.op))
