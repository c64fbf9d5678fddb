"""Findings in terms of the protocol: ranges in the client's units, diagnostics, workspace edits, hovers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lsprotocol import types
from pygls.uris import from_fs_path

from tfnanlint.explain.hover import Revealed
from tfnanlint.finding import Edit, Finding, Step
from tfnanlint.report.about import About
from tfnanlint.run.edits import split_lines
from tfnanlint.server.positions import Encoding, client_position, own_position
from tfnanlint.suppress.meta import UNUSED
from tfnanlint.vocabulary import FIX_CHANGES

SOURCE = "tfnanlint"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_TITLE_ROOM = 70

Part = tuple[str, int | None]
"""The path of a file, and the cell of a notebook."""


class Converter:
    """Converts for one client: `text_of` gives the text of a part, `uri_of` what the client calls it."""

    def __init__(
        self,
        text_of: Callable[[Part], str | None],
        uri_of: Callable[[Part], str | None],
        encoding: Encoding,
    ) -> None:
        self._text_of, self._uri_of = text_of, uri_of
        self._encoding = encoding
        self._lines: dict[Part, list[str]] = {}

    def uri(self, part: Part) -> str:
        """What the client calls a file, or a cell."""
        return self._uri_of(part) or from_fs_path(part[0]) or part[0]

    def _range(self, part: Part, line: int, column: int, end_line: int, end_column: int) -> types.Range:
        lines = self._lines.get(part)
        if lines is None:
            lines = self._lines[part] = split_lines(self._text_of(part) or "")
        ends = ((line, column), (end_line, end_column))
        start, end = (
            client_position(lines[at - 1] if 0 < at <= len(lines) else "", at, column, self._encoding)
            for at, column in ends
        )
        return types.Range(start, end)

    def place(self, part: Part, position: types.Position) -> tuple[int, int]:
        """The line and column, from 1, of a client's position."""
        return own_position(self._text_of(part) or "", position, self._encoding)

    def range_of(self, finding: Finding) -> types.Range:
        """Where a finding stands."""
        part = finding.path, finding.cell
        return self._range(part, finding.line, finding.column, finding.end_line, finding.end_column)

    def diagnostic(self, finding: Finding) -> types.Diagnostic:
        """A finding, with its trail as related information."""
        said = f"{finding.message}: {finding.beside}" if finding.beside else finding.message
        said += f"\nrun: {finding.run}" if finding.run else ""
        said += f"\nnote on the fix: {finding.fix.note}" if finding.fix and finding.fix.note else ""
        link = types.CodeDescription(finding.url) if finding.url else None
        return types.Diagnostic(
            range=self.range_of(finding),
            message=said,
            severity=_SEVERITIES[finding.severity],
            code=finding.rule,
            code_description=link,
            source=SOURCE,
            tags=[types.DiagnosticTag.Unnecessary] if finding.rule == UNUSED else None,
            related_information=[self._related(step) for step in finding.trail] or None,
        )

    def _related(self, step: Step) -> types.DiagnosticRelatedInformation:
        part = step.path, step.cell
        end = (step.end_line, step.end_column) if step.end_line else (step.line, step.column)
        place = self._range(part, step.line, step.column, *end)
        return types.DiagnosticRelatedInformation(types.Location(self.uri(part), place), step.note)

    def workspace_edit(self, edits: Iterable[Edit]) -> types.WorkspaceEdit:
        """Edits, by file or cell."""
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            part = edit.path, edit.cell
            place = self._range(part, edit.line, edit.column, edit.end_line, edit.end_column)
            changes.setdefault(self.uri(part), []).append(types.TextEdit(place, edit.text))
        return types.WorkspaceEdit(changes=changes)

    def hover(self, part: Part, values: Sequence[Revealed], pages: Sequence[str]) -> types.Hover | None:
        """The ranges of the values at a position, and the rule pages of the findings there."""
        parts = ["\n".join(_told(value) for value in values)] if values else []
        parts += pages
        if not parts:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts))
        return types.Hover(content, self._range(part, *values[0].span) if values else None)


def title(finding: Finding) -> str:
    """What a quick fix calls the repair of a finding."""
    assert finding.fix is not None
    code = " ".join(finding.fix.message.split())
    code = code if len(code) <= _TITLE_ROOM else code[: _TITLE_ROOM - 1] + "…"
    note = f"; {finding.fix.note.partition(';')[0]}" if finding.fix.note else ""
    return f"Fix {finding.rule} ({FIX_CHANGES[finding.fix.kind]}{note}): {code}"


def page(finding: Finding, about: About | None) -> str:
    """A finding and its rule, for a hover."""
    head = f"**{finding.rule}** ({finding.severity}, {finding.certainty}): {finding.message}  \n{finding.beside}"
    if about is None:
        return head
    body = about.markdown.partition("\n")[2].strip()
    link = f"\n\n[more about {about.name}]({about.link})" if about.link else ""
    return f"{head}\n\n{body}{link}"


def _told(value: Revealed) -> str:
    code = value.code if len(value.code) <= _TITLE_ROOM else value.code[: _TITLE_ROOM - 1] + "…"
    kind = f" ({value.dtype})" if value.dtype else ""
    return f"`{code}`{kind} is {value.range or 'unknown'}  "
