"""Lists and tuples of different things, told apart by where they are joined and cut.

`[*outputs, *labels]` is cut where the outputs end; a parameter of which `outputs = args[0]` and `labels = args[1]`
are taken is a tuple.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Flow, Node
from tfnanlint.source import grammar
from tfnanlint.source.values import Items, Scope, Value, nodes_in

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

BEGINNING = re.compile(r"\w+\[:[^,:\[]+\]")
"""The text of a slice of the first elements: `args[:count]`."""


def of_parts(
    low: Lowering, before: list[Value], value: Value, rest: list[tuple[Value, Any]], node: Any, scope: Scope
) -> Node:
    """A list with an unknown number of elements: `[*outputs, *labels]` has two parts, which the program cuts apart."""
    after = [held for held, _ in rest]
    starred = any(isinstance(element, grammar.StarredElement) for _, element in rest)
    parts = [*([Items(before)] if before else []), value, *(after if starred or not after else [Items(after)])]
    made = low.unknown(node, scope, [n for v in (*before, value, *after) for n in nodes_in(v)])
    if len(parts) == 2:
        low.halves[made] = (parts[0], parts[1])
    return made


def half(low: Lowering, owner: Node, key: Any, node: grammar.Subscript) -> Value | None:
    """The part of a list of two parts that a slice with one bound takes, or the last element of the second part."""
    if owner not in low.halves or len(node.slice) != 1:
        return None
    first, second = low.halves[owner]
    index = node.slice[0].slice
    if isinstance(index, grammar.Slice):
        if index.step is not None or (index.lower is None) == (index.upper is None):
            return None
        return first if index.lower is None else second
    return second.values[-1] if key == -1 and isinstance(second, Items) else None


def mark_tuples(flow: Flow) -> None:
    """Mark the elements of parameters of which the program does nothing but name, or reshape, several elements.

    Each of them is an input of its own then, as where the program unpacks a tuple: `outputs, labels = args`. The
    element behind a slice of the first ones, as in `outputs, size = args[:count], args[count]`, is one of several, too.
    """
    for node in flow.nodes:
        if node.op not in ("input", "placeholder") or node.attrs.get("default") is not None:
            continue
        used = [part for part in dict.fromkeys(node.users) if part in flow.named or _is_reshaped(part)]
        parts = [part for part in used if _is_part(node, part)]
        single = {part: part.operands[1] for part in parts if "slices" not in part.attrs}
        places = {place.constant if place.op == "const" else place.value for place in single.values()}
        cuts = {part.operands[1].value for part in parts if part not in single}
        known = all(place.op == "const" or place.value in cuts for place in single.values())
        if len(parts) == len(set(node.users)) and known and len(places) + len(cuts) > 1:
            for part in single:
                part.attrs = {**part.attrs, "unpacked": True}


def _is_reshaped(part: Node) -> bool:
    """Whether a program does nothing with a value but give it another shape."""
    return bool(part.users) and all(user.op == "reshape" for user in part.users)


def _is_part(whole: Node, part: Node) -> bool:
    """Whether a value is an element of another one, or a slice of its first elements."""
    if part.op != "getitem" or len(part.operands) != 2 or part.operands[0] is not whole:
        return False
    text = part.attrs.get("slices")
    place = part.operands[1].constant
    return bool(BEGINNING.fullmatch(text)) if isinstance(text, str) else not isinstance(place, str)
