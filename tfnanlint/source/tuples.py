"""Parameters that are tuples, of which nothing but their use tells: `outputs = args[0]`, `labels = args[1]`."""

from __future__ import annotations

import re

from tfnanlint.flow import Flow, Node

BEGINNING = re.compile(r"\w+\[:[^,:\[]+\]")
"""The text of a slice of the first elements: `args[:count]`."""


def mark_tuples(flow: Flow) -> None:
    """Mark the elements of parameters that the program does nothing with but name several of their elements.

    Each of them is an input of its own then, as where the program unpacks a tuple: `outputs, labels = args`. The
    element behind a slice of the first ones, as in `outputs, size = args[:count], args[count]`, is one of several, too.
    """
    for node in flow.nodes:
        if node.op not in ("input", "placeholder") or node.attrs.get("default") is not None:
            continue
        parts = [part for part in dict.fromkeys(node.users) if part in flow.named and _is_part(node, part)]
        single = {part: part.operands[1] for part in parts if "slices" not in part.attrs}
        places = {place.constant if place.op == "const" else place.value for place in single.values()}
        cuts = {part.operands[1].value for part in parts if part not in single}
        known = all(place.op == "const" or place.value in cuts for place in single.values())
        if len(parts) == len(set(node.users)) and known and len(places) + len(cuts) > 1:
            for part in single:
                part.attrs = {**part.attrs, "unpacked": True}


def _is_part(whole: Node, part: Node) -> bool:
    """Whether a value is an element of another one, or a slice of its first elements."""
    if part.op != "getitem" or len(part.operands) != 2 or part.operands[0] is not whole:
        return False
    text = part.attrs.get("slices")
    place = part.operands[1].constant
    return bool(BEGINNING.fullmatch(text)) if isinstance(text, str) else not isinstance(place, str)
