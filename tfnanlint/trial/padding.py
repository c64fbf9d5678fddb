"""Which inputs have padded rows: the program masks what it computes of them, by a mask or by a comparison.

`loss(boxes) * mask` and `loss(boxes) * tf.cast(labels >= 0, tf.float32)` say that some boxes are padding, which is 0.
`tf.not_equal(tokens, 0)` says that the token 0 is padding, and `tf.reduce_max(boxes, -1) > 0` that some rows are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tfnanlint.flow import Node, behind, reached
from tfnanlint.trial.limits import CARRYING, NONE
from tfnanlint.trial.roles import INDICES, MASKS
from tfnanlint.trial.uses import KEYED, is_element, is_index, uses_of

BY_MASK = "mask"
"""The key of what a mask hides; what a comparison hides has the side of the limit on which the comparison fails."""
FAILING = {
    "greater_equal": ("below", "above"),
    "greater": ("at", "at"),
    "less_equal": ("above", "below"),
    "less": ("at", "at"),
    "not_equal": ("at", "at"),
}
"""The side on which a comparison fails, if its first operand is the input, and if its second one is."""
OPPOSITES = {"less": "greater_equal", "less_equal": "greater", "greater_equal": "less", "greater": "less_equal"}
OPPOSITES |= {"equal": "not_equal"}
"""The comparison that fails where another one holds."""


FOLDS = frozenset("reduce_max reduce_sum reduce_any reduce_mean norm reduce_euclidean_norm count_nonzero".split())
"""Ops over a row whose result is 0 for a row of zeros."""
MAGNITUDES = frozenset({"abs", "square", "cast"})
"""Ops that are taken of a row before that."""


def padded_in(nodes: Iterable[Node], role: Callable[[Node], str]) -> dict[str, set[Node]]:
    """What masks hide, by how: `BY_MASK`, or the side of `limits` on which a comparison of another input fails.

    `role` gives the role of an input.
    """
    hidden: dict[str, list[Node]] = {}
    selecting: list[Node] = []
    empty: set[Node] = set()
    for node in nodes:
        for value, mask, holding in _masked(node):
            empty.update(_hidden_where_zero(mask, holding))
            source, how = _selected_by(mask, holding, role)
            if how:
                hidden.setdefault(how, []).append(value)
                selecting.append(source)
    masks = reached(selecting, lambda at: at.operands)
    found = {how: reached(values, lambda at: at.operands) - masks for how, values in hidden.items()}
    if empty:
        found[BY_MASK] = found.get(BY_MASK, set()) | empty
    return found


def tokens_in(nodes: Iterable[Node]) -> frozenset[Node]:
    """The inputs of ids of which 0 is padding: the program tells it from all others, as `tf.not_equal(tokens, 0)` does.

    A batch may hold a row of padding, and never nothing but padding.
    """
    return frozenset(
        source
        for node in nodes
        if node.op == "not_equal" and any(operand.constant == 0 for operand in node.operands)
        for source in map(_source, node.operands)
        if _is_input(source) and any(is_index(user, place) for user, place in uses_of(source))
    )


def _masked(node: Node) -> Iterator[tuple[Node, Node, bool]]:
    """What an op may hide, the condition for that, and whether it hides where the condition holds."""
    if node.op == "multiply" and len(node.operands) == 2:
        left, right = node.operands
        yield from ((left, right, False), (right, left, False))
    elif node.op == "where" and len(node.operands) == 3:
        condition, chosen, otherwise = node.operands
        yield from ((chosen, condition, False), (otherwise, condition, True))


def _selected_by(mask: Node, holding: bool, role: Callable[[Node], str]) -> tuple[Node, str]:
    """The input that decides which rows a mask hides, and how; "" for a value that is no mask."""
    mask = _source(mask)
    comparison = OPPOSITES.get(mask.op, "") if holding else mask.op
    if comparison in FAILING and len(mask.operands) == 2:
        places = [place for place, operand in enumerate(mask.operands) if operand.op == "const"]
        if len(places) == 1:
            compared = 1 - places[0]
            source, side = _source(mask.operands[compared]), FAILING[comparison][compared]
            if not _is_input(source):
                return source, ""
            return source, NONE if side == "below" and role(source) == INDICES else side
    return mask, BY_MASK if not holding and _is_input(mask) and role(mask) in MASKS else ""


def _hidden_where_zero(mask: Node, holding: bool) -> Iterator[Node]:
    """The input of which a mask hides the rows that consist of zeros."""
    mask = _source(mask)
    comparison = OPPOSITES.get(mask.op, "") if holding else mask.op
    if comparison in ("greater", "not_equal") and mask.operands[1].constant == 0:
        fold = _source(mask.operands[0])
        source = _source(behind(fold.operands[0], MAGNITUDES)) if fold.op in FOLDS else fold
        if fold.op in FOLDS and _is_input(source):
            yield source


def _source(node: Node) -> Node:
    """The value whose numbers a value has."""
    while node.op in CARRYING and node.operands and not is_element(node):
        node = node.operands[0]
    return node


def _is_input(node: Node) -> bool:
    return node.op in KEYED or is_element(node)
