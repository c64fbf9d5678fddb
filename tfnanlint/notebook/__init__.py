"""A notebook read as one module: its code cells in order, so that names carry over from one to the next.

All later stages see one Python text, in which a comment opens each cell. Findings are mapped back to their cells, and
fixes are written into the notebook's JSON in place.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tfnanlint.errors import SourceError, TfnanlintError
from tfnanlint.finding import Edit, Finding, Step, Value
from tfnanlint.notebook.document import Cell, Document, file_lines, read_document, with_sources
from tfnanlint.notebook.magics import Masked, Masks
from tfnanlint.run.edits import split_lines
from tfnanlint.run.files import FileError, read_bytes
from tfnanlint.source.syntax import trouble_of

BOM = b"\xef\xbb\xbf"
LARGEST_CODE, LARGEST_DOCUMENT, MOST_VALUES = 1_000_000, 200_000_000, 2_000_000
"""Characters of code, bytes of a notebook with its pictures, and JSON values in it, beyond which it is not analysed."""
_WAY_OUT = "name it in `exclude`"


@dataclass(frozen=True)
class Trouble:
    """Why a cell is not valid Python: its number, a position in it, a sentence."""

    cell: int
    line: int
    column: int
    reason: str


@dataclass
class Notebook:
    """A notebook's document, its code cells as Python by number, and the module that they make together."""

    document: Document
    bom: bytes = b""
    sign: str = ""
    cells: dict[int, Masked] = field(default_factory=dict)
    text: str = ""

    @property
    def path(self) -> str:
        """The notebook's path."""
        return self.document.path

    @property
    def troubles(self) -> list[Trouble]:
        """The errors of the cells that are not valid Python, which are skipped."""
        return [_trouble(number, cell.trouble) for number, cell in self.cells.items() if cell.trouble]

    @property
    def openings(self) -> dict[int, int]:
        """The line of the module that opens each cell, by its number."""
        return _Places(self.path, self._split(self.text)).openings

    def sources(self, text: str) -> dict[int, str]:
        """The cells that another module makes, by number; `FileError` if it cannot be taken apart."""
        try:
            bodies = self._split(text)
            return {number: cell.restored(bodies[number]) for number, cell in self.cells.items()}
        except (ValueError, SyntaxError) as error:
            raise FileError(f"{self.path}: not fixed: cannot write the fixed cells back ({error})") from None

    def encode(self, text: str) -> bytes:
        """The notebook's bytes with another module in its cells; `FileError` if that cannot be taken apart."""
        return self.bom + with_sources(self.document, self.sources(text)).encode("utf-8")

    def placed(self, text: str, findings: Iterable[Finding]) -> list[Finding]:
        """Findings in the module of these cells, mapped to their cells."""
        places = _Places(self.path, self._split(text))
        return [places.finding(found) for found in findings]

    def place(self, text: str, line: int) -> tuple[int, int]:
        """The cell of a line of a module of these cells, and the line in that."""
        return _Places(self.path, self._split(text)).place(line)

    def lifted(self, findings: Iterable[Finding]) -> list[Finding]:
        """Findings in cells, carried back to the module that the cells make."""
        openings = self.openings
        return [
            replace(f, cell=None, line=openings[f.cell] + f.line, end_line=openings[f.cell] + f.end_line)
            for f in findings
            if f.cell is not None
        ]

    def without(self, error: SourceError) -> Notebook:
        """This notebook without the cell that an error points at; raises the error if it points at none."""
        number, line = self.place(self.text, error.line)
        if line < 1 or self.cells[number].trouble:
            raise error
        troubled = {number: cell.trouble for number, cell in self.cells.items() if cell.trouble}
        troubled[number] = SourceError(self.path, line, error.column, error.reason)
        return _assembled(self.document, self.bom, Masks(_every(self.document)), troubled)

    def _split(self, text: str) -> dict[int, str]:
        """The Python of each cell in a module; `ValueError` if it is not made of these cells."""
        first, *rest = re.split(rf"^#{self.sign}(\d+){self.sign}\n", text, flags=re.MULTILINE)
        if first or [int(number) for number in rest[::2]] != list(self.cells):
            raise ValueError("the fix spans two cells")
        return {
            number: body if cell.python.endswith("\n") else body.removesuffix("\n")
            for (number, cell), body in zip(self.cells.items(), rest[1::2], strict=True)
        }


def read_notebook(data: bytes, path: str) -> Notebook | None:
    """The notebook in a file's bytes; None if its cells are not Python, `SourceError` if it is not a notebook."""
    bom = BOM if data.startswith(BOM) else b""
    try:
        text = data[len(bom) :].decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceError(path, 1, 1, f"not a notebook: byte {error.start} is not UTF-8") from None
    if len(data) > LARGEST_DOCUMENT or sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise SourceError(path, 1, 1, f"this notebook is too large to read; {_WAY_OUT}")
    document = read_document(text, path)
    size = sum(len(cell.text) for cell in document.cells)
    if size > LARGEST_CODE:
        code = f"{size / 1e6:.1f} MB exceeds the {LARGEST_CODE / 1e6:.0f} MB limit for a notebook's code"
        raise SourceError(path, 1, 1, f"not analysed: {code}; {_WAY_OUT}")
    if document.language and "python" not in document.language:
        return None
    return _assembled(document, bom, Masks(_every(document)), {})


