"""One page that needs nothing else: each finding with its code, its trail, a picture of its dataflow, and its repair.

The page is complete without its script, which adds filters. It loads nothing: its content security policy forbids it.
Text from the linted code reaches it through `escape` only, and rule pages as Markdown in which HTML is text.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import Any

from tfnanlint import __version__
from tfnanlint.finding import Finding, Value
from tfnanlint.report import Report
from tfnanlint.report.changes import changes
from tfnanlint.report.code import Code
from tfnanlint.report.opening import FIX_NAMES, NO_FIX, opening
from tfnanlint.report.outcome import Outcome
from tfnanlint.report.picture import HATCH, NARROW, WIDE, picture
from tfnanlint.report.proof import told
from tfnanlint.report.terminal import visible
from tfnanlint.suppress.fingerprint import fingerprints
from tfnanlint.vocabulary import CERTAINTIES, FIX_KINDS, SEVERITIES

CONTEXT = 2
"""How many lines of code are shown around a finding."""
LONGEST = 24
"""Of an expression over more lines than these, the first and the last are shown."""
_REPAIRS = {
    "after": "the same function, up to rounding",
    "guard": "differs only next to the point of failure",
    "rework": "the model trains differently",
}
_LEGEND = (
    '<span class="legend"><i></i>range of the value'
    '<i class="harm"></i>where the op is not finite'
    '<i class="hatch"></i>range unknown</span>'
)


def render(report: Report) -> Iterator[str]:
    """The page, in pieces; a character that no encoding holds is shown as one that is missing.

    Control characters are blank, and those that turn the order of others are spelled out. What a build service takes
    for a command where the page goes to a log is written as HTML entities: the reader sees no difference.
    """
    for piece in map(visible, _page(report)):
        piece = _COMMAND.sub(_as_entities, piece)
        yield piece if piece.isascii() else piece.encode("utf-8", "replace").decode("utf-8")


_COMMAND = re.compile(r"^(\s*)::|##(?=\w*\[)", re.MULTILINE)


def _as_entities(command: re.Match[str]) -> str:
    return "#&#35;" if command[1] is None else f"{command[1]}&#58;:"


def _page(report: Report) -> Iterator[str]:
    style, script = _asset("report.css"), _asset("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f'<meta name="generator" content="tfnanlint {__version__}">\n'
    yield f"<title>{_title(report)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{HATCH}\n"
    yield from _header(report)
    yield '<div class="page">\n'
    yield from opening(report)
    yield from _sidebar(report.findings)
    yield "<main>\n"
    yield from _problems(report)
    yield from _findings(report)
    yield '<p id="nothing" hidden>Nothing matches these filters. '
    yield '<button type="button" data-reset>Show all</button></p>\n'
    yield from _rules(report)
    yield f"</main>\n</div>\n<script>{script}</script>\n</body>\n</html>\n"


@cache
def _asset(name: str) -> str:
    return files("tfnanlint.report").joinpath("assets", name).read_text(encoding="utf-8")


def _title(report: Report) -> str:
    count = len(report.findings)
    return f"tfnanlint: {count} problem{'' if count == 1 else 's'}" if count else "tfnanlint: no problems"


def _header(report: Report) -> Iterator[str]:
    findings = report.findings
    yield '<header>\n<h1>tfnanlint <span id="count">'
    yield f"{len(findings)} problem{'' if len(findings) == 1 else 's'} in {_counted(len({f.path for f in findings}))}"
    yield f"</span></h1>\n<p class='of'>{_counted(report.files)} checked</p>\n" if report.files else "</span></h1>\n"
    if findings:
        yield '<form class="filters" role="search">\n'
        yield '<input type="search" name="text" placeholder="Filter by text ( / )" aria-label="Filter by text"'
        yield ' title="/ to filter, Escape to stop; j and k for the next and the previous finding">\n'
        yield from _choices("severity", SEVERITIES, Counter(found.severity for found in findings))
        yield from _choices("certainty", CERTAINTIES, Counter(found.certainty for found in findings))
        yield from _choices("fix", (*FIX_KINDS, NO_FIX), Counter(map(_fix_of, findings)), FIX_NAMES)
        yield '<select name="order" aria-label="order"><option value="">by file</option>'
        yield '<option value="severity">most severe first</option></select>\n'
        yield '<span class="steps">'
        for name, label, key in (("previous", "↑", "k"), ("next", "↓", "j")):
            yield f'<button type="button" id="{name}" title="{name} finding ({key})" aria-label="{name} finding">'
            yield f"{label}</button>\n"
        yield "</span>\n"
        yield '<button type="button" id="fold">Collapse all</button>\n</form>\n'
    yield '<button type="button" id="theme" title="light or dark" aria-label="light or dark">◐</button>\n</header>\n'


def _counted(files: int) -> str:
    return f"{files} file{'' if files == 1 else 's'}"


def _choices(
    name: str, values: Sequence[str], counts: Counter[str], names: Mapping[str, str] | None = None
) -> Iterator[str]:
    """A box to tick for each value that some finding has."""
    yield f'<fieldset aria-label="{name}">'
    for value in values:
        if counts[value]:
            box = f'<input type="checkbox" name="{name}" value="{value}" checked>'
            label = names[value] if names else value
            yield f'<label class="{value}">{box}{label} <b>{counts[value]}</b></label>'
    yield "</fieldset>\n"


def _sidebar(findings: Sequence[Finding]) -> Iterator[str]:
    """The rules and the files, with their counts; a click on one shows that one only."""
    if not findings:
        return
    yield "<nav>\n"
    for name, title in (("rule", "Rules"), ("path", "Files")):
        counts: Counter[str] = Counter(getattr(found, name) for found in findings)
        ordered = sorted(counts, key=lambda value: (-counts[value], value) if name == "rule" else (0, value))
        yield f"<h2>{title}</h2>\n<ul>\n"
        for value in ordered:
            data = f'data-filter="{name}" data-value="{escape(value)}"'
            label = f"<span>{_breakable(value)}</span> <b>{counts[value]}</b>"
            yield f'<li><button type="button" {data} aria-pressed="false">{label}</button></li>\n'
        yield "</ul>\n"
    yield "</nav>\n"


def _breakable(path: str) -> str:
    """A path or a rule's name as HTML that may go on in a new line behind what divides its words."""
    return re.sub(r"([/_])", r"\1<wbr>", escape(path))


