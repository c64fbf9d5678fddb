"""What the project gives a function: a hazard in it that none of its calls can reach is merely possible.

A function that its own file does not call is linted on its own, with parameters of which nothing is known. If other
files of the project call it, and what they give it cannot fail there, then only a caller that does not exist makes it
fail. What fails in a call with made-up numbers or shapes may fail. Calls in tests, and on a script's own examples, show
nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import reached as reached_from
from tfnanlint.limits import TooLong, processor_time
from tfnanlint.match.own_calls import CALLED
from tfnanlint.source.callers import ALTERNATIVE, callers_of
from tfnanlint.source.order import handing_on

if TYPE_CHECKING:
    from tfnanlint.facts import Facts
    from tfnanlint.flow import Node
    from tfnanlint.match.captures import Match
    from tfnanlint.ruleset.rule import Rule
    from tfnanlint.source.project import Project
    from tfnanlint.source.values import Function
    from tfnanlint.trial.situations import Situation

GIVEN = frozenset("input placeholder attribute unknown variable layer gradient".split())
"""Ops of what a program is given, or has trained: a role tells what it holds."""
TRAINED = frozenset({"layer", "variable"})
"""Those of them that training changes."""
BY_OBJECT = CALLED | {"__init__", "forward", "build"}
"""Methods that are called by the name of their class, or of an object."""
CALLS_SECONDS = 4.0
"""Seconds for what the calls in other files show about the functions of a file: most take a fraction of one."""


def unreachable(
    matches: Sequence[Match], path: str, rules: Sequence[Rule], modes: Sequence[str], project: Project
) -> frozenset[int]:
    """The numbers of the matched nodes that fail in a function on its own, and in no call of it in other files.

    The matches are those in a sketch of the file at `path`, which the project keeps. If the calls take more than
    `CALLS_SECONDS`, they show nothing: what fails in the function is reported.
    """
    if not path.endswith(".py"):
        return frozenset()
    by_caller: dict[str, list[Function]] = {}
    by_function = _by_function(matches)
    for function in by_function:
        for caller in _callers_of(function, path, project):
            by_caller.setdefault(caller, []).append(function)
    reached: set[Any] = set()
    failing: set[Any] = set()
    with suppress(TooLong), processor_time(CALLS_SECONDS):
        for caller, functions in by_caller.items():
            asked = {function: by_function[function] for function in functions}
            there, fails = _calls(caller, asked, failing, rules, modes, project)
            reached |= there
            failing |= fails
        spared = reached - failing
        return frozenset(one.root.index for held in by_function.values() for one in held if _written(one) in spared)
    return frozenset()


def _callers_of(function: Function, path: str, project: Project) -> Sequence[str]:
    """The files that may call a function: those that name it, else those that name what hands it on in its module."""
    called = function if function.cls is None else function.cls
    home = function.scope if function.cls is None else function.cls.scope.parent
    method = [function.name] if function.cls is not None and function.name not in BY_OBJECT else []
    named = callers_of([*method, called.name], path, project)
    if named or home is None or home.kind != "module":
        return named
    return callers_of([*method, ALTERNATIVE.join(sorted(handing_on(called.name, home)))], path, project)


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
    caller: str,
    asked: Mapping[Function, Sequence[Match]],
    failing: Collection[Any],
    rules: Sequence[Rule],
    modes: Sequence[str],
    project: Project,
) -> tuple[set[Any], set[Any]]:
    """Which matched expressions of functions another file reaches through its calls, and which of them fail there.

    Those that are known to be `failing` need not be asked about. A call that is not followed as far as to all that a
    rule matches with an expression shows nothing.
    """
    from tfnanlint.facts import Facts
    from tfnanlint.match.matcher import Matcher
    from tfnanlint.source.lower import dissolve, lower

    nothing: tuple[set[Any], set[Any]] = set(), set()
    asked = {function: held for function, held in asked.items() if any(_written(one) not in failing for one in held)}
    file = project.sketched(caller) if asked else None
    if file is None:
        return nothing
    flow = lower(file, project, sought=[function.node for function in asked])
    try:
        followed = {node.origin.expr for node in flow if node.origin is not None and node.origin.calls}
        reached: dict[Any, bool] = {}
        for match in (one for function, held in asked.items() if function.node in flow.called for one in held):
            is_whole = followed.issuperset(node.origin.expr for node in match.matched if node.origin)
            reached[_written(match)] = is_whole and reached.get(_written(match), True)
        there = {expr for expr, is_whole in reached.items() if is_whole and expr not in failing}
        if not there:
            return nothing
        facts = Facts(flow)
        matcher = Matcher(rules, repairing=False, modes=modes)
        fails = {_written(match) for match in matcher.fitting(flow, facts, approximate=True, among=there)}
        computed = [node for node in flow if node.origin is not None and node.origin.expr in there]
        for match in (one for held in asked.values() for one in held if _written(one) in there - fails):
            here = [node for node in computed if node.origin.expr is _written(match)]
            assert match.failure is not None  # as of all that are asked about
            if not any(_is_tried_in(node, match.failure.situation, facts) for node in here):
                there.discard(_written(match))
        return there, fails
    finally:
        dissolve(flow)


def _is_tried_in(node: Node, situation: Situation, facts: Facts) -> bool:
    """Whether a trial of a caller shows that a node does not fail in a situation.

    It does if the situation changes an input behind the node, or if a network or a caller decides what gets there. Data
    that a script makes or reads itself shows nothing about other data.
    """
    from tfnanlint.trial.chance import breaking_operands
    from tfnanlint.trial.evidence import role_of
    from tfnanlint.trial.roles import ROTATION

    concerned = {*situation.changes, *situation.copies, *situation.equals}
    deciding = reached_from(breaking_operands(node), lambda at: () if at.op in GIVEN else at.operands)
    given = [at for at in deciding if at.op in GIVEN]
    if not concerned:
        return True
    meets = bool(situation.paired) or ROTATION in concerned  # training brings two values together, no trial does
    if meets and any(at.op in TRAINED for at in given):
        return False
    return any(at.op != "unknown" or role_of(at, facts).name in concerned for at in given)


def _written(match: Match) -> Any:
    """The expression at the root of a match."""
    return match.root.origin.expr
