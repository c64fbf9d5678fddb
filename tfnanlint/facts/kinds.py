"""What a value is besides its range: the output of a linear layer, a row of one element.

A rule asks for a kind by its word (`logits`, `single`); each is one function here, which answers yes only where the
program shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tfnanlint.facts.cancelling import is_cancelling
from tfnanlint.facts.recursion_limit import bounded, no
from tfnanlint.facts.vanishing import vanishes_with
from tfnanlint.flow import Node, ancestors, behind
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.facts.view import FactsView

LINEAR_LAYERS = frozenset(
    "Dense EinsumDense Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose Conv3DTranspose DepthwiseConv1D "
    "DepthwiseConv2D SeparableConv1D SeparableConv2D Convolution1D Convolution2D "
    "BatchNormalization LayerNormalization GroupNormalization".split()
)
"""Layers that add products of their (normalised) input and weights; an activation is an op of its own behind them."""
PRODUCTS = frozenset("matmul matvec tensordot einsum conv1d conv2d conv3d depthwise_conv2d".split())
HANDED_ON = frozenset("reshape squeeze expand_dims transpose identity cast getitem convert_to_tensor concat".split())
"""Ops behind which a value is still what it was."""

GIVEN = frozenset("input placeholder layer variable loop unknown".split())
"""Values that come from outside."""
SHAPES = frozenset("shape size rank range eye ones zeros".split())
"""Ops whose shape may depend on data, but whose elements do not."""
DRAWS = frozenset("random_normal random_uniform random_truncated_normal random_gamma".split())
"""Values from a continuum, whose first operand is their shape."""
SUMS = frozenset("reduce_sum segment_sum unsorted_segment_sum cumsum".split())
TESTS = frozenset(
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_not is_finite is_nan".split()
)
MOST_ANCESTORS = 200
REGULAR = frozenset({"inverse", "cholesky", "eye", "expm"})
"""Square matrices of full rank."""
SOLUTIONS = frozenset({"solve", "triangular_solve"})
"""Ops `solve(a, b)`: if `b` is such a matrix, the result is as regular as the inverse of `a`."""

OF_EACH = frozenset(
    "softmax log_softmax l2_normalize softmax_cross_entropy_with_logits sparse_softmax_cross_entropy_with_logits "
    "binary_crossentropy categorical_crossentropy sparse_categorical_crossentropy mean_squared_error "
    "mean_absolute_error kl_divergence poisson cosine_similarity hinge squared_hinge huber log_cosh".split()
)
"""Ops that give something for each row that they take."""
TOTALS = frozenset("reduce_sum reduce_max reduce_min norm".split())


def _is_weight(node: Node) -> bool:
    return behind(node, HANDED_ON).op == "variable"


@bounded(no)
def _logits(facts: FactsView, node: Node) -> bool:
    """What a layer with weights gives before any activation: both signs are ordinary."""
    node = behind(node, HANDED_ON - {"concat"})
    if node.op == "concat":
        return all(_logits(facts, operand) for operand in node.operands)
    if "logits" in _assumed(facts, node):
        return True
    if node.op == "layer":  # one that is not trained sums up, or projects
        return node.attrs.get("kind") in LINEAR_LAYERS and node.attrs.get("trainable") is not False
    if node.op in ("add", "bias_add") and len(node.operands) == 2:
        x, y = node.operands
        return (_logits(facts, x) and _is_weight(y)) or (_logits(facts, y) and _is_weight(x))
    return node.op in PRODUCTS and any(_is_weight(operand) for operand in node.operands)


@bounded(no)
def _single(facts: FactsView, node: Node) -> bool:
    """A row of one element, along the last axis."""
    if "single" in _assumed(facts, node):
        return True
    row = OPS.get(node.op)
    if node.op == "layer":
        return node.attrs.get("units") == 1 or getattr(node.origin, "last_size", None) == 1
    if row is not None and row.elementwise and len(row.operands) == 1 and node.operands:
        return _single(facts, node.operands[0])
    return False


@bounded(no)
def _count(facts: FactsView, node: Node) -> bool:
    """A number of elements: a sum of zeros and ones, or a length, which is 0 or 1 at least."""
    node = behind(node, HANDED_ON - {"getitem", "concat"})
    if "count" in _assumed(facts, node) or node.op in ("count_nonzero", "size"):
        return True
    if node.op == "getitem":
        return node.operands[0].op == "shape"
    if node.op == "bincount":
        return len(node.operands) == 1  # and no weights
    if node.op in ("minimum", "maximum", "multiply"):
        return all(_count(facts, operand) for operand in node.operands)
    return node.op in SUMS and is_indicator(node.operands[0])


def _cancelling(facts: FactsView, node: Node) -> bool:
    """A difference of sums, which rounding makes slightly less than 0."""
    return "cancelling" in _assumed(facts, node) or is_cancelling(node)


@bounded(no)
def is_indicator(node: Node) -> bool:
    """Whether a value is made of zeros and ones: a test that was cast, or an encoding of classes."""
    node = behind(node, HANDED_ON - {"concat"})
    if node.op == "multiply":
        return all(is_indicator(operand) for operand in node.operands)
    if node.op == "one_hot":
        return not {"on_value", "off_value"} & set(node.attrs)
    return node.op in TESTS or node.op in ("ones", "ones_like", "sequence_mask")


def _data(facts: FactsView, node: Node) -> bool:
    """A value that depends on what the program is given, not on shapes and constants alone."""

    def onward(at: Node) -> tuple[Node, ...]:
        if at.op in SHAPES:
            return ()
        return at.operands[1:] if at.op in DRAWS else at.operands  # of a draw, without its shape

    return any(at.op in GIVEN for at in ancestors(node, onward, MOST_ANCESTORS))


def _compiled(facts: FactsView, node: Node) -> bool:
    """A value that a function compiled by XLA computes, or computes with."""
    held = facts.flow.compiled
    return "compiled" in _assumed(facts, node) or node in held or any(user in held for user in node.users)


def _single_use(facts: FactsView, node: Node) -> bool:
    """A value whose difference from a number goes into one sum, or that XLA compiles."""
    differences = [user for user in node.users if user.op == "subtract" and user.operands[0].op == "const"]
    if len({difference.value for difference in differences}) != 1 or _compiled(facts, node):
        return True
    users = {user.value for difference in differences for user in difference.users if user.op != "gradient"}
    return len(users) <= 1


def _numbers(facts: FactsView, node: Node) -> bool:
    """Not the direct result of an activation, behind which Keras's losses find the logits again."""
    return node.op not in ("sigmoid", "softmax")


