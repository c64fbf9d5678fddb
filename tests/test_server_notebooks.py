"""Notebooks in an editor: their cells make a module together, and each cell has its own diagnostics and repairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editor import Editor, applied, served
from lsprotocol import types

IMPORT = "import tensorflow as tf\n%matplotlib inline"
SPREAD = "def spread(x):\n    return tf.nn.softmax(x)"
LOG = "files = !ls\ny = tf.math.log(spread(x))"
SIGMOID = "%%time\nz = tf.math.log(1.0 - tf.sigmoid(x))"
MORE = "w = tf.math.log(tf.sigmoid(x))"


class Notebook:
    """A notebook in an editor, whose cells are named by letters."""

    def __init__(self, editor: Editor, name: str, cells: dict[str, str]) -> None:
        self.editor, self.uri, self.version = editor, editor.uri(name), 1
        items = [self.item(key, text) for key, text in cells.items()]
        listed = [types.NotebookCell(types.NotebookCellKind.Code, item.uri) for item in items]
        notebook = types.NotebookDocument(self.uri, "jupyter-notebook", 1, listed)
        editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))

    def cell(self, key: str) -> str:
        """What the editor calls a cell."""
        return f"vscode-notebook-cell{self.uri.removeprefix('file')}#{key}"

    def item(self, key: str, text: str) -> types.TextDocumentItem:
        return types.TextDocumentItem(self.cell(key), "python", 1, text)

    def _change(self, cells: types.NotebookDocumentCellChanges) -> None:
        self.version += 1
        identifier = types.VersionedNotebookDocumentIdentifier(self.version, self.uri)
        change = types.NotebookDocumentChangeEvent(cells=cells)
        self.editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(identifier, change))

    def type(self, key: str, change: types.TextDocumentContentChangeEvent) -> None:
        """Change the text of a cell."""
        identifier = types.VersionedTextDocumentIdentifier(self.version + 1, self.cell(key))
        content = types.NotebookDocumentCellContentChanges(identifier, [change])
        self._change(types.NotebookDocumentCellChanges(text_content=[content]))

    def splice(self, start: int, delete: Sequence[str], insert: dict[str, str]) -> None:
        """Take cells out and put others in."""
        items = [self.item(key, text) for key, text in insert.items()]
        array = types.NotebookCellArrayChange(
            start, len(delete), [types.NotebookCell(types.NotebookCellKind.Code, item.uri) for item in items]
        )
        closed = [types.TextDocumentIdentifier(self.cell(key)) for key in delete]
        structure = types.NotebookDocumentCellChangeStructure(array, items, closed)
        self._change(types.NotebookDocumentCellChanges(structure=structure))

    async def diagnostics(self, key: str) -> list[types.Diagnostic]:
        """What is published next for a cell."""
        return await self.editor.diagnostics(self.cell(key))

    async def actions(self, key: str, found: types.Diagnostic, *only: str) -> list[types.CodeAction]:
        return await self.editor.actions(self.cell(key), found, *only)


def test_each_cell_has_its_diagnostics_and_its_quick_fixes(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        book = Notebook(editor, "a.ipynb", {"a": IMPORT, "b": SPREAD, "c": LOG, "d": SIGMOID})
        (on_log,) = await book.diagnostics("c")
        assert (on_log.code, on_log.range.start) == ("log-softmax", types.Position(1, 4))
        (step, *_) = on_log.related_information
        assert (step.location.uri, step.location.range.start) == (book.cell("b"), types.Position(1, 11))
        (on_sigmoid,) = await book.diagnostics("d")
        fix, ignore = await book.actions("d", on_sigmoid, "quickfix")
        repaired = applied(SIGMOID, fix.edit, book.cell("d"))
        assert repaired == "%%time\nz = -tf.nn.softplus(x)"
        assert list(fix.edit.changes) == list(ignore.edit.changes) == [book.cell("d")]
        assert applied(SIGMOID, ignore.edit, book.cell("d")) == f"{SIGMOID}  # tfnanlint: ignore[log-one-minus-sigmoid]"
        assert await book.actions("c", on_sigmoid, "quickfix") != []
        hover = await editor.hover(book.cell("c"), 1, 20)
        assert hover.startswith("`spread(x)` is in [0, 1]: a softmax")
        assert "**log-softmax**" in await editor.hover(book.cell("c"), 1, 6)
        book.type("d", types.TextDocumentContentChangeWholeDocument(repaired))
        assert await book.diagnostics("d") == []

    served(tmp_path, scenario)


def test_the_cells_are_followed_as_they_are_typed_moved_and_removed(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        book = Notebook(editor, "a.ipynb", {"a": IMPORT, "b": SPREAD, "c": LOG})
        assert len(await book.diagnostics("c")) == 1
        softmax = types.Range(types.Position(1, 17), types.Position(1, 24))
        book.type("b", types.TextDocumentContentChangePartial(softmax, "softplus"))
        assert await book.diagnostics("c") == []
        book.splice(2, [], {"d": SIGMOID})
        assert len(await book.diagnostics("d")) == 1
        book.splice(2, ["d"], {})
        assert await book.diagnostics("d") == []
        book.splice(3, [], {"e": MORE})
        assert len(await book.diagnostics("e")) == 1
        identifier = types.NotebookDocumentIdentifier(book.uri)
        cells = [types.TextDocumentIdentifier(book.cell(key)) for key in "abce"]
        editor.client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(identifier, cells))
        assert await book.diagnostics("e") == []

    served(tmp_path, scenario)


def test_what_is_found_outlasts_a_half_typed_cell_and_a_broken_one_does_not_silence_the_others(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        book = Notebook(editor, "a.ipynb", {"a": IMPORT, "b": SIGMOID, "c": "v = 1"})
        assert len(await book.diagnostics("b")) == 1
        for key, text in (("a", f"{IMPORT}\nx = ("), ("c", f"{MORE}\nx = (")):
            book.type(key, types.TextDocumentContentChangeWholeDocument(text))
            await editor.hover(book.cell("a"), 0, 0)  # which waits until this version has been looked at
        book.type("a", types.TextDocumentContentChangeWholeDocument(IMPORT))
        await editor.hover(book.cell("a"), 0, 0)
        assert editor.published[book.cell("b")].empty()
        book.type("b", types.TextDocumentContentChangeWholeDocument(f"v = 1\n{MORE}"))
        (found,) = await book.diagnostics("b")
        assert (found.code, found.range.start.line) == ("log-sigmoid", 1)
        assert editor.published[book.cell("c")].empty()
        book.type("c", types.TextDocumentContentChangeWholeDocument(MORE))
        assert len(await book.diagnostics("c")) == 1

    served(tmp_path, scenario)


def test_everything_safe_in_a_notebook_is_fixed_at_once(tmp_path: Path) -> None:
    async def scenario(editor: Editor) -> None:
        book = Notebook(editor, "a.ipynb", {"a": IMPORT, "b": SPREAD, "c": LOG, "d": SIGMOID, "e": MORE})
        (found,) = await book.diagnostics("d")
        (action,) = await book.actions("d", found, "source.fixAll")
        assert action.kind == "source.fixAll.tfnanlint"
        assert sorted(action.edit.changes) == [book.cell(key) for key in "cde"]
        assert applied(MORE, action.edit, book.cell("e")) == "w = tf.math.log_sigmoid(x)"
        (whole,) = await book.actions("a", types.Diagnostic(found.range, ""), "notebook.source.fixAll")
        assert whole.edit == action.edit
        params = types.ExecuteCommandParams("tfnanlint.applyFixAll", [book.cell("e")])
        await editor.client.workspace_execute_command_async(params)
        assert await editor.applied.get() == action.edit

    served(tmp_path, scenario)
