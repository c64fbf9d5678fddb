"""Every singular point of the op table is one that some rule speaks for.

For each break of each row there is a program that is nothing but the op, with operands of which it is assumed that
they reach the break; it is differentiated where the gradient breaks. No rule need be named for that.
"""

from __future__ import annotations

from functools import cache

import pytest

from tfnanlint.facts import Assumption, Facts, Range
from tfnanlint.flow import Flow, Node
from tfnanlint.interval import Interval
from tfnanlint.match.matcher import Matcher
from tfnanlint.ops import OPS, Break, Op
from tfnanlint.ops.row import EMPTY, EVERY, FRACTION, INDEFINITE, INTEGER, NONZERO, SINGULAR, SOME
from tfnanlint.ruleset.cache import installed_rules
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Origin, Scope

FAR = 1e9
"""How far into a half-line an operand that reaches it is seen."""
BREAKS = [
    pytest.param(op, broken, id=f"{op.name}: {broken!r}")
    for op in OPS.values()
    if op.spellings
    for broken in op.breaks
    if not broken.untold
]
UNTOLD = [
    pytest.param(broken, id=f"{op.name}: {broken!r}") for op in OPS.values() for broken in op.breaks if broken.untold
]


@cache
def matcher() -> Matcher:
    return Matcher(installed_rules())


def reaching(broken: Break) -> Assumption | None:
    """What is assumed of the operand that breaks; nothing, where no range can tell the break."""
    if broken.of not in (SOME, EVERY, INTEGER):
        return None
    lo = max(broken.lo, min(broken.hi, 0.0) - FAR)
    hi = min(broken.hi, max(broken.lo, 0.0) + FAR)
    if broken.of == INTEGER:
        lo = hi
    return Assumption(Range(Interval(lo, hi), "assumed"))


def companion(flow: Flow, condition: Interval | str | None, name: str, assumed: dict[Node, Assumption]) -> Node:
    """Another operand: any input, or one that is what the break asks for."""
    if condition == NONZERO:
        return flow.constant(1.0)
    if condition == FRACTION:
        return flow.constant(1.5)
    if isinstance(condition, Interval) and condition.lo < condition.hi:
        inner = [v for v in (0.3, -3.0, 0.0, 3.0) if v in condition]
        return flow.constant(inner[0])
    node = flow.add("input", (), {"name": name})
    if isinstance(condition, Interval):
        assumed[node] = Assumption(Range(condition, "assumed"))
    return node


def program(op: Op, broken: Break, origin: Origin) -> tuple[Flow, Facts, Node]:
    """The flow that is nothing but the op, its operands reaching the break; differentiated, unless a range decides."""
    flow = Flow()
    assumed: dict[Node, Assumption] = {}
    operands = []
    for name in op.operands:
        if name == broken.operand:
            node = flow.add("input", (), {"name": name}, origin)
            if broken.of == EMPTY:
                # The one way in which ordinary programs come to have nothing left; of a pair, both are masked alike.
                mask = flow.add("greater", (operands[0], flow.constant(0.0))) if operands else None
                mask = mask or flow.add("input", (), {"name": "mask"})
                operands = [flow.add("boolean_mask", (other, mask), {}, origin) for other in operands]
                node = flow.add("boolean_mask", (node, mask), {}, origin)
            assumption = reaching(broken)
            if assumption is not None:
                assumed[node] = assumption
        else:
            node = companion(flow, broken.given.get(name), name, assumed)
        operands.append(node)
    root = flow.add(op.name, operands, {}, origin)
    if broken.kind == "gradient" or reaching(broken) is None:
        flow.differentiate(root, "differentiated by the test", origin)
    return flow, Facts(flow, assumed), root


@pytest.mark.parametrize(("op", "broken"), BREAKS)
def test_some_rule_speaks_for_every_singular_point(op: Op, broken: Break) -> None:
    import libcst as cst

    file = SourceFile("program.py", "", cst.parse_module(""))
    origin = Origin(file, cst.Name("x"), Scope(None, "module"), 0, 0, calls=(), arguments=(), keywords={}, spelling="")
    flow, facts, root = program(op, broken, origin)
    pedantic = broken.of in (SINGULAR, INDEFINITE)  # of a matrix of which nothing is known, this is at most possible
    matches = matcher().matches(flow, facts, pedantic)
    assert any(root in match.matched for match in matches), f"no rule speaks for the {broken} of {op.name}"


@pytest.mark.parametrize("broken", UNTOLD)
def test_a_singular_point_without_a_rule_says_why_in_its_row(broken: Break) -> None:
    assert len(broken.untold.split()) >= 6
