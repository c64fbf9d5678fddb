"""Which findings of a graph to prove, and which of them to report.

A finding that is merely possible is a candidate: it is reported only if TensorFlow shows it at ordinary inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.finding import Finding
from tfnanlint.graph.lint import examined
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
    """Whether an operation that goes wrong takes an input as it is, of which nothing is known.

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
    """What hands its elements on to a node as they are."""
    row = OPS.get(node.op)
    while node.operands and (node.op in ("cast", "identity") or (row is not None and row.moves)):
        node = node.operands[0]
        row = OPS.get(node.op)
    return node


def seconds_of(prove: bool | float) -> float:
    """How long to search for each finding, where it may be said or not."""
    return SECONDS if prove is True else float(prove)


def settled(subject: Subject, lowered: Lowered, prove: bool | float, options: dict[str, Any]) -> list[Finding]:
    """The findings in a lowered graph, with what came of proving them where that is asked for."""
    pedantic = options.get("pedantic", False)
    found = examined(lowered, **{**options, "pedantic": pedantic or bool(prove), "unshown": bool(prove)})
    if not prove:
        return [finding for finding, _ in found]
    return list(proved(subject, lowered, found, seconds_of(prove), pedantic))
