"""Infinities that a program means: what it computes is infinite, and so is the exact result.

The log of a mask is what masks the sum in log space that it is added to: 0 where it lets through, -inf where not. A
quotient whose divisor has underflowed is too large for its type, however it is written; one that is capped is its bound
there. What a program asks after is no surprise to it either. All of this is about values only.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tfnanlint.facts.absorption import related
from tfnanlint.facts.bounded import bounded, no
from tfnanlint.flow import Node, behind
from tfnanlint.interval import Interval
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.facts.known import Known

ZERO = Interval.point(0.0)
ASKING = frozenset("is_nan is_inf is_finite check_numerics".split())
LOGS = frozenset({"log", "log2", "log10"})
TRUTHS = frozenset(
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_not logical_xor "
    "is_nan is_inf is_finite sequence_mask one_hot".split()
)
COMBINING = frozenset({"multiply", "minimum", "maximum", "phi"})
"""Ops that make a mask of masks."""
UNDERFLOWING = frozenset({"exp", "sigmoid", "softplus", "softmax", "erfc"})
"""Ops that are exactly 0 where their result is too small for its type, and nowhere else."""
TINY_AS_THEIR_OPERAND = frozenset("neg log1p expm1 cast identity convert_to_tensor reshape expand_dims squeeze".split())
"""Ops whose result is as small as a small operand."""
HANDED_ON = frozenset("identity convert_to_tensor cast reshape expand_dims squeeze getitem transpose".split())


def meant(facts: Known, node: Node) -> bool:
    """Whether the infinity of a node at the point where it breaks is what its exact value would be there."""
    if node.op in LOGS:
        return (_is_mask(node.operands[0]) and _only_added(facts, node)) or _rates_an_error(facts, node)
    if node.op == "divide" and _only_for_its_log(facts, node):
        return True
    return node.op == "divide" and (_overflows(facts, *node.operands[:2]) or _capped(facts, node))


@bounded(no)
def looked_for(facts: Known, node: Node, steps: int = 8) -> bool:
    """Whether the program asks if a value, or what it makes of it, is a number: it is prepared for either answer.

    A test asks it of what it computes itself and compares with what is expected.
    """
    if node in facts.flow.asserted and len(node.users) == 1 and not getattr(node.origin, "calls", ()):
        return True
    if any(user.op in ASKING for user in node.users):
        return True
    onward = [user for user in dict.fromkeys(node.users) if (row := OPS.get(user.op)) is not None and row.elementwise]
    return steps > 0 and any(looked_for(facts, user, steps - 1) for user in onward)


@bounded(no)
def _is_mask(node: Node) -> bool:
    """Whether every element of a value is 0 or 1."""
    if node.op in TRUTHS:
        return True
    if node.op == "const":
        return node.constant in (0, 1)
    row = OPS.get(node.op)
    if node.op in COMBINING:
        return bool(node.operands) and all(_is_mask(operand) for operand in node.operands if operand is not node)
    if node.op == "subtract":
        return node.operands[0].constant == 1 and _is_mask(node.operands[1])
    handed_on = node.op in HANDED_ON or (row is not None and row.moves and not row.operands[-1].startswith("*"))
    return handed_on and bool(node.operands) and node.operands[0].op != "const" and _is_mask(node.operands[0])


@bounded(no)
def _only_added(facts: Known, node: Node, steps: int = 6) -> bool:
    """Whether all that is done with a value is to add it to others, or to hand it on."""
    users = list(dict.fromkeys(node.users))
    if steps == 0 or not (users or node in facts.flow.kept):
        return False
    for user in users:
        if user.op in ("add", "add_n", "where", "reduce_logsumexp", "logaddexp"):
            continue
        if user.op == "subtract" and user.operands[0] is node and user.operands[1] is not node:
            continue
        if not (user.op in HANDED_ON and _only_added(facts, user, steps - 1)):
            return False
    return True


def _rates_an_error(facts: Known, log: Node) -> bool:
    """Whether a log is that of a mean squared error, turned round: the ratio of signal to noise is infinite at 0."""
    error = behind(log.operands[0], HANDED_ON)
    squared = behind(error.operands[0], HANDED_ON) if error.op == "reduce_mean" else error
    difference = behind(squared.operands[0], HANDED_ON) if squared.op == "square" else squared
    if squared.op != "squared_difference" and (squared.op != "square" or difference.op != "subtract"):
        return False
    node = log
    while len(users := [user for user in dict.fromkeys(node.users) if user.op != "gradient"]) == 1:
        user = users[0]
        if user.op == "neg" or (user.op == "subtract" and user.operands[1] is node):
            return True
        if user.op not in ("multiply", "divide", "cast"):
            return False
        factors = [operand.constant for operand in user.operands if operand is not node]
        if any(isinstance(factor, (int, float)) and factor < 0 for factor in factors):
            return True
        node = user
    return False


def _only_for_its_log(facts: Known, node: Node) -> bool:
    """Whether a number is divided by something that is not negative for its logarithm alone, which is infinite at 0."""
    number = node.operands[0].constant
    positive = isinstance(number, (int, float)) and number > 0
    logs = bool(node.users) and all(user.op in LOGS for user in node.users)
    held = facts.range(node.operands[1])
    from_zero = held.outer.lo == 0.0 or (held.seen is not None and held.seen == ZERO)
    return positive and logs and from_zero and node not in facts.flow.kept


def _capped(facts: Known, node: Node) -> bool:
    """Whether a quotient is kept below a bound, as in min(limit / norm, 1): where the divisor is 0 the bound holds."""
    dividend, divisor = node.operands[:2]
    if dividend.op not in ("input", "attribute", "variable") or facts.range(divisor).outer.lo < 0.0:
        return False
    if related(dividend, divisor):
        return False  # it is 0 with it
    return bool(node.users) and node not in facts.flow.kept and all(user.op == "minimum" for user in node.users)


def _overflows(facts: Known, dividend: Node, divisor: Node) -> bool:
    """Whether a quotient is infinite only because its divisor, not being 0, is too small for its type."""
    tiny = _underflowed(facts, divisor)
    if tiny is None:
        return False
    return all(
        _grows(facts, factor, tiny)
        for factor in _factors(dividend)
        if factor.op != "const" or factor.constant in (0, 0.0)
    )


@bounded(lambda facts, node: None)
def _underflowed(facts: Known, node: Node) -> Node | None:
    """The exponential, or its like, that makes a value 0 by underflow; None where anything else does."""
    held = facts.range(node)
    if node.op in UNDERFLOWING:
        return node if held.seen is not None and held.seen.lo == 0.0 else None
    if node.op in TINY_AS_THEIR_OPERAND:
        return _underflowed(facts, node.operands[0])
    if node.op == "phi":
        shown = [o for o in node.operands if facts.range(o).seen is not None]
        return _underflowed(facts, shown[0]) if len(shown) == 1 else None
    if node.op == "multiply":
        for factor, other in (node.operands, node.operands[::-1]):
            size = other.constant
            if isinstance(size, (int, float)) and size != 0 and math.isfinite(size):
                return _underflowed(facts, factor)
    return None


@bounded(lambda node: [node])
def _factors(node: Node) -> list[Node]:
    if node.op in ("multiply", "divide"):
        return [*_factors(node.operands[0]), *(_factors(node.operands[1]) if node.op == "multiply" else [])]
    return _factors(node.operands[0]) if node.op in ("neg", "identity", "convert_to_tensor") else [node]


def _grows(facts: Known, factor: Node, tiny: Node) -> bool:
    """Whether a factor of the dividend does not vanish where the divisor does."""
    if factor.op in UNDERFLOWING:
        x, y = factor.operands[0], tiny.operands[0]
        return any(a.op == "neg" and _may_be(a.operands[0], b) for a, b in ((x, y), (y, x)))
    seen = facts.range(factor).seen
    return facts.drawn(factor) or seen is None or 0.0 not in seen


def _may_be(node: Node, other: Node) -> bool:
    """Whether two values are the same on some path."""
    if node.value == other.value:
        return True
    return any(
        one.op == "phi" and any(o.value == two.value for o in one.operands)
        for one, two in ((node, other), (other, node))
    )
