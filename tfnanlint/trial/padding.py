"""Which inputs have padded rows: the program masks what it computes of them, by a mask or by a comparison.

`loss(boxes) * mask` and `loss(boxes) * tf.cast(labels >= 0, tf.float32)` say that some boxes are padding, which is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tfnanlint.flow import Node, reached
from tfnanlint.trial.limits import CARRYING, NONE
from tfnanlint.trial.uses import KEYED, is_element

BY_MASK = "mask"
"""The key of what a mask hides; what a comparison hides has the side of the limit on which the comparison fails."""
FAILING: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "greater_equal": (("below", NONE), ("above",)),
    "greater": (("at",), ("at",)),
    "less_equal": (("above",), ("below",)),
    "less": (("at",), ("at",)),
    "not_equal": (("at",), ("at",)),
}
"""The sides on which a comparison fails, if its first operand is the input, and if its second one is."""


def padded_in(nodes: Iterable[Node], is_mask: Callable[[Node], bool]) -> dict[str, set[Node]]:
    """What masks hide, by how: `BY_MASK`, or the sides of `limits` on which a comparison of another input fails.

    `is_mask` tells whether an input is a mask.
    """
    hidden: dict[str, list[Node]] = {}
    selecting: list[Node] = []
    for node in nodes:
        if node.op == "multiply" and len(node.operands) == 2:
            pairs = (node.operands, node.operands[::-1])
        elif node.op == "where" and len(node.operands) == 3:
            pairs = (node.operands[1::-1], node.operands[2::-2])
        else:
            continue
        for value, mask in pairs:
            source, kinds = _selected_by(mask, is_mask)
            for kind in kinds:
                hidden.setdefault(kind, []).append(value)
                selecting.append(source)
    if not hidden:
        return {}
    masks = reached(selecting, lambda at: at.operands)
    return {kind: reached(values, lambda at: at.operands) - masks for kind, values in hidden.items()}


def _selected_by(mask: Node, is_mask: Callable[[Node], bool]) -> tuple[Node, tuple[str, ...]]:
    """The input that decides which rows a mask hides, and how; nothing for a value that is no mask."""
    mask = _source(mask)
    if mask.op in FAILING and len(mask.operands) == 2:
        places = [place for place, operand in enumerate(mask.operands) if operand.op == "const"]
        if len(places) == 1:
            compared = 1 - places[0]
            source = _source(mask.operands[compared])
            return source, FAILING[mask.op][compared] if _is_input(source) else ()
    return mask, (BY_MASK,) if _is_input(mask) and is_mask(mask) else ()


def _source(node: Node) -> Node:
    """The value whose numbers a value has."""
    while node.op in CARRYING and node.operands and not is_element(node):
        node = node.operands[0]
    return node


def _is_input(node: Node) -> bool:
    return node.op in KEYED or is_element(node)
