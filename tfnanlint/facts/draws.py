"""Values that are made of nothing but random draws and numbers: no row of them is all zeros, and no two are equal.

That a vector is zero, or a difference, is ordinary for data (padding, dead units, a pair of the same samples). For a
draw from a continuum it has probability 0, and so it has for whatever a program makes of draws alone. Nor is it
ordinary for the settings of an object: nobody gives a window of zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tfnanlint.facts.bounded import bounded, no
from tfnanlint.facts.handed import UNCHANGED
from tfnanlint.facts.kinds import DRAWS, GIVEN, MOST_ANCESTORS, SHAPES, knows
from tfnanlint.flow import Node, behind
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

SUMS = frozenset({"add", "subtract", "bias_add", "add_n", "complex"})
PRODUCTS = frozenset({"multiply", "divide"})
EXTREMES = frozenset({"reduce_max", "reduce_min"})
OF_ALL = frozenset("norm reduce_euclidean_norm reduce_sum reduce_mean reduce_max reduce_std reduce_variance".split())
"""Reductions that are 0 only where all that they reduce is, or all of it is equal."""
CHOICES = frozenset({"phi", "where"})
KEEPING = frozenset(
    "neg cast stop_gradient identity convert_to_tensor tanh atanh sinh abs square sqrt rsqrt norm "
    "reduce_euclidean_norm reduce_sum reduce_mean reduce_max reduce_min reduce_std reduce_variance l2_normalize "
    "real imag fft ifft rfft irfft irfft2d".split()
)
"""Ops of one tensor that are 0 only where a draw is."""
DIVISORS = frozenset("sqrt add maximum identity cast expand_dims reshape stop_gradient".split())
"""Ops that make a divisor of a magnitude."""
HANDED_ON = KEEPING | PRODUCTS | {"expand_dims", "reshape", "squeeze", "transpose", "getitem", "gather"}
"""Ops behind which a value is still made of the same weight."""


def drawn(facts: Known, node: Node, known: dict[Node, bool]) -> bool:
    """Whether a value is a draw from a continuum, or made of draws so that it is 0 with probability 0."""
    stack = [node]
    while stack:
        at = stack[-1]
        waiting = [o for o in at.operands if o not in known and o.index < at.index]
        if waiting and at.op not in DRAWS:
            stack.extend(waiting)
            continue
        known[at] = _is_drawn(facts, at, known)
        stack.pop()
    return known[node]


def _is_drawn(facts: Known, node: Node, known: dict[Node, bool]) -> bool:
    if node.op == "variable":
        return "drawn" in node.attrs
    if node.op in DRAWS:
        return not str(node.attrs.get("dtype", "")).startswith(("int", "uint"))
    if node.op == "unknown" and "seed" in node.attrs:  # given a seed, a shape and numbers, all that it can do is draw
        return not any(knows(facts, operand, "data") for operand in node.operands)
    held = [known.get(operand, False) for operand in node.operands]
    if node.op in OF_ALL and _to_an_extreme(node.operands[0]):
        return known.get(node.operands[0].operands[0], False)
    if not any(held) or _to_an_extreme(node):
        return False
    row = OPS.get(node.op)
    if node.op == "unknown":  # a function of draws and numbers; of data nothing goes into it
        return all(one or operand.op == "const" for one, operand in zip(held, node.operands, strict=True))
    if node.op in SUMS:  # of a draw and anything else; a weight that is trained comes to be what it is compared with
        return all(held) or any(one and not _of_weights(o) for one, o in zip(held, node.operands, strict=True))
    if node.op == "divide" and held[0]:
        return True
    if node.op in PRODUCTS:
        return all(one or _never_zero(facts, operand) for one, operand in zip(held, node.operands, strict=True))
    if node.op in CHOICES:
        chosen = list(zip(held, node.operands, strict=True))[1 if node.op == "where" else 0 :]
        if node.op == "phi":  # what a draw stands in for where it is not given is a start, and no row of data
            started = [behind(o, HANDED_ON).op in DRAWS if one else o.op == "input" for one, o in chosen]
            if all(started):
                return True
        return all(one or 0.0 not in facts.range(operand).outer for one, operand in chosen)
    if node.op in KEEPING:
        return held[0]
    if row is not None and row.moves:
        if row.operands[-1].startswith("*"):
            return all(one or 0.0 not in facts.range(o).outer for one, o in zip(held, node.operands, strict=True))
        return held[0]
    return False


def configured(facts: Known, node: Node) -> bool:
    """Whether a value is made of what a layer or a model is made with, with numbers and sizes."""
    return _made_of(facts, node, lambda at: at in facts.flow.configuration or at in facts.flow.settings)


def set_up(facts: Known, node: Node) -> bool:
    """Whether a value is made of what sets an object up, or is written out, with numbers and sizes: it is no data."""
    return _made_of(facts, node, lambda at: at in facts.flow.settings or isinstance(at.constant, tuple))


def _made_of(facts: Known, node: Node, is_setting: Callable[[Node], bool]) -> bool:
    """Whether a value is made of settings, one at least, with numbers and sizes."""
    found = False
    stack, met = [node], {node}
    while stack:
        at = stack.pop()
        if is_setting(at):
            found = True
        elif at.op not in SHAPES and at.op != "const":
            written = at.op == "stack" and all(operand.op == "const" for operand in at.operands)  # a row may be 0
            if written or at.op in GIVEN - {"unknown"} or not at.operands or len(met) > MOST_ANCESTORS:
                return False
            onward = set(at.operands) - met
            met |= onward
            stack += onward
    return found


def _to_an_extreme(node: Node) -> bool:
    """Whether a value is the distance of elements to their own extreme: 0 for one of them, and not for all."""
    if node.op != "subtract":
        return False
    x, end = (behind(operand, UNCHANGED) for operand in node.operands)
    return end.op in EXTREMES and behind(end.operands[0], UNCHANGED).value == x.value


def drawn_to_zero(magnitude: Node) -> bool:
    """Whether a magnitude of weights may be minimised, which draws them to 0: it does more than divide."""
    return _of_weights(magnitude) and not _only_divides(magnitude)


@bounded(no)
def _only_divides(node: Node, steps: int = 4) -> bool:
    """Whether all that is done with a value is to divide by it."""
    for user in node.users:
        divided = user.op in ("divide", "divide_no_nan") and user.operands[0] is not node
        if not (divided or user.op in ("rsqrt", "reciprocal")) and not (
            steps and user.op in DIVISORS and _only_divides(user, steps - 1)
        ):
            return False
    return bool(node.users)


def _of_weights(node: Node) -> bool:
    """Whether a value that is drawn is a weight, scaled or moved."""
    return behind(node, HANDED_ON).op == "variable"


def _never_zero(facts: Known, node: Node) -> bool:
    """Whether nothing shows that a factor may be 0."""
    held = facts.range(node)
    return (
        held.nonzero or 0.0 not in held.outer or (held.seen is None and not held.outer.unknown and held.outer.lo >= 0)
    )
