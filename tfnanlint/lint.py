"""From text to findings: the cheap look, the lowering, the facts, the matches, the fixes."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tfnanlint.errors import SourceError
from tfnanlint.finding import Finding, Fix, Step
from tfnanlint.look import feasible, mentions_package, narrowed
from tfnanlint.template import Rule, Rules, load_rules

if TYPE_CHECKING:
    from tfnanlint.facts import Facts
    from tfnanlint.match import Match
    from tfnanlint.source.project import Project

_SEVERITY_OF_DOUBT = "info"


def worth_parsing(data: bytes, rules: Rules, path: str = "", project: Project | None = None) -> bool:
    """Whether anything in these bytes, or in what they import, could be a finding, as far as bytes tell."""
    if not mentions_package(data):
        return False
    return bool(feasible(data, rules, project.imported(data, path) if project is not None else []))


def lint_source(
    text: str,
    path: str = "<string>",
    *,
    rules: Rules | None = None,
    pedantic: bool = False,
    project: Project | None = None,
) -> list[Finding]:
    """The findings in a Python source text, suppressed ones included; raises `SourceError`.

    With a `project`, helpers that the text imports are followed into their files; what is found there
    through this text is reported with their paths.
    """
    rules = load_rules() if rules is None else rules
    data = text.encode("utf-8", "surrogatepass")
    around = project.imported(data, path) if project is not None and mentions_package(data) else []
    candidates = feasible(data, rules, around)
    if not candidates:
        return []
    candidates = narrowed(text, path, candidates, around)
    if not candidates:
        return []

    with _no_collection():
        return _lint(text, path, candidates, pedantic, project)


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection meanwhile: it would walk the growing syntax tree again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _lint(text: str, path: str, candidates: list[Rule], pedantic: bool, project: Project | None) -> list[Finding]:
    from tfnanlint.facts import Facts
    from tfnanlint.match import Matcher
    from tfnanlint.source.lower import lower

    flow = lower(parse(text, path), project)
    facts = Facts(flow)
    matches = Matcher(candidates).matches(flow, facts, pedantic)
    best: dict[tuple[str, str, int, int, str], Finding] = {}
    for match in matches:
        finding = finding_of(match, facts)
        key = finding.position
        held = best.get(key)
        if held is None or (held.certainty == "possible" and finding.certainty != "possible") or (held.fix is None and finding.fix is not None):
            best[key] = finding
    return sorted(best.values(), key=lambda f: f.position)


def parse(text: str, path: str):
    """The source file of a text; raises `SourceError`."""
    import libcst as cst

    from tfnanlint.source.values import SourceFile

    try:
        return SourceFile(path, text, cst.parse_module(text))
    except cst.ParserSyntaxError as error:
        raise SourceError(path, error.raw_line, error.raw_column + 1, f"this is no valid Python: {error.message}") from error
    except RecursionError as error:
        raise SourceError(path, 1, 1, "expressions are nested too deeply to be read") from error


def finding_of(match: Match, facts: Facts) -> Finding:
    """The finding of a match in source code."""
    from tfnanlint.fix import NoFix, fix_of

    origin = match.root.origin
    fix: Fix | None = None
    no_fix: str | None = None
    try:
        fix = fix_of(match)
    except NoFix as reason:
        no_fix = str(reason)
    line, column, end_line, end_column = origin.file.layout.spans[origin.expr]
    rule = match.rule
    certainty = {"certain": "certain", "likely": "likely", "unknown": "possible"}[match.reach.value]
    return Finding(
        rule=rule.name,
        group=rule.group,
        severity=rule.severity if certainty != "possible" else _SEVERITY_OF_DOUBT,
        certainty=certainty,
        origin="source",
        message=rule.message,
        evidence=_evidence(match, facts),
        path=origin.file.path,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        trail=_trail(match, facts),
        fix=fix,
        no_fix=no_fix,
    )


def _evidence(match: Match, facts: Facts) -> str:
    """What proves the hazard: the operand's range, and how it is differentiated."""
    said = [match.evidence] if match.evidence else []
    if not said:
        for node in match.matched:
            if node is not match.root and node in match.root.operands:
                held = facts.range(node)
                if held.reason and not held.outer.unknown:
                    said.append(f"its argument is in {held}")
                    break
    if match.differentiated is not None:
        said.append(match.differentiated.how)
    if match.reach.value == "unknown":
        said.append("nothing is known of its argument")
    return ", and it is ".join(said[:2]) if len(said) > 1 and match.differentiated is not None else "; ".join(said)


def _trail(match: Match, facts: Facts) -> tuple[Step, ...]:
    """The steps to the hazard: where its operands were made, the calls it is reached through, what differentiates it."""
    root = match.root.origin
    spans = root.file.layout.spans
    here = spans[root.expr][0]
    steps: list[Step] = []

    def step(origin, note: str) -> None:
        span = origin.file.layout.spans.get(origin.expr)
        if span is not None and not (origin.file is root.file and span[0] == here):
            found = Step(origin.file.path, span[0], span[1], note)
            if found not in steps:
                steps.append(found)

    for node in sorted(match.matched, key=lambda n: n.index):
        if node is not match.root:
            held = facts.range(node)
            step(node.origin, f"{node.op}: in {held.outer}" if not held.outer.unknown else node.op)
    for captured in match.captured.values():
        if isinstance(captured, tuple) and captured[0].op not in ("input", "const", "unknown"):
            held = facts.range(captured[0])
            if not held.outer.unknown:
                step(captured[0].origin, f"{captured[0].op}: in {held}")
    for call in root.calls:
        step(call, "called from here")
    if match.differentiated is not None and match.differentiated.origin is not None:
        step(match.differentiated.origin, match.differentiated.how)
    return tuple(steps)
