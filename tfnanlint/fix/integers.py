"""Fixes of integer operands: TensorFlow cannot combine integers with a float epsilon."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from tfnanlint.facts import Facts
from tfnanlint.fix.departure import nodes_of_repair
from tfnanlint.fix.dialect import NoFix
from tfnanlint.flow import Node, behind
from tfnanlint.match.captures import Match
from tfnanlint.match.unify import TRANSPARENT
from tfnanlint.ops import OPS
from tfnanlint.source.libraries import LIBRARY

LITERALS = (cst.Integer, cst.Float)
"""Syntax of numbers that the code writes out."""

_COUNTS = frozenset({"count_nonzero", "size", "shape", "rank"})
_KEEPING = frozenset(
    "constant convert_to_tensor identity stop_gradient reshape squeeze expand_dims transpose getitem abs neg "
    "square add subtract multiply pow floordiv maximum minimum reduce_sum reduce_max reduce_min reduce_prod".split()
)
"""Ops that make integers of integers."""
_MAKING = frozenset({"constant", "convert_to_tensor"})
MOST_PARTS = 60


def of_whole_numbers(match: Match) -> Match:
    """A match, with the type of what its repair bounds where that is whole numbers; raises `NoFix` for Python's own."""
    for node in _bounded(match):
        kind = _whole(node)
        if kind == "int":
            raise NoFix("the operand is a Python number; the fix would turn it into a tensor")
        if kind is not None:
            return replace(match, other_dtype=kind)
    return match


def forbid_ops_of_numbers(match: Match, facts: Facts) -> None:
    """Raises `NoFix` where a repair gives an op a number of Python or an array of NumPy alone.

    Beside a tensor, a number takes its type; alone, TensorFlow makes float32 or int32 of it. The op's value of a number
    that stands there is written instead.
    """
    from tfnanlint.trial.python_numbers import is_python_number

    for node in nodes_of_repair(match.pattern):
        row = OPS.get(node.op)
        given = node.operands[0] if len(node.operands) == 1 and row is not None and row.elementwise else None
        held = match.captured.get(given.attrs["name"]) if given is not None and given.op == "input" else None
        if not isinstance(held, tuple) or node.op in TRANSPARENT:
            continue
        value, user = held
        if user is match.root and isinstance(user.origin.expr, cst.Comparison) and _may_be_anything(value, user):
            raise NoFix(f"`{node.op}` takes floating-point numbers only, and Python compares values of any type")
        written = isinstance(user.origin.expression_of(value), LITERALS)
        if value.op == "const" and written:
            continue
        alone = value.op == "const" or isinstance(value.attrs.get("default"), (int, float)) or LIBRARY in value.attrs
        if alone or is_python_number(value, facts):
            raise NoFix(f"the fix would take `{node.op}` of a number alone, which TensorFlow gives a type of its own")


def _may_be_anything(value: Node, comparison: Node) -> bool:
    """Whether nothing shows that Python compares a tensor: no op has made the value, and none takes the result."""
    made = behind(value, {"getitem"})
    return made.op not in OPS and all(user.op not in OPS for user in comparison.users)


def _bounded(match: Match) -> list[Node]:
    """The operands of a match that its repair puts into one op with a number of its own."""
    names: list[str] = []
    for node in nodes_of_repair(match.pattern):
        if node.op in ("maximum", "minimum", "clip_by_value") and any(o.op == "const" for o in node.operands):
            names += [operand.attrs["name"] for operand in node.operands if operand.op == "input"]
    held = [match.captured.get(name) for name in names]
    return [value[0] for value in held if isinstance(value, tuple)]


def _whole(node: Node) -> str | None:
    """The type of a value that holds whole numbers, "int" for a number of Python's; None where it may be no such."""
    kind = "int"
    stack, seen = [node], {node}
    while stack:
        at = stack.pop()
        dtype = at.attrs.get("dtype")
        if _is_of_python(at):
            continue
        if isinstance(dtype, str):  # what others are told to be is not taken from them: a shape's may be Python's own
            if not dtype.startswith(("int", "uint")):
                return None
            kind = dtype
            continue
        if at.op in _COUNTS or at.op in _MAKING:
            kind = "int64" if at.op == "count_nonzero" else "int32"
        if at.op == "const":
            if type(at.attrs.get("value")) is not int:
                return None
        elif at.op in _KEEPING and at.operands:
            stack += [operand for operand in at.operands if operand not in seen]
            seen.update(at.operands)
        elif at.op not in _COUNTS:
            return None
        if len(seen) > MOST_PARTS:
            return None
    return kind


def _is_of_python(node: Node) -> bool:
    """Whether a value is what `int` or `len` makes of something."""
    func = getattr(getattr(node.origin, "expr", None), "func", None)
    return getattr(func, "value", None) in ("int", "len")
