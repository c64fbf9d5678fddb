"""Whether the 0 of a fold, of |x| or x * x, is ordinary: of a row of zeros, or of the difference of two unlike things.

One unknown number is 0 by chance only; a prediction that is perfect, or a pair of the same samples, is not.
"""

from __future__ import annotations

from tfnanlint.facts.handed import strip
from tfnanlint.flow import Node
from tfnanlint.ops import OPS
from tfnanlint.ranges import Range

FORMULA = frozenset({"const", "multiply", "divide"})
"""A difference to one of these is a term of a formula, and no comparison of two like things."""
ODD = frozenset("neg sin tan sinh asinh atan tanh erf".split())
"""Functions that are 0 where their argument is."""


def by_chance(node: Node, operands: list[Range]) -> bool:
    """Whether what is seen of a result is hit by chance: the 0 of |x| or x * x for one unknown number x."""
    row = OPS[node.op]
    if folds(node) and operands[0].seen is None:
        folded = _unscaled(node.operands[0])
        return not _differs(folded) and not _bent_difference(folded) and folded.op != "gradient"
    single = row.elementwise or row.moves or node.op == "reduce_min"  # made of one element, and not of a whole row
    return single and any(r.by_chance for r in operands if r.seen is not None)


def folds(node: Node) -> bool:
    """Whether an op folds the real line at 0, as magnitudes and even powers do."""
    if node.op == "pow" and isinstance(exponent := node.operands[1].constant, (int, float)):
        return exponent > 0 and exponent % 2 == 0
    return OPS[node.op].folds


def is_comparison(node: Node) -> bool:
    """Whether a value, however it is bounded, is 0 for equal pairs: of embeddings, or of the angles in a sine."""
    return _differs_in_kind(node) or _bent_difference(node)


def _unscaled(node: Node) -> Node:
    """What a value is a number times."""
    while node.op in ("multiply", "divide") and len(node.operands) == 2:
        x, y = node.operands
        if y.op == "const":
            node = x
        elif x.op == "const" and node.op == "multiply":
            node = y
        else:
            break
    return node


def _differs(node: Node) -> bool:
    """Whether a value is the difference of two unlike things: of labels and predictions, of two samples."""
    if node.op != "subtract" or any(_unscaled(operand).op in FORMULA for operand in node.operands):
        return False
    return not _parts(node)


def _parts(node: Node) -> bool:
    """Whether the operands of a node are parts of one value of which nothing is known: the ends of an interval, say."""
    picked = [operand for operand in map(strip, node.operands) if operand.op == "getitem" and not operand.attrs]
    if len(picked) == 2 and picked[0].operands[0].value == picked[1].operands[0].value:
        return all(len(one.operands) == 2 and isinstance(one.operands[1].constant, int) for one in picked)
    wholes = [_moved_from(operand) for operand in node.operands]
    if any(whole.op != "unknown" or len(whole.operands) != 1 for whole in wholes):
        return False
    first, second = (whole.operands[0] for whole in wholes)
    return first is second and first.op == "unknown"


def _bent_difference(node: Node) -> bool:
    """Whether a value is 0 where two unlike things are equal, being the sine, say, of their difference."""
    started = node
    while (inner := _unscaled(node)).op in ODD and inner.operands:
        node = inner.operands[0]
    return node is not started and _differs(_unscaled(node))


def _differs_in_kind(node: Node) -> bool:
    """Whether a value is the difference of two outputs of the same bounded function, as embeddings are compared."""
    if node.op != "subtract":
        return False
    first, second = map(_moved_from, node.operands)
    bounded = first.op in OPS and OPS[first.op].saturates
    return bounded and first.op == second.op and node.operands[0].value != node.operands[1].value


def _moved_from(node: Node) -> Node:
    """The value whose elements a value holds in another order, or some of them."""
    while (node := strip(node)).operands and node.op in OPS and OPS[node.op].moves:
        node = node.operands[0]
    return node
