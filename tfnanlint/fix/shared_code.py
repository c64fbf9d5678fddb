"""Fixes of code that several callers share: what is right for one of them may be wrong for another."""

from __future__ import annotations

from collections.abc import Iterator

from tfnanlint.facts import Facts
from tfnanlint.fix.dialect import NoFix
from tfnanlint.flow import COMPARISONS, Node, reached
from tfnanlint.match.captures import Match
from tfnanlint.match.matcher import match_at

HALF = frozenset({"float16", "bfloat16"})
"""Types in half precision."""
USUAL = "float32"
"""The type of numbers of which nothing else is known."""


def forbid_for_one_caller(match: Match, facts: Facts) -> None:
    """Raises `NoFix` where the code serves a caller for whom the rule does not hold.

    For a fix that changes what is computed, and that no run of the program speaks for.
    """
    for node in _elsewhere(match, facts):
        if match_at(match.rule, match.pattern, node, facts) is None:
            raise NoFix("the code is shared, and the fix is right for this caller only; give it a function of its own")


def forbid_for_other_types(match: Match, facts: Facts) -> None:
    """Raises `NoFix` where callers give the code numbers of several types: a floor for one of them suits no other.

    A type in half precision that a caller gives is one of several, since the function does not ask for it.
    """
    origin, own = match.root.origin, _type_of(match.root, facts)
    made_of = reached([match.root], lambda at: at.operands)
    asked = any(getattr(at.origin, "scope", None) is origin.scope and at.attrs.get("dtype") == own for at in made_of)
    given = bool(origin.calls) and own in HALF and not asked
    if given or any(_type_of(node, facts) != own for node in _elsewhere(match, facts)):
        raise NoFix("callers give this code numbers of different types; write the fix for the type at hand")


def _type_of(node: Node, facts: Facts) -> str:
    """The type of a value or, where that is not known, of what it is computed from."""
    return next(filter(None, map(facts.dtype, (node, *node.operands))), USUAL)


def forbid_a_dead_check(match: Match) -> None:
    """Raises `NoFix` where the program checks whether a size is 0, which it never is behind a floor."""
    from tfnanlint.trial.limits import CARRYING, GUARD, number_of
    from tfnanlint.trial.zero_checks import SIZES, TOTALS

    if match.root.op not in SIZES | TOTALS:
        return
    handed_on = reached([match.root], lambda at: [one for one in at.users if one.op in CARRYING])
    for check in (user for one in handed_on for user in one.users if user.op in COMPARISONS):
        limits = [limit for one in check.operands if (limit := number_of(one)) is not None]
        if any(abs(limit) <= GUARD for limit in limits):
            raise NoFix(
                "the program checks this for 0, and with the fix it is never 0; guard its operand by the same check"
            )


def _elsewhere(match: Match, facts: Facts) -> Iterator[Node]:
    """What the code of a match computes in all calls of the function that it stands in."""
    origin = match.root.origin
    for node in facts.flow if origin.calls else ():
        if node.op == match.root.op and getattr(node.origin, "expr", None) is origin.expr:
            yield node