def _deficient(facts: FactsView, node: Node) -> bool:
    """A matrix that nothing shows to have full rank, as inverses and factors of matrices have."""
    node = behind(node, HANDED_ON)
    if node.op in SOLUTIONS and len(node.operands) > 1:
        node = behind(node.operands[1], HANDED_ON)
        if node.op == "multiply":  # the identity, repeated
            return not any(behind(operand, HANDED_ON).op in REGULAR for operand in node.operands)
    return node.op not in REGULAR


def _told(facts: FactsView, node: Node) -> bool:
    """A value of which something is known: its range, or what it comes from."""
    held = facts.range(node)
    return not held.outer.unknown or bool(held.reason)


def _selection(facts: FactsView, node: Node) -> bool:
    """What a mask selects, or what is computed from it element by element: empty if the mask holds nowhere."""

    def onward(at: Node) -> tuple[Node, ...]:
        row = OPS.get(at.op)
        of_each = at.op in OF_EACH or (at.op in TOTALS and at.attrs.get("axis") in (-1, 1))
        return at.operands if row is not None and (row.elementwise or of_each) else ()

    made_of = ancestors(node, onward, MOST_ANCESTORS)
    return any(at.op == "boolean_mask" or "selection" in _assumed(facts, at) for at in made_of)


def _zero_there(facts: FactsView, node: Node) -> bool:
    """A dividend that is 0 with its divisor, or whose quotient a test of the divisor chooses."""
    quotients = [user for user in node.users if user.op == "divide" and user.operands[0] is node]
    return "zero_there" in _assumed(facts, node) or any(
        0.0 in facts.range(one.operands[1]).outer and (vanishes_with(facts, node, one.operands[1]) or _is_chosen(one))
        for one in quotients
    )


def _is_chosen(quotient: Node) -> bool:
    """Whether a quotient goes only into `where`s whose conditions test what its divisor is made of."""
    made = {at.value for at in ancestors(quotient.operands[1]) if at.op != "const"}
    choices = [user for user in quotient.users if user.op != "gradient"]
    return bool(choices) and all(
        user.op == "where" and any(at.value in made for at in ancestors(user.operands[0])) for user in choices
    )


def _assumed(facts: FactsView, node: Node) -> tuple[str, ...]:
    assumption = facts.assumptions.get(node)
    return assumption.kinds if assumption is not None else ()


KINDS: dict[str, Callable[[FactsView, Node], bool]] = {
    "cancelling": _cancelling,
    "compiled": _compiled,
    "count": _count,
    "data": _data,
    "deficient": _deficient,
    "logits": _logits,
    "numbers": _numbers,
    "selection": _selection,
    "single": _single,
    "single_use": _single_use,
    "told": _told,
    "zero_there": _zero_there,
}


def knows(facts: FactsView, node: Node, kind: str) -> bool:
    """Whether a value is known to be of a kind."""
    return KINDS[kind](facts, node)
