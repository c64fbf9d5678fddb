"""From text to findings: prefilter, lowering, facts, matches, fixes."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from tfnanlint.assumptions import NO_ASSUMPTIONS, Assumptions
from tfnanlint.errors import SourceError
from tfnanlint.prefilter.candidates import candidate_rules
from tfnanlint.prefilter.dependencies import imported_mentions
from tfnanlint.prefilter.functions import irrelevant_functions
from tfnanlint.ruleset.cache import installed_rules
from tfnanlint.ruleset.rule import Rule, Rules
from tfnanlint.source.callers import is_in_half
from tfnanlint.source.implicit_modules import known_aliases
from tfnanlint.source.imports import aliases_of
from tfnanlint.source.packages import is_of_another_framework, is_ours, is_test_module, mentions_package
from tfnanlint.source.syntax import check_syntax, module_of, syntax_of

if TYPE_CHECKING:
    import ast

    from tfnanlint.facts import Facts
    from tfnanlint.finding import Edit, Finding, Place
    from tfnanlint.fix.choose import Choice
    from tfnanlint.match.captures import Match
    from tfnanlint.match.matcher import Matcher
    from tfnanlint.source.project import Project
    from tfnanlint.source.source_file import SourceFile
    from tfnanlint.source.values import Origin
    from tfnanlint.trial.verdict import EarlierTrials

Position: TypeAlias = "tuple[str, int, int, int, str]"
NOTHING: frozenset[str] = frozenset()
HAS_LAYERS = re.compile(r"\blayers\b|\bLayer\b|\bModel\b")
"""Code of Keras that a policy for mixed precision affects."""
MOST_REPAIRED = 1_000
"""Findings in one file for which repairs are made: to make one takes as long as to find it."""


def lint_source(
    text: str,
    path: str = "<string>",
    *,
    rules: Rules | None = None,
    pedantic: bool = False,
    project: Project | None = None,
    assumptions: Assumptions = NO_ASSUMPTIONS,
) -> list[Finding]:
    """The findings in a Python source text, suppressed ones included; raises `SourceError`.

    With a `project`, helpers that the text imports are followed into their files; what is found there
    through this text is reported with their paths. `assumptions` is what its user says of the program beyond its text.
    """
    rules = installed_rules() if rules is None else rules
    if project is not None:
        project.release()
    around, aliases = imported_mentions(text, path, project) if project is not None else ([], aliases_of(text))
    aliases = known_aliases(text, aliases)
    if is_of_another_framework(aliases.values()):
        return []
    speaks = mentions_package(text.encode("utf-8", "surrogatepass"))
    if not any(one.ours for one in around) and not speaks and not any(map(is_ours, aliases.values())):
        return []
    if is_test_module(path, text):  # what a test computes with NumPy is what it compares with
        aliases = {name: dotted for name, dotted in aliases.items() if dotted != "numpy"}
    if project is not None and HAS_LAYERS.search(text) and is_in_half(os.path.abspath(path), project):
        assumptions = assumptions._replace(policy="float16")
    # Under these no evidence is asked for, or there is some that the cheap look does not see.
    asks = not (pedantic or assumptions.policy or assumptions.speaks_of(text))
    candidates = candidate_rules(text, rules.matched, around, aliases, path) if asks else list(rules.matched)
    if _all_muted(candidates, rules):
        check_syntax(text, path)
        return []
    tree = syntax_of(text, path)
    from tfnanlint.match.matcher import Matcher
    from tfnanlint.ops.work import WORK

    WORK.begin()

    with no_collection():
        omitted = irrelevant_functions(text, tree, candidates, path, project, aliases) if asks else NOTHING
        candidates, known = _found(candidates, rules.modes, text, path, tree, project, assumptions, omitted, pedantic)
        if _all_muted(candidates, rules):
            return []
        del tree
        matcher = Matcher(candidates, modes=rules.modes, keeping=True, known=known)
        found = _lint(parse(text, path, assumptions, project), matcher, pedantic, project, omitted)
    return [one for one in found if one.rule in rules.names] if rules.muted else found


def _all_muted(candidates: list[Rule], rules: Rules) -> bool:
    """Whether nothing that these rules may find is reported."""
    return all(rule in rules.muted for rule in candidates)


@contextmanager
def no_collection() -> Iterator[None]:
    """No garbage collection meanwhile: it would walk the growing syntax tree again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _found(
    candidates: list[Rule],
    modes: tuple[str, ...],
    text: str,
    path: str,
    tree: ast.Module,
    project: Project | None,
    assumptions: Assumptions,
    omitted: frozenset[str],
    pedantic: bool,
) -> tuple[list[Rule], EarlierTrials | None]:
    """The rules with a finding in a sketch of the text, most often none, and what the trials of the sketch showed.

    The latter is None without trials. If the code needs what a sketch leaves out, all candidates are returned.
    """
    from dataclasses import replace

    from tfnanlint.match.matcher import Matcher
    from tfnanlint.match.project_calls import unreachable
    from tfnanlint.source.source_file import SourceFile

    real = os.path.abspath(path)
    try:
        if project is None:
            file = SourceFile.sketched(path, text, tree, assumptions=assumptions)
        else:
            file = SourceFile(path, text, project.sketch(real, text, tree), real, assumptions=assumptions)
        with _facts(file, project, omitted) as facts:
            matcher = Matcher(candidates, repairing=False, modes=modes)
            matches = matcher.fitting(facts.flow, facts, pedantic)
            known = matcher.known(facts.flow, matches)
            if known is not None and project is not None:
                evident = [match for match in matches if match.reach.evident]
                known = replace(known, unreachable=unreachable(evident, real, candidates, modes, project))
                matches = [match for match in matches if pedantic or match.root.index not in known.unreachable]
    except (AttributeError, RecursionError):  # what a sketch leaves out is in the tree, which is read for that
        return candidates, None
    if is_test_module(path, text) and not pedantic and not any(_is_told_of_tests(match) for match in matches):
        return [], None  # what is left out of a test's findings need not be found again
    met = {match.rule for match in matches}
    return [rule for rule in candidates if rule in met], known


