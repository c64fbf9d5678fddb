"""Fixes of code that several callers share: what is right for one of them may be wrong for another."""

from __future__ import annotations

from tfnanlint.facts import Facts
from tfnanlint.fix.dialect import NoFix
from tfnanlint.match.captures import Match
from tfnanlint.match.matcher import match_at


def forbid_for_one_caller(match: Match, facts: Facts) -> None:
    """Raises `NoFix` where the code serves a caller for whom the rule does not hold.

    For a fix that changes what is computed, and that no run of the program speaks for.
    """
    origin = match.root.origin
    for node in facts.flow if origin.calls else ():
        same = node.op == match.root.op and getattr(node.origin, "expr", None) is origin.expr
        if same and match_at(match.rule, match.pattern, node, facts) is None:
            raise NoFix("the code is shared, and the fix is right for this caller only; give it a function of its own")
