"""An open text or notebook as the one module that is linted, and the mapping back to the editor's documents.

Findings and fixes have positions in the module; an editor has positions in a text or in the cells of a notebook.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tfnanlint.errors import SourceError
from tfnanlint.finding import Edit, Finding, Fix
from tfnanlint.notebook import Notebook, of_cells
from tfnanlint.run.edits import apply_edits, line_edits
from tfnanlint.run.files import FileError

Source = str | Mapping[int, str]
"""A text, or the code cells of a notebook by their numbers."""


class Text:
    """A text, which is its own module."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self.text = path, text

    broken: frozenset[int] = frozenset()
    """The cells that are not Python, and are not looked into."""

    def without(self, error: SourceError) -> Opened:
        """The document without the cell that an error points at; raises the error if there is none."""
        raise error

    def placed(self, findings: Sequence[Finding]) -> list[Finding]:
        """Findings where the editor has them."""
        return list(findings)

    def edits(self, after: str) -> list[Edit]:
        """The edits that make another text of the module."""
        return line_edits(self._path, self.text, after)

    def repair(self, fix: Fix) -> list[Edit]:
        """The edits of a repair of what was found in the module."""
        return list(fix.edits)

    def line(self, cell: int | None, line: int) -> int:
        """The module's line for one of a cell."""
        return line

    def lifted(self, finding: Finding) -> Finding:
        """A finding at its position in the module."""
        return finding


class Cells:
    """A notebook, whose cells make a module together."""

    def __init__(self, book: Notebook) -> None:
        self._book, self.text = book, book.text
        self.broken = frozenset(trouble.cell for trouble in book.troubles)

    def without(self, error: SourceError) -> Opened:
        """The document without the cell that an error points at; raises the error if there is none."""
        return Cells(self._book.without(error))

    def placed(self, findings: Sequence[Finding]) -> list[Finding]:
        """Findings where the editor has them."""
        return self._book.placed(self.text, findings)

    def edits(self, after: str) -> list[Edit]:
        """The edits that make another text of the module; none where that cannot be taken apart."""
        try:
            sources = self._book.sources(after)
        except FileError:
            return []
        path, cells = self._book.path, self._book.cells
        changed = ((number, line_edits(path, cells[number].text, text)) for number, text in sources.items())
        return [replace(edit, cell=number) for number, edits in changed for edit in edits]

    def repair(self, fix: Fix) -> list[Edit]:
        """The edits of a repair of what was found in the module."""
        own = [edit for edit in fix.edits if edit.path == self._book.path]
        return [*self.edits(apply_edits(self.text, own)), *(edit for edit in fix.edits if edit not in own)]

    def line(self, cell: int | None, line: int) -> int:
        """The module's line for one of a cell."""
        return self._book.openings[cell or 0] + line

    def lifted(self, finding: Finding) -> Finding:
        """A finding at its position in the module."""
        return next(iter(self._book.lifted([finding])), finding)


Opened = Text | Cells


def opened(path: str, source: Source) -> Opened:
    """What an editor holds at a path."""
    return Text(path, source) if isinstance(source, str) else Cells(of_cells(path, source))
