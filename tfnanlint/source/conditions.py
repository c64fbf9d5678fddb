"""Conditions of a program: which values answer a question, and which questions are about shapes alone."""

from __future__ import annotations

from collections.abc import Sequence

from tfnanlint.flow import COMPARISONS, Node
from tfnanlint.source.values import Value

TRUTHS = frozenset(
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_not reduce_any reduce_all "
    "is_nan is_inf is_finite absent".split()
)
"""Ops whose result is true or false; `absent` asks whether a value is None."""


CHOICE = "choice"
"""Marks a comparison of a text: it may be true or false if callers choose, and is true where a script runs."""

OFFERED = "offered"
"""Marks the default of a setting for which the program offers other texts as well."""


def is_truth(value: Value | None) -> bool:
    """Whether a value is the answer to a question."""
    return isinstance(value, Node) and (value.op in TRUTHS or CHOICE in value.attrs or asks_for_eager_mode(value))


def asks_for_eager_mode(condition: Node) -> bool:
    """Whether a condition is `tf.executing_eagerly()`."""
    return condition.attrs.get("called") == "executing_eagerly"


def is_flag(value: Value | None) -> bool:
    """Whether a value is a parameter that is true or false by default."""
    return isinstance(value, Node) and value.op == "input" and isinstance(value.attrs.get("default"), bool)


def is_offered(value: Value | None) -> bool:
    """Whether a text is a default among others that the program offers."""
    return isinstance(value, Node) and OFFERED in value.attrs


def is_choice(operands: Sequence[Node]) -> bool:
    """Whether a comparison asks which of several texts a caller passed, and the text is not known."""
    texts = [operand for operand in operands if isinstance(operand.constant, str)]
    others = [operand for operand in operands if operand not in texts]
    return bool(texts) and not any(isinstance(other.attrs.get("default"), str) for other in others)


def is_shape_check(condition: Node) -> bool:
    """Whether a condition only checks a shape, which guards nothing; a check that a value is not empty would."""
    if condition.op in ("logical_and", "logical_or", "logical_not"):
        return all(map(is_shape_check, condition.operands))
    numbers = [operand.constant for operand in condition.operands]
    if condition.op not in COMPARISONS or 0 in numbers or (condition.op in ("greater_equal", "less") and 1 in numbers):
        return False
    asked = [operand.operands[0] if operand.op == "getitem" else operand for operand in condition.operands]
    return any(one.op in ("shape", "rank") for one in asked)


def refused(condition: Value | None) -> Value | None:
    """What a program refuses that raises an error under a condition.

    Of `not is_traced(x) and x <= 0` it is `x <= 0`: the other question says only whether this one can be asked.
    """
    if not isinstance(condition, Node) or condition.op != "logical_and":
        return condition
    asked = [operand for operand in condition.operands if operand.op != "unknown"]
    return refused(asked[0]) if len(asked) == 1 else condition
