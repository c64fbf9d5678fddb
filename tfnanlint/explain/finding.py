"""The finding of a match: severity, evidence and trail, the same for source code and for graphs.

Each pass supplies a function from a node's origin to its place, which is the only difference between the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tfnanlint.explain.slices import op_word, slice_of
from tfnanlint.finding import Finding, Fix, Place, Step
from tfnanlint.match.preconditions import operand_word
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.facts import Facts
    from tfnanlint.flow import Node
    from tfnanlint.match.captures import Match
    from tfnanlint.ranges import Range

LONGEST_CHAIN = 8
"""How many layers before the one that matters a trail shows."""
PlaceOf = Callable[[Any], "Place | None"]

NOWHERE: Place = ("", 1, 1, 1, 1)
SEVERITY_OF_DOUBT = "info"
SEVERITY_UNDER_XLA = "warning"
SEVERITY_IF_RARELY_RIGHT = "warning"
CERTAINTY = {"certain": "certain", "likely": "likely", "unknown": "possible"}


def finding_of(
    match: Match,
    facts: Facts,
    place_of: PlaceOf,
    *,
    origin: str,
    nowhere: Place = NOWHERE,
    node: str | None = None,
    fix: Fix | None = None,
    no_fix: str | None = None,
) -> Finding:
    """The finding of a match."""
    rule = match.rule
    certainty = CERTAINTY[match.reach.value]
    path, line, column, end_line, end_column = place_of(match.root.origin) or nowhere
    told = match.compiled_only and rule.modes != ("xla",)  # the message of a rule for XLA alone says so itself
    return Finding(
        rule=rule.name,
        group=rule.group,
        severity=_severity(match),
        certainty=certainty,
        origin=origin,
        message=f"{rule.message}, when compiled by XLA" if told else rule.message,
        evidence=evidence_of(match, facts),
        path=path,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        node=node,
        trail=trail_of(match, facts, place_of),
        trial=_trial(match),
        fix=fix,
        no_fix=no_fix,
        takes_xla=match.modes == ("xla",) and not match.compiled,
        code=rule.code,
        slice=slice_of(match, facts, place_of),
    )


def _trial(match: Match) -> dict[str, str] | None:
    """The run that shows a match."""
    failure = match.failure
    if failure is None:
        return None
    situation = failure.situation
    return {"situation": situation.name, "description": situation.sentence, "run": failure.summary}


def _severity(match: Match) -> str:
    """How grave a match is: less so where it may do no harm, or where it rarely happens."""
    certainty, severity = CERTAINTY[match.reach.value], severity_where_reached(match)
    if certainty == "possible":
        return SEVERITY_OF_DOUBT
    rarely_right = certainty == "likely" and match.failure is not None and match.failure.situation.rarely_right
    return SEVERITY_IF_RARELY_RIGHT if rarely_right and severity == "error" else severity


def severity_where_reached(match: Match) -> str:
    """How grave a match is where its hazard is reached: less so where it takes XLA, which is not asked for there."""
    spared = match.compiled_only and not match.compiled
    return SEVERITY_UNDER_XLA if spared and match.rule.severity == "error" else match.rule.severity


def could_be_better(match: Match, held: Finding) -> bool:
    """Whether the finding of a match may say more than another one at the same place."""
    possible = CERTAINTY[match.reach.value] == "possible"
    if possible != (held.certainty == "possible"):
        return not possible
    return held.fix_rank > 0


def better(one: Finding, other: Finding) -> bool:
    """Whether one of two findings at the same place says more than the other."""
    if (one.certainty == "possible") != (other.certainty == "possible"):
        return other.certainty == "possible"
    return one.fix_rank < other.fix_rank


def evidence_of(match: Match, facts: Facts) -> str:
    """What proves the hazard: the operand's range, and how it is differentiated."""
    if match.pattern.of_statement:
        return _of_a_statement(match.root)
    said = [match.evidence] if match.evidence else []
    if not said:
        for place, node in enumerate(match.root.operands):
            held = facts.range(node)
            if node in match.matched and held.reason and not held.outer.unknown:
                said.append(f"its {operand_word(match.root.op, place)} is {held.told}")
                break
    if match.differentiated is not None:
        said = [", and it is ".join([*said, match.differentiated.how])]
    if match.reach.value == "unknown":
        said.append("it is unknown whether data reaches that point" if said else "the range of its argument is unknown")
    if not said:  # the shape itself is the evidence
        said.append(_first_sentence(match.rule.description))
    return "; ".join(said)


