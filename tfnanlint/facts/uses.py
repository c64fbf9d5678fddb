"""What the use of a value tells of it, where its making is out of sight."""

from __future__ import annotations

from tfnanlint.flow import Node
from tfnanlint.interval import UNKNOWN, Interval
from tfnanlint.ranges import Range

PROBABILITY = Range(
    UNKNOWN,
    Interval(0.0, 1.0),
    "a probability, as the logarithms of it and of its complement show; where it saturates it is 0 or 1",
    saturated=True,
)


def told_by_use(node: Node) -> Range | None:
    """The range that a program shows it takes a value for: y * log(p) + (1 - y) * log(1 - p) is one of probabilities."""
    if not any(_is_weighted_log(user, "log") for user in node.users):
        return None
    for user in node.users:
        minus = user.op == "subtract" and user.operands[1] is node and user.operands[0].constant == 1.0
        if minus and any(_is_weighted_log(log, "log") for log in user.users):
            return PROBABILITY
        if user.op == "neg" and any(_is_weighted_log(log, "log1p") for log in user.users):
            return PROBABILITY
    return None


def _is_weighted_log(node: Node, op: str) -> bool:
    return node.op == op and any(user.op == "multiply" for user in node.users)