def _problems(report: Report) -> Iterator[str]:
    if report.problems:
        yield '<section class="problems">\n<h2>Not linted</h2>\n<ul>\n'
        yield from (f"<li><code>{escape(str(problem))}</code></li>\n" for problem in report.problems)
        yield "</ul>\n</section>\n"


def _findings(report: Report) -> Iterator[str]:
    if not report.findings:
        yield '<p class="clean">No problems found.</p>\n'
    code = Code(report)
    marked = zip(report.findings, fingerprints(report.findings, report.line), strict=True)
    for path, group in groupby(marked, key=lambda pair: pair[0].path):
        yield f'<section class="file">\n<h2>{_breakable(path)}</h2>\n'
        for found, mark in group:
            yield from _finding(report, code, found, mark)
        yield "</section>\n"


def _finding(report: Report, code: Code, found: Finding, mark: str) -> Iterator[str]:
    data = {"rule": found.rule, "severity": found.severity, "certainty": found.certainty, "path": found.path}
    data["fix"] = _fix_of(found)
    listed = " ".join(f'data-{key}="{escape(value)}"' for key, value in data.items())
    place = f"{found.line}:{found.column}" if found.node is None else f"{found.line}: node {found.node}"
    if found.cell is not None:
        place = f"cell {found.cell}, line {found.line}"
    yield f'<article id="f-{mark}" {listed}>\n<details open><summary>'
    yield f'<h3><a class="place" href="#f-{mark}">{escape(place)}</a> '
    yield f'<a class="rule" href="#rule-{escape(found.rule)}">{escape(found.rule)}</a> {_prose(found.message)}'
    yield f' <span class="badge {found.severity}">{found.severity}</span>'
    code_name = f' <span class="badge">{escape(found.code)}</span>' if found.code else ""
    yield f' <span class="badge">{found.certainty}</span>{code_name}</h3></summary>\n'
    fails = Outcome.of(found)
    if found.trial:
        consequence = f"{fails.sentence} in this situation: {found.trial['description']}."
        yield f'<p class="consequence">{_prose(consequence)}</p>\n'
    yield from _snippet(report, code, found)
    if found.beside:
        yield f'<p class="evidence">{_prose(found.beside)}</p>\n'
    if found.trial:
        yield f'<p class="run">Run: <code>{escape(found.trial["run"])}</code></p>\n'
    yield from _trail(code, found)
    if len(found.slice) > 1:
        drawn = "".join(
            picture(found.slice, lambda value: _code_of(report, value), layout, str(fails)) for layout in (WIDE, NARROW)
        )
        yield f'<details class="dataflow" open><summary>Dataflow{_LEGEND}</summary><div>{drawn}</div></details>\n'
    yield from _repair(report, found)
    if found.proof:
        status, said, lines = told(found.proof)
        yield f'<div class="proof"><p><b>{escape(status.capitalize())}</b>: {escape(said)}</p>'
        yield f"<pre>{escape(lines)}</pre></div>\n" if lines else "</div>\n"
    yield '<p class="copy">'
    if found.fix:
        yield f'<button type="button" data-copy="{escape(found.fix.message)}">Copy the fix</button>'
    comment = f"# tfnanlint: ignore[{escape(found.rule)}]"
    yield f'<button type="button" data-copy="{comment}">Copy an ignore comment</button></p>\n'
    yield "</details>\n</article>\n"


