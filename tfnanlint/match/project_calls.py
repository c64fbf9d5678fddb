"""What the project gives a function: a hazard in it that none of its calls can reach is merely possible.

A function that its own file does not call is linted on its own, with parameters of which nothing is known. If other
files of the project call it, and what they give it cannot fail there, then only a caller that does not exist makes it
fail. What fails in a call with made-up numbers or shapes may fail. Calls in tests, and on a script's own examples, show
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.match.own_calls import CALLED
from tfnanlint.source.callers import callers_of

if TYPE_CHECKING:
    from tfnanlint.match.captures import Match
    from tfnanlint.ruleset.rule import Rule
    from tfnanlint.source.project import Project
    from tfnanlint.source.values import Function

BY_OBJECT = CALLED | {"__init__", "forward", "build"}
"""Methods that are called by the name of their class, or of an object."""


def unreachable(
    matches: Sequence[Match], path: str, rules: Sequence[Rule], modes: Sequence[str], project: Project
) -> frozenset[int]:
    """The numbers of the matched nodes that fail in a function on its own, and in no call of it in other files.

    The matches are those in a sketch of the file at `path`, which the project keeps.
    """
    found: set[int] = set()
    for function, held in _by_function(matches).items() if path.endswith(".py") else ():
        wanted = {match.root.origin.expr: match.root.index for match in held}
        parts: dict[Any, set[Any]] = {expr: set() for expr in wanted}
        for match in held:
            parts[match.root.origin.expr].update(node.origin.expr for node in match.matched if node.origin)
        reached, failing = _calls(function, parts, path, rules, modes, project)
        found.update(index for expr, index in wanted.items() if expr in reached and expr not in failing)
    return frozenset(found)


def _by_function(matches: Sequence[Match]) -> dict[Function, list[Match]]:
    """The matches that a trial bears out, by the function of which the parameters are unknown there."""
    from tfnanlint.source.values import Function

    found: dict[Any, list[Match]] = {}
    for match in matches:
        origin = match.root.origin
        outermost = origin.calls[0].scope if origin.calls else origin.scope
        function = outermost.owner
        if match.failure is None or not isinstance(function, Function) or function.name.startswith("<"):
            continue
        found.setdefault(function, []).append(match)
    return found


def _calls(
    function: Function,
    wanted: Mapping[Any, set[Any]],
    path: str,
    rules: Sequence[Rule],
    modes: Sequence[str],
    project: Project,
) -> tuple[set[Any], set[Any]]:
    """Which expressions of a function other files reach through their calls, and which of them fail there.

    `wanted` are the expressions, each with those that a rule matches with it: a call that is not followed as far as to
    these shows nothing.
    """
    from tfnanlint.facts import Facts
    from tfnanlint.match.matcher import Matcher
    from tfnanlint.source.lower import dissolve, lower

    reached: set[Any] = set()
    failing: set[Any] = set()
    names = [function.name] if function.cls is None or function.name not in BY_OBJECT else []
    names += [function.cls.name] if function.cls is not None else []
    for caller in callers_of(names, path, project):
        file = project.sketched(caller)
        if file is None:
            continue
        flow = lower(file, project, sought=function.node)
        try:
            if function.node not in flow.called:
                continue
            followed = {node.origin.expr for node in flow if node.origin is not None and node.origin.calls}
            there = {expr for expr, parts in wanted.items() if followed.issuperset(parts)}
            if not there:
                continue
            reached |= there
            found = Matcher(rules, repairing=False, modes=modes).fitting(flow, Facts(flow), approximate=True)
            failing |= {match.root.origin.expr for match in found} & there
        finally:
            dissolve(flow)
    return reached, failing