def _lint(
    file: SourceFile,
    matcher: Matcher,
    pedantic: bool,
    project: Project | None,
    omitted: frozenset[str],
) -> list[Finding]:
    from tfnanlint.explain.finding import better, could_be_better
    from tfnanlint.fix.choose import Choice
    from tfnanlint.source.discards import is_displayed

    in_tests = is_test_module(file.path, file.text)
    best: dict[Position, Finding] = {}
    with _facts(file, project, omitted) as facts:
        matches = _clearest(matcher.matches(facts.flow, facts, pedantic))
        choice = Choice(facts)
        for number, match in enumerate(matches):
            if match.pattern.of_statement and is_displayed(match.root.origin):
                continue
            if in_tests and not pedantic and not _is_told_of_tests(match):
                continue
            held = best.get(_position_of(match))
            if held is not None and not could_be_better(match, held):
                continue
            finding = finding_of(match, facts, choice if number < MOST_REPAIRED else None)
            key = finding.position
            if held is None or better(finding, held):
                best[key] = finding
        _tell_once(best, matches)
        _tell_the_worst(best, matches)
        matcher.forget()
    return sorted(best.values(), key=lambda f: f.position)


def _is_told_of_tests(match: Match) -> bool:
    """Whether a match is reported in a test, which chooses its data: what may arise elsewhere does not arise there."""
    from tfnanlint.ranges import Reach

    return match.reach is Reach.CERTAIN


def _tell_once(best: dict[Position, Finding], matches: list[Match]) -> None:
    """Of a finding and those of its parts that an equivalent form repairs, leave the one with the better fix."""
    for match in matches:
        whole, parts = _position_of(match), {_position_of(part) for part in match.inner} & best.keys()
        if whole not in best or not parts:
            continue
        equivalent = any((fix := best[part].fix) is not None and fix.kind == "after" for part in parts)
        for position in [whole] if equivalent or best[whole].fix is None else parts:
            del best[position]


