"""Whether replacing a non-finite value with a finite number is right, or hides the correct result.

The program may intend an infinity, or a later op may misread a 0. In these cases no change is better than a fix.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tfnanlint.facts import Facts
from tfnanlint.facts.kinds import GIVEN, HANDED_ON, is_indicator, knows
from tfnanlint.fix.departure import ASKING, nodes_of_repair
from tfnanlint.fix.dialect import NoFix
from tfnanlint.flow import Node, behind, reached
from tfnanlint.interval import Interval
from tfnanlint.match.captures import Match
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.trial.run import Run

_MADE_OF_A_NUMBER = frozenset({"constant", "convert_to_tensor", "cast"})
_VANISHING = frozenset("exp softmax sigmoid tanh elu celu erf erfc dropout".split())
"""Ops that reach the ends of their ranges only by rounding."""
STOPPED = (
    "finite, but without a gradient where it saturates; better: return logits and use a loss with from_logits=True"
)
_SATURATING = frozenset("sigmoid softmax hard_sigmoid".split())
"""Activations that saturate: bounding their result stops the gradient."""
_PICKING = frozenset("gather gather_nd boolean_mask where reduce_sum".split())
"""Ops that pick elements, as by their class: the log of what they pick is that of the activation's elements."""
_MADE_OF_PARTS = HANDED_ON | frozenset(
    "reduce_sum reduce_mean reduce_prod matmul matvec einsum multiply divide add add_n square sqrt cumsum phi".split()
)
MOST_PARTS = 60
"""How many values a divisor is made of are looked at."""
_POLES_AT_ZERO = frozenset("log log2 log10 rsqrt reciprocal".split())


def forbid_a_wrong_answer(match: Match, facts: Facts) -> None:
    """Raises `NoFix` where a repair that is not the same function gives a wrong answer, or hides a right one."""
    if _is_stated(match.root):
        raise NoFix("the operands are constants in the code; change them")
    if _is_of_divisor(match):
        _forbid_a_bound_of_a_constant(match.root.operands[-1], facts)
    if _compares_otherwise(match, facts):
        raise NoFix("the value is compared, and a finite replacement would change the comparison")
    if _is_of_divisor(match) and _underflows(match.root.operands[-1]):
        raise NoFix("the divisor is 0 only by rounding, and no constant can replace the large quotient")
    if _gives_zero(match, facts) and _feeds_a_pole(match.root):
        raise NoFix("the next op is infinite at 0, so a 0 in place of the infinity does not help")


def _forbid_a_bound_of_a_constant(divisor: Node, facts: Facts) -> None:
    """Raises `NoFix` where a divisor is 0 whatever the data is: no bound of it makes a quotient that is meant."""
    held = facts.range(divisor).outer
    if held.lo == held.hi == 0:
        what = "is the constant 0" if behind(divisor, _MADE_OF_A_NUMBER).constant == 0 else "is always 0"
        raise NoFix(f"the divisor {what}; change it, or ignore this finding if inf is intended")
    if divisor.op == "const" or _is_stated(divisor):
        raise NoFix("the divisor consists of constants, one of them 0; change them, or use `tf.math.divide_no_nan`")


def _is_stated(node: Node) -> bool:
    """Whether a value is computed from nothing but numbers that stand in the code."""
    stack, met = list(node.operands), {node}
    while stack and len(met) < MOST_PARTS:
        value = stack.pop()
        if value in met:
            continue
        met.add(value)
        row = OPS.get(value.op)
        if value.op != "const" and (row is None or row.random or not value.operands):
            return False
        stack += value.operands
    return not stack and bool(node.operands)


def stops_gradient(match: Match) -> bool:
    """Whether a guard bounds the log of an activation that saturates, so that its elements do not train there."""
    if not match.root.op.startswith("log") or not match.root.operands:
        return False
    stack, seen = [match.root.operands[0]], 0
    while stack and seen < MOST_PARTS:
        value = stack.pop()
        seen += 1
        if value.op in _SATURATING:
            return True
        if value.op in HANDED_ON or value.op in _PICKING:
            stack += value.operands
        elif value.op == "multiply":
            one, other = value.operands
            stack += [one] * _picks(other) + [other] * _picks(one)
        elif value.op == "subtract" and value.operands[0].constant == 1:
            stack.append(value.operands[1])
    return False


def _picks(factor: Node) -> bool:
    """Whether a factor may pick elements of another one: it is given, or made of zeros and ones.

    The densities of a mixture weigh its components, and a loss of logits does not know them.
    """
    given = behind(factor, HANDED_ON)
    return given.op in GIVEN - {"layer", "variable"} or is_indicator(given)


def _is_of_divisor(match: Match) -> bool:
    """Whether a repair has another quotient where the divisor itself, as the program computes it, is 0."""
    root, repaired = match.pattern.root, match.pattern.repaired
    if not isinstance(repaired, Node) or root.op not in ("divide", "reciprocal"):
        return False
    bound = repaired.operands[-1]
    return repaired.op == "divide_no_nan" or (bound.op == "maximum" and bound.operands[0] is root.operands[-1])


