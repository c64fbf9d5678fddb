"""The small numbers by which a file keeps values away from 0: a repair takes its bound from there, as it is written.

A project that writes `x / (y + K.epsilon())` wants `K.epsilon()` in its other quotients, too, and not a number of ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from tfnanlint.fix.dialect import same_value
from tfnanlint.fix.text import text_of
from tfnanlint.flow import Flow, Node
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Origin, Path

LEAST, LARGEST = 1e-37, 1e-5
"""The numbers that only keep a value away from 0: larger ones also say how large it ordinarily is."""
_KINDS = {
    "quotient": {"divide": 1, "divide_no_nan": 1, "reciprocal": 0, "xdivy": 1},
    "log": {"log": 0, "log2": 0, "log10": 0, "xlogy": 1},
    "root": {"sqrt": 0, "rsqrt": 0, "pow": 0},
}
"""Ops that break at 0, by what they are, each with the operand that a number is added to."""
_ROOTS = frozenset({"norm", "euclidean_norm", "reduce_std", "l2_normalize", "global_norm"})


@dataclass(frozen=True)
class Floor:
    """A number that keeps a value away from 0 somewhere in a file, for one kind of op."""

    number: float
    text: str
    kind: str
    expression: cst.BaseExpression
    origin: Origin

    def reaches(self, there: Origin) -> bool:
        """Whether its text means the same at another place."""
        first = _first(self.expression)
        if first is None:
            return True
        here, now = (one.scope.value_at(first, one.time) for one in (self.origin, there))
        of_an_object = not isinstance(self.expression, cst.Name) and not isinstance(here, Path)
        return same_value(here, now) and (self.origin.scope is there.scope or not of_an_object)

    @property
    def digits(self) -> str:
        """The number alone."""
        return self.text if isinstance(self.expression, cst.Float) else repr(self.number).replace("e-0", "e-")


def floors_of(flow: Flow) -> dict[SourceFile, list[Floor]]:
    """The floors that each file of a flow writes."""
    found: dict[SourceFile, list[Floor]] = {}
    for node in flow:
        for kind, ops in _KINDS.items():
            place = ops.get(node.op)
            if place is None or place >= len(node.operands):
                continue
            for floor in _behind(node.operands[place], kind):
                found.setdefault(floor.origin.file, []).append(floor)
    return found


def _behind(value: Node, kind: str) -> Iterator[Floor]:
    """The floor that a sum or a maximum keeps a value above."""
    if value.op not in ("add", "maximum") or not getattr(value.origin, "written", False):
        return
    for operand in value.operands:
        number = operand.constant
        expression = value.origin.expression_of(operand)
        if not isinstance(number, float) or not LEAST <= number <= LARGEST or expression is None:
            continue
        if isinstance(expression, (cst.Float, cst.Name, cst.Attribute)) or _is_plain_call(expression):
            file: SourceFile = value.origin.file
            text = text_of(file, file.layout.spans[expression])
            yield Floor(number, text, kind, expression, value.origin)


def _is_plain_call(expression: cst.BaseExpression) -> bool:
    return isinstance(expression, cst.Call) and not expression.args


def _first(expression: cst.BaseExpression) -> str | None:
    """The first name of an expression."""
    while isinstance(expression, (cst.Attribute, cst.Call)):
        expression = expression.value if isinstance(expression, cst.Attribute) else expression.func
    return expression.value if isinstance(expression, cst.Name) else None


def floor_for(root: Node, floors: Sequence[Floor]) -> Floor | None:
    """The floor that a reader expects at an op: that of its kind before another, a near one before one far away."""
    there: Origin = root.origin
    kind = next((kind for kind, ops in _KINDS.items() if root.op in ops), "root" if root.op in _ROOTS else "")
    often = Counter(floor.text for floor in floors)
    fitting = [floor for floor in floors if floor.reaches(there)]
    order = sorted(fitting, key=lambda f: (f.origin.scope is not there.scope, f.kind != kind, -often[f.text]))
    return order[0] if order else None