def of_cells(path: str, cells: Mapping[int, str]) -> Notebook:
    """The notebook whose code cells an editor holds, by their numbers."""
    document = Document(path, "", tuple(Cell(number, text, ()) for number, text in cells.items()), "python")
    return _assembled(document, b"", Masks(_every(document)), {})


def _every(document: Document) -> str:
    return "".join(cell.text for cell in document.cells)


def _assembled(document: Document, bom: bytes, masks: Masks, troubled: dict[int, Exception]) -> Notebook:
    cells = {
        cell.number: masks.hidden(cell.text, troubled[cell.number]) if cell.number in troubled else masks.of(cell.text)
        for cell in document.cells
    }
    text = "".join(f"#{masks.sign}{number}{masks.sign}\n{_ended(cell.python)}" for number, cell in cells.items())
    return Notebook(document, bom, masks.sign, cells, text)


def cell_lines(path: str, text: str | None = None) -> dict[int, list[str]]:
    """The lines of each code cell of a notebook, by number; none if it cannot be read (any more)."""
    document = _read(path, text)
    return {cell.number: split_lines(cell.text) for cell in document.cells} if document else {}


def lines_in_file(path: str, text: str | None = None) -> dict[int, list[int]]:
    """The lines of the file in which the lines of each code cell stand; none if it cannot be read (any more)."""
    document = _read(path, text)
    return file_lines(document) if document else {}


def _read(path: str, text: str | None) -> Document | None:
    try:
        text = read_bytes(path).removeprefix(BOM).decode("utf-8") if text is None else text
        return read_document(text, path)
    except (TfnanlintError, UnicodeDecodeError):
        return None


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _trouble(number: int, error: Exception | None) -> Trouble:
    if isinstance(error, SourceError):
        return Trouble(number, error.line, error.column, error.reason)
    assert error is not None
    line, column, reason = trouble_of(error)
    return Trouble(number, line, column, f"not valid Python: {reason}")


class _Places:
    """Carries places in a module to its cells."""

    def __init__(self, path: str, bodies: dict[int, str]) -> None:
        self._path = path
        self._numbers = list(bodies)
        self._lines = [split_lines(body) for body in bodies.values()]
        self._starts: list[int] = []
        line = 1
        for body in bodies.values():
            self._starts.append(line)
            line += len(split_lines(_ended(body)))

    @property
    def openings(self) -> dict[int, int]:
        """The line that opens each cell, by its number."""
        return dict(zip(self._numbers, self._starts, strict=True))

    def place(self, line: int) -> tuple[int, int]:
        """The cell of a line, and the line in it."""
        place = max(bisect_left(self._starts, line) - 1, 0)
        return self._numbers[place], line - self._starts[place]

    def finding(self, found: Finding) -> Finding:
        if found.path != self._path:
            return replace(found, trail=tuple(map(self._step, found.trail)))
        cell, line = self.place(found.line)
        fix = found.fix and replace(found.fix, edits=tuple(map(self._edit, found.fix.edits)))
        end_line = found.end_line - found.line + line
        trail, around = tuple(map(self._step, found.trail)), tuple(map(self._value, found.slice))
        return replace(found, cell=cell, line=line, end_line=end_line, trail=trail, fix=fix, slice=around)

    def _step(self, step: Step) -> Step:
        if step.path != self._path:
            return step
        cell, line = self.place(step.line)
        return replace(step, cell=cell, line=line, end_line=step.end_line and step.end_line - step.line + line)

    def _value(self, value: Value) -> Value:
        if value.place is None or value.place[0] != self._path:
            return value
        path, line, column, end_line, end_column = value.place
        cell, inside = self.place(line)
        return replace(value, place=(path, inside, column, inside + end_line - line, end_column), cell=cell)

    def _edit(self, edit: Edit) -> Edit:
        """An edit in its cell: what a module has behind its last line stands at that line's end."""
        if edit.path != self._path:
            return edit
        cell, line = self.place(edit.line)
        end_line = edit.end_line - edit.line + line
        lines = self._lines[self._numbers.index(cell)]
        end = (len(lines), len(lines[-1]) + 1)
        start, text = (line, edit.column), edit.text
        if line > len(lines):
            start, text = end, "\n" + text.removesuffix("\n")
        stop = end if end_line > len(lines) else (end_line, edit.end_column)
        return replace(edit, cell=cell, line=start[0], column=start[1], end_line=stop[0], end_column=stop[1], text=text)
