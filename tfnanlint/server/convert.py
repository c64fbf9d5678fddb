"""Findings as the protocol has them: ranges in the client's units, diagnostics, edits of a workspace, hovers.

The protocol counts lines and characters from 0, in UTF-16 unless client and server agreed on something else; this
package counts both from 1, in Unicode characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lsprotocol import types
from pygls.uris import from_fs_path

from tfnanlint.finding import Edit, Finding, Step
from tfnanlint.report.about import About
from tfnanlint.reveal import Revealed
from tfnanlint.run.edits import split_lines
from tfnanlint.suppress.pragma import UNUSED

SOURCE = "tfnanlint"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_TITLE_ROOM = 70


class Converter:
    """Converts for one client: `text_of` gives the text at a path, `uri_of` what the client calls it."""

    def __init__(
        self,
        text_of: Callable[[str], str | None],
        uri_of: Callable[[str], str | None],
        encoding: types.PositionEncodingKind | str | None,
    ) -> None:
        self._text_of, self._uri_of = text_of, uri_of
        self._encoding = encoding or types.PositionEncodingKind.Utf16

    def uri(self, path: str) -> str:
        """What the client calls a file."""
        return self._uri_of(path) or from_fs_path(path) or path

    def _units(self, text: str) -> int:
        """How many of the client's units a text is long."""
        if self._encoding == types.PositionEncodingKind.Utf32:
            return len(text)
        if self._encoding == types.PositionEncodingKind.Utf8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def _position(self, lines: Sequence[str], line: int, column: int) -> types.Position:
        code = lines[line - 1] if 0 < line <= len(lines) else ""
        return types.Position(line - 1, self._units(code[: column - 1]))

    def _range(self, path: str, line: int, column: int, end_line: int, end_column: int) -> types.Range:
        lines = split_lines(self._text_of(path) or "")
        return types.Range(self._position(lines, line, column), self._position(lines, end_line, end_column))

    def place(self, path: str, position: types.Position) -> tuple[int, int]:
        """The line and column, from 1, of a client's position."""
        lines = split_lines(self._text_of(path) or "")
        code = lines[position.line] if position.line < len(lines) else ""
        column, left = 1, position.character
        for character in code:
            left -= self._units(character)
            if left < 0:
                break
            column += 1
        return position.line + 1, column

    def range_of(self, finding: Finding) -> types.Range:
        """Where a finding stands."""
        return self._range(finding.path, finding.line, finding.column, finding.end_line, finding.end_column)

    def diagnostic(self, finding: Finding, about: About | None) -> types.Diagnostic:
        """A finding, with its trail as related information."""
        said = f"{finding.message}: {finding.evidence}" if finding.evidence else finding.message
        link = types.CodeDescription(about.link) if about is not None and about.link else None
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
        place = self._range(step.path, step.line, step.column, step.line, step.column)
        return types.DiagnosticRelatedInformation(types.Location(self.uri(step.path), place), step.note)

    def workspace_edit(self, edits: Iterable[Edit]) -> types.WorkspaceEdit:
        """Edits, by file."""
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            place = self._range(edit.path, edit.line, edit.column, edit.end_line, edit.end_column)
            changes.setdefault(self.uri(edit.path), []).append(types.TextEdit(place, edit.text))
        return types.WorkspaceEdit(changes=changes)

    def hover(self, path: str, values: Sequence[Revealed], pages: Sequence[str]) -> types.Hover | None:
        """What is known of the values at a position, and the pages of what is found there."""
        parts = ["\n".join(_told(value) for value in values)] if values else []
        parts += pages
        if not parts:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts))
        return types.Hover(content, self._range(path, *values[0].span) if values else None)


def title(finding: Finding) -> str:
    """What a quick fix calls the repair of a finding."""
    assert finding.fix is not None
    code = " ".join(finding.fix.message.split())
    code = code if len(code) <= _TITLE_ROOM else code[: _TITLE_ROOM - 1] + "…"
    return f"Fix {finding.rule} ({finding.fix.kind}): {code}"


def page(finding: Finding, about: About | None) -> str:
    """A finding and its rule, for a hover."""
    head = f"**{finding.rule}** ({finding.severity}, {finding.certainty}): {finding.message}  \n{finding.evidence}"
    if about is None:
        return head
    body = about.markdown.partition("\n")[2].strip()
    link = f"\n\n[all about {about.name}]({about.link})" if about.link else ""
    return f"{head}\n\n{body}{link}"


def _told(value: Revealed) -> str:
    code = value.code if len(value.code) <= _TITLE_ROOM else value.code[: _TITLE_ROOM - 1] + "…"
    kind = f" ({value.dtype})" if value.dtype else ""
    return f"`{code}`{kind} is {value.range or 'unknown: nothing bounds it'}  "
