"""Which findings of a graph to prove, and which of them to report.

A finding that is merely possible is a candidate: it is reported only if TensorFlow shows it at ordinary inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.finding import Finding
from tfnanlint.graph.lint import examined, warn_of
from tfnanlint.graph.proofs import is_candidate, keep, with_proof
from tfnanlint.graph.prove import Prover
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.flow import Node
    from tfnanlint.graph.lowered import Lowered
    from tfnanlint.graph.tracing import Subject
    from tfnanlint.match.captures import Match

SECONDS = 10.0
"""How long to search for each finding, where nobody says how long."""
HANDING = frozenset("cast identity neg reduce_sum reduce_mean".split())
"""Ops that hand the elements of their first operand on, or a sum of them."""
SCALING = frozenset("add subtract multiply divide".split())
"""Ops that scale or shift a value if all other operands are numbers."""
Pairs = Sequence[tuple[Finding, "Match"]]


def worth_proving(found: Pairs, lowered: Lowered) -> list[tuple[Finding, Match]]:
    """Findings without the candidates for which the caller answers."""
    return [(finding, match) for finding, match in found if not is_candidate(finding) or not _is_agreed(match, lowered)]


def proved(subject: Subject, lowered: Lowered, found: Pairs, seconds: float, pedantic: bool) -> Iterator[Finding]:
    """The findings to report, each with what came of trying to prove it for so many seconds at most."""
    pairs = found if pedantic else worth_proving(found, lowered)
    prover = Prover(subject, lowered, [match for _, match in pairs])
    for finding, match in pairs:
        settled, numbers = with_proof(finding, match, prover, subject.call, seconds)
        keep(settled, numbers)
        if pedantic or not is_candidate(finding) or settled.proved:
            yield settled


def _is_agreed(match: Match, lowered: Lowered) -> bool:
    """Whether an operation that goes wrong takes an input, or a linear function of one, of which nothing is known.

    Who calls a function that takes a logarithm knows what it takes.
    """
    for node in match.matched:
        row = OPS.get(node.op)
        for broken in row.breaks if row is not None else ():
            place = row.operands.index(broken.operand) if row is not None else 0
            given = _given(node.operands[place]) if place < len(node.operands) else None
            held = lowered.assumptions.get(given) if given is not None else None
            if given in lowered.inputs.values() and (held is None or held.range is None):
                return True
    return False


def _given(node: Node) -> Node:
    """The value that a node is a linear function of, with numbers that the program writes."""
    while (operand := _handed(node)) is not None:
        node = operand
    return node


def _handed(node: Node) -> Node | None:
    """The operand whose elements a node moves, scales, shifts or adds up."""
    row = OPS.get(node.op)
    if node.operands and (node.op in HANDING or (row is not None and row.moves)):
        return node.operands[0]
    varying = [operand for operand in node.operands if operand.op != "const"]
    return varying[0] if node.op in SCALING and len(varying) == 1 else None


def seconds_of(prove: bool | float) -> float:
    """How long to search for each finding, where it may be said or not."""
    return SECONDS if prove is True else float(prove)


def settled(subject: Subject, lowered: Lowered, prove: bool | float, options: dict[str, Any]) -> list[Finding]:
    """The findings in a lowered graph, with what came of proving them where that is asked for."""
    warn_of(lowered.not_linted)
    pedantic = options.get("pedantic", False)
    found = examined(lowered, **{**options, "pedantic": pedantic or bool(prove), "unshown": bool(prove)})
    if not prove:
        return [finding for finding, _ in found]
    return list(proved(subject, lowered, found, seconds_of(prove), pedantic))