def _tell_the_worst(best: dict[Position, Finding], matches: list[Match]) -> None:
    """Of several findings about one expression that one edit mends, leave that of the value, not of its gradient."""
    gradients = {_position_of(match) for match in matches if match.pattern.differentiated}
    mended: dict[tuple[tuple[int, ...], tuple[Edit, ...]], list[Position]] = {}
    for position, one in best.items():
        if one.fix is not None:
            span = one.line, one.column, one.end_line, one.end_column
            mended.setdefault((span, tuple(one.fix.edits)), []).append(position)
    for told in mended.values():
        worst = min(told, key=lambda at: (best[at].certainty == "possible", at in gradients, at))
        for position in told:
            if position != worst:
                del best[position]


def _clearest(matches: list[Match]) -> list[Match]:
    """Without those that another match tells better: the same code in another call, where more of it is known."""
    places = [_place_of(match.root.origin) for match in matches]
    largest: dict[Place | None, Match] = {}
    for place, match in zip(places, matches, strict=True):
        if match.pattern.size > largest.setdefault(place, match).pattern.size:
            largest[place] = match
    return [match for place, match in zip(places, matches, strict=True) if not _is_clearer(largest[place], match)]


def _is_clearer(one: Match, other: Match) -> bool:
    """Whether a match at the same place is a larger one, in another call of the function."""
    return one.pattern.size > other.pattern.size and one.root.origin.scope is not other.root.origin.scope


@contextmanager
def _facts(file: SourceFile, project: Project | None, omitted: frozenset[str]) -> Iterator[Facts]:
    """The facts of a file's flow, which last no longer than this."""
    from tfnanlint.facts import Facts
    from tfnanlint.source.lower import dissolve, lower

    flow = lower(file, project, omitted)
    try:
        yield Facts(flow)
    finally:
        dissolve(flow)


def parse(
    text: str, path: str, assumptions: Assumptions = NO_ASSUMPTIONS, project: Project | None = None
) -> SourceFile:
    """The source file of a text; raises `SourceError`."""
    import libcst as cst

    from tfnanlint.source.source_file import SourceFile

    try:
        tree = module_of(text) if project is None else project.parse(os.path.abspath(path), text)
        return SourceFile(path, text, tree, assumptions=assumptions)
    except cst.ParserSyntaxError as error:
        raise SourceError(path, error.raw_line, error.raw_column + 1, f"not valid Python: {error.message}") from error
    except RecursionError as error:
        raise SourceError(path, 1, 1, "nested too deeply to analyse") from error
    except (cst.CSTValidationError, TypeError) as error:  # libcst wants a space in `return.5` and `return(lambda: 0)`
        what = "libcst cannot parse this file; put a space behind each keyword such as `return`"
        raise SourceError(path, 1, 1, what) from error


def finding_of(match: Match, facts: Facts, choice: Choice | None) -> Finding:
    """The finding of a match in source code; without a `choice` no fix is made."""
    from dataclasses import replace

    from tfnanlint.explain import finding as explain

    if choice is None:
        later = f"the first {MOST_REPAIRED:,} findings of a file are fixed first; run --fix again for the others"
        return explain.finding_of(match, facts, _place_of, origin="source", no_fix=later)
    fix, no_fix, held = choice.fix_of(match)
    found = explain.finding_of(match, facts, _place_of, origin="source", fix=fix, no_fix=no_fix)
    return replace(found, fix_held=held)


def _position_of(match: Match) -> Position:
    """The position of the finding of a match."""
    from tfnanlint.explain.finding import NOWHERE

    path, line, column = (_place_of(match.root.origin) or NOWHERE)[:3]
    return path, 0, line, column, match.rule.name


def _place_of(origin: Origin) -> Place | None:
    """Where a source origin stands."""
    span = origin.file.layout.spans.get(origin.expr)
    return (origin.file.path, *span) if span is not None else None
