"""The open documents of an editor: texts, notebooks and their cells, and the last findings in each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lsprotocol import types
from pygls.uris import to_fs_path

from tfnanlint.finding import Edit, Finding
from tfnanlint.server.analyst import Checked
from tfnanlint.server.convert import Part
from tfnanlint.server.opened import Source
from tfnanlint.server.positions import Change, Encoding, changed


@dataclass
class Cell:
    """A cell of a notebook: what the client calls it, its text, that text's version and its language."""

    uri: str
    text: str
    version: int
    language: str


@dataclass
class Document:
    """An open text, or a notebook with its cells, and what was last found in it.

    `looked_at` is the version that was last looked at, if that still holds; `found_in` the one that `checked` is of.
    `broken` has the cells that are not Python, and `typing` the version in which one of them was being typed.
    """

    uri: str
    path: str
    version: int
    text: str = ""
    cells: list[Cell] | None = None
    checked: Checked = field(default_factory=Checked)
    looked_at: int | None = None
    found_in: int | None = None
    broken: dict[str, str] = field(default_factory=dict)
    typing: int | None = None
    all_repairs: tuple[int, list[Edit]] | None = None
    """All safe repairs, and the version that they are of."""

    @property
    def source(self) -> Source:
        """What there is to look into: the text, or the cells of Python, counted from 1 among all."""
        return self.text if self.cells is None else {number: text for (_, number), _, text, _ in self.parts() if number}

    @property
    def findings(self) -> list[Finding]:
        """The findings in the current text; empty if it could not be checked."""
        return self.checked.findings if self.found_in == self.version else []

    def is_half_typed(self, broken: Collection[int]) -> bool:
        """Whether one of the invalid cells changed in this version."""
        before = self.broken
        self.broken = {uri: text for (_, number), uri, text, _ in self.parts() if number in broken}
        if not self.broken.items() <= before.items():
            self.typing = self.version
        return self.typing == self.version

    def says(self, word: str) -> bool:
        """Whether a word stands in it."""
        return any(word in text for text in (self.text, *(cell.text for cell in self.cells or ())))

    def parts(self) -> Iterator[tuple[Part, str, str, int]]:
        """The text, or each cell of Python: the part, what the client calls it, its text and version."""
        if self.cells is None:
            yield (self.path, None), self.uri, self.text, self.version
        for number, cell in enumerate(self.cells or (), 1):
            if cell.language == "python":
                yield (self.path, number), cell.uri, cell.text, cell.version

    def change(self, changes: Iterable[Change], encoding: Encoding) -> None:
        """The text was changed."""
        for change in changes:
            self.text = whole(changed(self.text, change, encoding))

    def change_cells(self, given: types.NotebookDocumentCellChanges, encoding: Encoding) -> list[str]:
        """Cells came, went or were changed; what the client calls those that are gone."""
        held = {cell.uri: cell for cell in self.cells or ()}
        gone: list[str] = []
        if given.structure is not None:
            array = given.structure.array
            held.update((cell.uri, cell) for cell in cells_of(given.structure.did_open or ()))
            order = [cell.uri for cell in self.cells or ()]
            before = set(order)
            order[array.start : array.start + array.delete_count] = [cell.document for cell in array.cells or ()]
            gone = sorted(before.difference(order))
            self.cells = [held[uri] for uri in order if uri in held]
            self.checked = Checked()  # whose cells are counted otherwise
        for content in given.text_content or ():
            cell = held.get(content.document.uri)
            if cell is not None:
                cell.version = content.document.version
                for change in content.changes:
                    cell.text = whole(changed(cell.text, change, encoding))
        return gone


def open_text(item: types.TextDocumentItem) -> Document:
    """A text that was opened."""
    return Document(item.uri, path_of(item.uri), item.version, whole(item.text))


def open_notebook(notebook: types.NotebookDocument, texts: Sequence[types.TextDocumentItem]) -> Document:
    """A notebook that was opened, with the texts of its cells."""
    given = {cell.uri: cell for cell in cells_of(texts)}
    cells = [given[cell.document] for cell in notebook.cells if cell.document in given]
    return Document(notebook.uri, path_of(notebook.uri), notebook.version, cells=cells)


def cells_of(texts: Iterable[types.TextDocumentItem]) -> Iterator[Cell]:
    """Texts as cells."""
    return (Cell(item.uri, whole(item.text), item.version, item.language_id) for item in texts)


def path_of(uri: str) -> str:
    """The path of a file; otherwise the URI itself."""
    return (to_fs_path(uri) if uri.startswith("file:") else None) or uri


def whole(text: str) -> str:
    """The text with something else for each half of a character, which JSON can hold and no file can."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
