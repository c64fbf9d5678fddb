"""Control flow in a run: branches, optional arguments, loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.facts.recursion_limit import bounded, no
from tfnanlint.flow import COMPARISONS, Node
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.trial.run import Run

CHOSEN = frozenset({"input", "attribute", "unknown", "const"})
"""Nodes whose value a caller or code elsewhere chooses, and the numbers that they are compared with."""
REMAINDER = "floormod"
"""The op that tells whose turn it is."""
ARITHMETIC = frozenset("add subtract multiply divide floordiv floormod neg cast identity abs minimum maximum".split())
"""Ops by which a program computes one number from others."""
LAST = 99
"""The last arm of any `if`, `elif` chain."""


def chosen_place(run: Run, node: Node) -> int:
    """The position of the operand that a join takes.

    After a loop it is the value of the last iteration, because the loop runs at least once. Elsewhere the condition
    of the `if` decides, else the conditions under which the operands are computed. If several operands remain, the
    situation decides, and the run is marked as undecided.
    """
    turned = run.facts.flow.turned.get(node)
    if turned is not None:
        return turned
    condition = run.facts.flow.decided.get(node)
    decides = condition is not None and len(node.operands) == 2
    if condition is not None and decides:
        held = run.held(condition)
        if held is not None:
            return 0 if held else 1
    own = set(node.under)
    open_ = [
        place
        for place, operand in enumerate(node.operands)
        if not any(run.denies(condition, holds) for condition, holds in operand.under if (condition, holds) not in own)
    ]
    open_ = open_ or list(range(len(node.operands)))
    place = open_[min(max(run.arm - depth_of(node), 0), len(open_) - 1)]
    if len(open_) > 1:
        run.undecided = True
        if condition is not None and decides:  # another `if` with this condition goes the same way
            run.choices[condition.value] = place == 0
    return place


def depth_of(join: Node) -> int:
    """How many arms of an `if`, `elif` chain precede a join of the rest of the chain."""
    depth, at = 0, join
    while (
        outer := next((user for user in at.users if user.op == "phi" and user.operands[-1] is at), None)
    ) is not None:
        depth, at = depth + 1, outer
    return depth


@bounded(no)
def is_open(condition: Node) -> bool:
    """Whether a condition can go either way; a flag follows its default.

    A caller chooses where the code compares a parameter with a number, such as the order of a norm, and nobody knows
    how two unknown values compare. Code that runs every so many steps, from some step on, or by chance does run.
    """
    if condition.op == "input":
        return not isinstance(condition.attrs.get("default"), bool)
    if condition.op in ("logical_or", "logical_and", "logical_not"):
        return all(map(is_open, condition.operands))
    if condition.op in COMPARISONS and all(operand.op == "const" for operand in condition.operands):
        return False
    if condition.op in ("equal", "not_equal"):
        kinds = {operand.op for operand in condition.operands if operand.op != "unknown" or not operand.operands}
        if len(kinds) == 2 and kinds <= CHOSEN and "const" in kinds:
            return True
        return "const" in kinds and any(
            operand.op == REMAINDER or (operand.op in ARITHMETIC and _is_independent_of_data(operand))
            for operand in condition.operands
        )
    if condition.op in COMPARISONS:
        return all(map(_is_independent_of_data, condition.operands))
    return condition.op in ("unknown", "attribute")


@bounded(no)
def _is_independent_of_data(number: Node) -> bool:
    """Whether a number is one that a caller, a counter, a clock or chance gives, or computed of such numbers."""
    if number.op in ARITHMETIC:
        return not any(operand.op == "unknown" and operand.operands for operand in number.operands) and all(
            map(_is_independent_of_data, number.operands)
        )
    if number.op == "getitem":  # of a configuration, or what a loop counts
        return number.operands[0].op in ("input", "unknown") and not number.operands[0].operands
    if number.op == "variable":
        return number.attrs.get("trainable") is False
    drawn = number.op in OPS and OPS[number.op].random
    return (number.op in CHOSEN or drawn) and "default" not in number.attrs


def chosen(run: Run, node: Node, operands: list[Any]) -> Any:
    """The value of a join: that of the chosen operand."""
    return operands[chosen_place(run, node)]


def pull_choice(run: Run, node: Node, incoming: Any, operands: list[Any]) -> list[Any]:
    """The gradient of a join or a loop variable: it goes to the chosen operand."""
    place = chosen_place(run, node) if node.op == "phi" else 0
    return [incoming if at == place else None for at in range(len(operands))]


def is_absent(run: Run, node: Node, operands: list[Any]) -> bool:
    """Whether a value is None: an optional input is given, except if the situation takes the other branch."""
    asked = node.operands[0]
    if asked.op == "input" and asked.attrs.get("default", 0) is None:
        run.undecided = True
        return run.arm == LAST
    return operands[0] is None


def looped(run: Run, node: Node, operands: list[Any]) -> Any:
    """A loop variable in the first iteration; the run computes the others."""
    return operands[0]