GUARDS = frozenset("clip clip_negative maximum minimum where nan_to_num abs relu clip_by_norm".split())
"""Ops by which programs keep numbers in their range."""


def _of_a_statement(statement: Node) -> str:
    """What a result that is thrown away means for the value that it was computed from."""
    (value,) = statement.operands
    name = next((n for _, given in value.origin.arguments if (n := getattr(given, "value", "")) and _is_name(n)), "")
    kept = f"`{name}` keeps its values" if name else "its arguments keep their values"
    return f"{kept}, including those that `{op_word(value)}` was meant to replace" if value.op in GUARDS else kept


def _is_name(text: object) -> bool:
    return isinstance(text, str) and text.isidentifier()


OPENERS = frozenset(
    "A An The Their They It This These Each Every Both All One Two Some In On At For With When Where If".split()
)
"""Words that have a capital only where they open a sentence; a name keeps its own."""


def _first_sentence(text: str) -> str:
    """The first sentence of a text as a clause: evidence stands beside other evidence, in lower case."""
    flat = " ".join(text.split())
    sentence = re.split(r"(?<=[a-z0-9`)])[.:;] ", flat, maxsplit=1)[0].rstrip(".")
    opener = re.split(r"\W", sentence, maxsplit=1)[0]
    return sentence[:1].lower() + sentence[1:] if opener in OPENERS or opener.endswith("ing") else sentence


def _chain(layer: Node) -> Iterator[Node]:
    """The layers and activations that feed a layer one after the other."""
    node = layer
    for _ in range(LONGEST_CHAIN):
        if not node.operands:
            return
        node = node.operands[0]
        row = OPS.get(node.op)
        if node.op == "layer" or (row is not None and row.elementwise):
            yield node
        elif row is None or not row.moves:
            return


def _use_of(node: Node, match: Match) -> str:
    """What a value is to the op of the match that takes it."""
    users = (user for user in node.users if user in match.matched or user is match.root)
    user = next(users, match.root)
    if node not in user.operands:
        return f"used by `{op_word(user)}`"
    word = operand_word(user.op, user.operands.index(node))
    article = "an" if word == "argument" and len(user.operands) > 1 else "the"
    return f"{article} {word} of `{op_word(user)}`"


def trail_of(match: Match, facts: Facts, place_of: PlaceOf) -> tuple[Step, ...]:
    """The steps to the hazard: where its operands were made, the calls that lead to it, what differentiates it."""
    here = place_of(match.root.origin)
    steps: list[Step] = []

    def step(origin: Any, note: str) -> None:
        place = place_of(origin)
        if place is not None and place[:2] != (here or ("", 0))[:2]:
            found = Step(*place[:3], note, None, *place[3:])
            if found not in steps:
                steps.append(found)

    def tells(held: Range) -> bool:
        return not held.outer.unknown or (held.reason != "" and held.reason in match.evidence)

    captured = {c[0] for c in match.captured.values() if isinstance(c, tuple)}
    known = {n for n in captured if n.op not in ("input", "const", "unknown") and tells(facts.range(n))}
    matched = {n for n in match.matched if n is not match.root}
    matched |= {behind for n in matched if n.op == "layer" for behind in _chain(n)}
    for node in sorted(matched | known, key=lambda n: n.index):
        held = facts.range(node)
        name = op_word(node)
        new = node in known and held.reason not in match.evidence  # the evidence says why, once
        said = held.told if new else held.outer.told
        step(node.origin, f"{name}: {_use_of(node, match) if held.outer.unknown else said}")
    failure = match.failure
    if failure is not None and failure.node not in match.matched:
        what = "its gradient" if failure.kind == "gradient" else "it"
        step(failure.node.origin, f"{op_word(failure.node)}: {what} is not finite in the run")
    for call in match.root.origin.calls:
        step(call, getattr(call, "note", "") or "called from here")
    root = match.differentiated
    if root is not None and root.origin is not None:
        told = [place_of(call) for call in match.root.origin.calls if getattr(call, "note", "")]
        if place_of(root.origin) not in told:
            step(root.origin, root.how)
    return tuple(steps)