def _fix_of(found: Finding) -> str:
    """The kind of a finding's fix, or that there is none."""
    return found.fix.kind if found.fix else NO_FIX


def _snippet(report: Report, code: Code, found: Finding) -> Iterator[str]:
    """The code of a finding with the lines around it, its expression marked."""
    lines = report.lines(found.path, found.cell)
    if not 0 < found.line <= len(lines):
        return
    first, last = max(found.line - CONTEXT, 1), min(found.end_line + CONTEXT, len(lines))
    while first < found.line and not lines[first - 1].strip():
        first += 1
    while last > found.end_line and not lines[last - 1].strip():
        last -= 1
    numbers = list(range(first, last + 1))
    if len(numbers) > LONGEST:
        numbers = [*numbers[: LONGEST - 6], 0, *numbers[-5:]]
    yield '<pre class="code">'
    for number in numbers:
        if number == 0:
            yield '<span class="row gap"><i>⋮</i></span>'
            continue
        line, start, end = lines[number - 1], 0, 0
        inside = found.line <= number <= found.end_line
        if inside:
            start = found.column - 1 if number == found.line else len(line) - len(line.lstrip())
            end = found.end_column - 1 if number == found.end_line else len(line.rstrip())
        text = code.line((found.path, found.cell), number, start, end)
        yield f'<span class="row{" hit" if inside else ""}"><i>{number}</i>{text}\n</span>'
    yield "</pre>\n"


def _trail(code: Code, found: Finding) -> Iterator[str]:
    if not found.trail:
        return
    yield '<ol class="trail">\n'
    for (where, number, cell), steps in groupby(found.trail, key=lambda step: (step.path, step.line, step.cell)):
        path = f"{_breakable(where)}, " if where != found.path else ""
        path += f"cell {cell}, " if cell != found.cell else ""
        text = code.line((where, cell), number).strip()
        line = f"<code>{text}</code>" if text else ""
        notes = "; ".join(_prose(step.note) for step in steps)
        yield f'<li><span class="place">{path}line {number}</span> {line}<span class="note">{notes}</span></li>\n'
    yield "</ol>\n"


def _repair(report: Report, found: Finding) -> Iterator[str]:
    """The repair as the lines it changes; why there is none, where there is none."""
    if found.fix is None:
        if found.no_fix:
            yield f'<p class="nofix">No fix: {_prose(found.no_fix)}.</p>\n'
        return
    kind = found.fix.kind
    yield f'<div class="fix {kind}"><p>Fix (<b>{escape(report.fix_words(found))}</b>): {_REPAIRS.get(kind, "")}</p>'
    for other in report.rivals(found):
        yield f'<p>Apply either this fix or that of <b class="rival">{escape(other.rule)}</b> in line {other.line}:'
        yield " both change the same code.</p>"
    if found.fix.note:
        yield f"<p>Note: {_prose(found.fix.note)}.</p>"
    changed = changes(report, found.fix)
    if not changed:
        yield f"<pre><ins>{escape(found.fix.message)}</ins></pre>"
    for (path, cell), lines in changed.items():
        if (path, cell) != (found.path, found.cell):
            yield f'<p class="place">{escape(path)}{"" if cell is None else f" cell {cell}"}</p>'
        yield "<pre>"
        for line in lines:
            tag = {"-": "del", "+": "ins"}.get(line.sign)
            yield f"<{tag}>{escape(line.text)}\n</{tag}>" if tag else '<span class="gap">⋮\n</span>'
        yield "</pre>"
    yield "</div>\n"


def _code_of(report: Report, value: Value) -> str:
    """The code of a value on one line."""
    if value.place is None:
        return ""
    path, line, column, end_line, end_column = value.place
    lines = report.lines(path, value.cell)[line - 1 : end_line]
    if not lines or end_line - line > LONGEST:
        return ""
    lines[-1] = lines[-1][: end_column - 1]
    lines[0] = lines[0][column - 1 :]
    return " ".join(" ".join(lines).split())


def _rules(report: Report) -> Iterator[str]:
    """The pages of the rules that found something."""
    names = sorted({found.rule for found in report.findings})
    if not names:
        return
    yield '<section class="rules">\n<h2>Rules</h2>\n'
    for name in names:
        about = report.about(name)
        body = _markdown().render(about.markdown.partition("\n")[2]) if about else ""
        more = f'<p><a href="{escape(about.link)}">more about {escape(name)}</a></p>' if about and about.link else ""
        message = f" {_prose(about.message)}" if about else ""
        yield f'<details id="rule-{escape(name)}"><summary><code>{escape(name)}</code>{message}</summary>\n'
        yield f"{body}{more}</details>\n"
    yield "</section>\n"


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _prose(text: str) -> str:
    """A sentence as HTML, what stands between backticks as code."""
    parts = escape(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:
        return "`".join(parts)
    return "".join(f"<code>{part}</code>" if n % 2 else part for n, part in enumerate(parts))