def _underflows(divisor: Node) -> bool:
    """Whether a divisor is 0 where exponentials or probabilities round to it, and far smaller numbers are ordinary."""
    stack = [divisor]
    met: set[Node] = set()
    while stack and len(met) < MOST_PARTS:
        node = stack.pop()
        if node in met:
            continue
        met.add(node)
        if node.op in _VANISHING:
            return True
        row = OPS.get(node.op)
        data = [operand for operand in node.operands if operand.op != "const"]
        if node.op in _MADE_OF_PARTS or (row is not None and row.elementwise and len(data) == 1):
            stack += data
    return False


def _gives_zero(match: Match, facts: Facts) -> bool:
    """Whether a repair gives 0 for a quotient whose divisor is 0."""
    repaired = match.pattern.repaired
    if isinstance(repaired, Node) and repaired.op == "divide_no_nan":
        return True
    return _is_of_divisor(match) and match.root.op == "divide" and knows(facts, match.root.operands[0], "zero_there")


def _compares_otherwise(match: Match, facts: Facts) -> bool:
    """Whether a value goes into comparisons alone, to which an infinity is as good as any number, or into one that
    would find a 0 where the infinity was.
    """
    root = match.root
    compared = [user.op in ASKING for user in root.users]
    if root not in facts.flow.kept and compared and all(compared):
        return True
    return any(compared) and _gives_zero(match, facts)


def meant(match: Match, facts: Facts) -> str:
    """The infinity that a bare op gives, where no gradient is taken and code beyond this is all that uses it; or ""."""
    if not _is_meant(match, facts):
        return ""
    from tfnanlint.ops.numeric import np

    assert match.failure is not None
    return "-inf" if np.any(np.isneginf(match.failure.run.values[match.root])) else "inf"


def _is_meant(match: Match, facts: Facts) -> bool:
    """Whether the program may mean to return an infinity."""
    if len(match.matched) > 1 or match.failure is None or facts.differentiated(match.root) is not None:
        return False
    return _has_a_pole(match.root, facts) and _hands_on(match.root, match.failure.run, facts)


def _has_a_pole(node: Node, facts: Facts) -> bool:
    """Whether an op is infinite at a point, as its exact value is: it does not overflow, nor is it 0 / 0."""
    if node.op == "divide":
        return 0.0 not in facts.range(node.operands[0]).outer
    row = OPS.get(node.op)
    if row is None or row.transfer is None or len(row.operands) != 1:
        return False
    points = [end for broken in row.breaks for end in (broken.lo, broken.hi) if math.isfinite(end)]
    return any(math.isinf(row.transfer(Interval.point(point), attrs=node.attrs).lo) for point in points)


def _hands_on(root: Node, run: Run, facts: Facts) -> bool:
    """Whether an infinity is returned as one or ends on the way, so that no NaN comes of it."""
    from tfnanlint.ops.numeric import np
    from tfnanlint.trial.arrays import is_finite

    stack, met = [root], {root}
    while stack:
        node = stack.pop()
        value, users = run.values[node], [user for user in node.users if user in run.values and user.op != "gradient"]
        if not isinstance(value, np.ndarray) or np.isnan(value).any() or not (users or node in facts.flow.kept):
            return False
        for user in users:
            row = OPS.get(user.op)
            if user in met or is_finite(run.values[user]):
                continue
            if (row is not None and "keepdims" in row.attrs) or _has_a_zero(user, node, facts):
                return False
            met.add(user)
            stack.append(user)
    return True


def _has_a_zero(product: Node, factor: Node, facts: Facts) -> bool:
    """Whether another factor is known to come to 0, where its product with an infinity is NaN."""
    held = [facts.range(other).outer for other in product.operands if other is not factor]
    return product.op == "multiply" and any(not one.unknown and 0.0 in one for one in held)


def _feeds_a_pole(root: Node) -> bool:
    """Whether a quotient goes into a logarithm, or under a fraction."""
    return any(
        user.op in _POLES_AT_ZERO or (user.op == "divide" and user.operands[1] is root and user.operands[0] is not root)
        for user in root.users
    )


def forbid_a_difference_of_infinities(match: Match) -> None:
    """Raises `NoFix` where an equivalent form takes the difference of values that are -inf in this program.

    `log(exp(a) + exp(b))` is -inf where both are, as at the start of a recursion over log-probabilities; there, their
    difference is NaN.
    """
    for node in nodes_of_repair(match.pattern):
        if node.op != "subtract" or any(one.op != "input" for one in node.operands):
            continue
        held = [match.captured.get(one.attrs["name"]) for one in node.operands]
        values = [one[0] for one in held if isinstance(one, tuple)]
        if any(_is_infinity(at) for at in reached(values, lambda at: at.operands)):
            raise NoFix(
                "both terms may be -inf, and their difference NaN; use `tf.reduce_logsumexp` of a stack of them"
            )


def _is_infinity(node: Node) -> bool:
    held = node.constant if node.op == "const" else None
    return isinstance(held, float) and math.isinf(held)
