"""The protocol side of the server: when to lint a text, and what to send to the client.

A text is linted a moment after the last keystroke in a separate thread, so that the server stays responsive. Results
for an outdated version are dropped. While a text is not valid Python, as often between two keystrokes, the last
findings stay.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePath
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from tfnanlint.config.discovery import FILES
from tfnanlint.config.settings import Settings
from tfnanlint.errors import TfnanlintError, suggestion
from tfnanlint.finding import Edit, Finding
from tfnanlint.report.about import about
from tfnanlint.server.actions import Wanted, fix_action, fix_all_action, ignore_action
from tfnanlint.server.analyst import Analyst, Checked
from tfnanlint.server.convert import Converter, Part, page
from tfnanlint.server.documents import Document, path_of
from tfnanlint.server.positions import Encoding

DELAY = 0.2
"""Seconds without a keystroke after which a text is linted."""
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.tfnanlint"
NOTEBOOK_FIX_ALL = f"notebook.{FIX_ALL}"
FIX_ALL_COMMAND = "tfnanlint.applyFixAll"
OPTIONS = ("configuration", "select", "ignore", "pedantic", "run")

T = TypeVar("T")


class Service:
    """One client's documents, and the analyst who lints them."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._analyst = Analyst()
        self._on_type = True
        self._documents: dict[str, Document] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = ThreadPoolExecutor(1, "tfnanlint")
        self._told: set[str] = set()
        self._sent: dict[str, list[types.Diagnostic]] = {}

    # Documents.

    def configure(self, options: object) -> None:
        """Take over the client's settings."""
        given = options if isinstance(options, Mapping) else {}
        given = given.get("tfnanlint", given.get("settings", given))
        given = given if isinstance(given, Mapping) else {}
        for key in given:
            if key not in OPTIONS:
                self._tell(f"unknown setting `{key}`{suggestion(str(key), OPTIONS, ', '.join(OPTIONS))}")
        lists = {key: given.get(key) or () for key in ("select", "ignore")}
        for key, value in lists.items():
            if not isinstance(value, Sequence) or isinstance(value, str):
                self._tell(f"setting `{key}` is not a list of names")
                lists[key] = ()
        select, ignore = (tuple(map(str, value)) for value in lists.values())
        wanted = Settings(select, ignore, pedantic=bool(given.get("pedantic")))
        self._analyst = Analyst(wanted, given.get("configuration") or None)
        self._on_type = given.get("run", "onType") != "onSave"

    def open(self, document: Document) -> None:
        """A text or a notebook was opened."""
        self._documents[document.uri] = document
        self._lint_soon(document.uri, 0)

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A text was changed."""
        document = self._documents.get(params.text_document.uri)
        if document is not None:
            document.change(params.content_changes, self._encoding)
            self._changed(document, params.text_document.version)

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """The cells of a notebook, or what is in them, were changed."""
        document = self._documents.get(params.notebook_document.uri)
        if document is not None and params.change.cells is not None:
            for uri in document.change_cells(params.change.cells, self._encoding):
                self._send(uri, [], in_cell=True)
            self._changed(document, params.notebook_document.version)

    def _changed(self, document: Document, version: int) -> None:
        """A document has a new version: lint it, and those that may import it."""
        document.version = version
        if self._on_type:
            self._lint_soon(document.uri, DELAY)
            name = PurePath(document.path).stem
            for other in self._documents.values():
                if other is not document and document.cells is None and other.says(name):
                    self._lint_soon(other.uri, 2 * DELAY, stale=True)

    def written(self, uris: Iterable[str]) -> None:
        """Files were saved: what they configure may have changed, or what imports them."""
        paths = [path_of(uri) for uri in uris]
        folders = tuple({folder for document in self._documents.values() for folder in document.checked.folders})
        if any(os.path.basename(path) in FILES or path.startswith(folders) for path in paths):
            self._analyst.reload()
            self._told.clear()
        self.lint_all()

    def close(self, uri: str) -> None:
        """A text or a notebook was closed."""
        closed = self._documents.pop(uri, None)
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()
        if closed is not None:
            for part, named, _, _ in closed.parts():
                self._send(named, [], in_cell=part[1] is not None)
            for path in {found.path for found in closed.checked.findings} - {closed.path}:
                self._publish(path)

    def lint_all(self) -> None:
        """Lint everything again."""
        for uri in self._documents:
            self._lint_soon(uri, 0, stale=True)

    def end(self) -> None:
        """The client leaves."""
        for handle in self._waiting.values():
            handle.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    # Linting.

    def _lint_soon(self, uri: str, delay: float, stale: bool = False) -> None:
        """Lint a text after a while in which nothing else asks for it; `stale`: also if it has not changed."""
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()
        if stale:
            self._documents[uri].looked_at = None
        loop = asyncio.get_running_loop()
        self._waiting[uri] = loop.call_later(delay, lambda: self._start(self._lint(uri)))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _lint(self, uri: str) -> None:
        """Lint a text and publish what is found, unless it has changed meanwhile."""
        self._waiting.pop(uri, None)
        document = self._documents.get(uri)
        if document is None:
            return
        version = document.version
        checked = await self._aside(self._analyst.check, document.path, document.source, self._texts())
        if self._documents.get(uri) is not document or document.version != version:
            return
        for problem in checked.problems:
            self._tell(str(problem))
        document.looked_at = version
        half_typed = document.is_half_typed(checked.broken)
        if (checked.readable and not half_typed) or document.found_in is None:
            here = [found for found in document.checked.findings if found.path == document.path]
            checked.findings += [found for found in here if found.cell in checked.broken]
            paths = {found.path for found in (*document.checked.findings, *checked.findings)}
            document.found_in = version
            document.checked = checked
            for path in sorted({document.path} | paths):
                self._publish(path)

    async def _current(self, uri: str) -> tuple[Document, Part] | None:
        """The document and the part of it that a client asks for, once its findings are those of its text.

        None where it is not open, or changes meanwhile.
        """
        asked = self._part(uri)
        if asked is None:
            return None
        document, _ = asked
        if document.looked_at != document.version:
            if document.uri in self._waiting:
                self._waiting.pop(document.uri).cancel()
            await self._lint(document.uri)
        return asked if document.looked_at == document.version else None

    async def _aside(self, work: Callable[..., T], *arguments: object) -> T:
        """The outcome of work that is done in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: work(*arguments))

    def _texts(self) -> dict[str, str]:
        return {document.path: document.text for document in self._documents.values() if document.cells is None}

    def _part(self, uri: str) -> tuple[Document, Part] | None:
        """The document, and the part of it, that the client calls so."""
        if uri in self._documents:
            return self._documents[uri], (self._documents[uri].path, None)
        for document in self._documents.values():
            for part, named, _, _ in document.parts():
                if named == uri:
                    return document, part
        return None

    def _found_in(self, path: str) -> list[tuple[Finding, Checked]]:
        """What is found in a file, through its own text and those of others."""
        found: dict[tuple[object, ...], tuple[Finding, Checked]] = {}
        for document in sorted(self._documents.values(), key=lambda document: document.path != path):
            for finding in document.checked.findings:
                if finding.path == path:
                    found.setdefault(finding.position, (finding, document.checked))
        return list(found.values())

    def _at(
        self, document: Document, part: Part, place: types.Range, converter: Converter
    ) -> list[tuple[Finding, Checked]]:
        """What is found at a place of a text; nothing where the text as it stands could not be looked into."""
        found = self._found_in(document.path) if document.found_in == document.version else []
        return [
            (finding, checked)
            for finding, checked in found
            if finding.cell == part[1] and finding.cell not in checked.broken
            if _meet(converter.range_of(finding), place)
        ]

    def _publish(self, path: str) -> None:
        """Send what is found in a file, which need not be open, or in the cells of a notebook."""
        converter = self._converter()
        found: dict[Part, list[types.Diagnostic]] = {}
        for finding, _ in self._found_in(path):
            found.setdefault((path, finding.cell), []).append(converter.diagnostic(finding))
        opened = [document for document in self._documents.values() if document.path == path]
        for part, uri, _, version in (parts for document in opened for parts in document.parts()):
            self._send(uri, found.get(part, []), version, part[1] is not None)
        if not opened:
            self._send(converter.uri((path, None)), found.get((path, None), []))

    def _send(self, uri: str, found: list[types.Diagnostic], version: int | None = None, in_cell: bool = False) -> None:
        """Send what is found in a text, or in a cell; of the many cells of a notebook only where that is new."""
        if in_cell and self._sent.get(uri, []) == found:
            return
        if in_cell:
            self._sent[uri] = found
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    # Answers.

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """The repairs of what is found in a range, a comment for each, and all safe repairs at once.

        Slow work is left to `resolve` if the client supports that, because clients ask on every cursor move.
        """
        asked = await self._current(params.text_document.uri)
        if asked is None:
            return []
        document, part = asked
        only = params.context.only
        converter = self._converter()
        actions: list[types.CodeAction] = []
        if _is_wanted(types.CodeActionKind.QuickFix.value, only):
            here = self._at(document, part, params.range, converter)
            told = [converter.diagnostic(found) for found, _ in here]
            for (found, checked), diagnostic in zip(here, told, strict=True):
                if checked.repairs.get(found):
                    actions.append(fix_action(found, diagnostic, converter.workspace_edit(checked.repairs[found])))
            for (found, _), diagnostic in zip(here, told, strict=True):
                ignore = ignore_action(found, diagnostic, document.uri, document.version)
                actions.append(ignore if self._resolves else await self.resolve(ignore))
        kinds = [kind for kind in (FIX_ALL, NOTEBOOK_FIX_ALL) if _is_wanted(kind, only or [FIX_ALL])]
        if kinds and any(found.fix and found.fix.safe for found in document.findings):
            every = [fix_all_action(kind, document.uri, document.version) for kind in kinds]
            if self._resolves:
                actions += every
            elif only:  # on every move of the cursor it would take too long
                actions += [one for action in every if (one := await self.resolve(action)).edit is not None]
        return actions

    @property
    def _resolves(self) -> bool:
        """Whether the client asks for the edit of an action once someone chooses it."""
        text_document = self._server.client_capabilities.text_document
        action = text_document.code_action if text_document else None
        support = action.resolve_support if action else None
        return support is not None and "edit" in support.properties

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """An action with its edit; without one where the text has changed since the action was offered."""
        wanted = Wanted.of(action.data)
        document = self._documents.get(wanted.uri) if wanted else None
        if wanted is None or document is None or document.version != wanted.version:
            return action
        if wanted.position is None:
            edits = await self._all_repairs(document)
        else:
            found = next((one for one, _ in self._found_in(document.path) if wanted.is_about(one)), None)
            if found is None:
                return action
            edits = await self._aside(self._analyst.ignoring, document.path, document.source, found)
        if edits:
            action.edit = self._converter().workspace_edit(edits)
        return action

    async def _all_repairs(self, document: Document) -> list[Edit]:
        """The edits that make all safe repairs of a document, worked out once for each of its versions."""
        version = document.version
        if document.all_repairs is None or document.all_repairs[0] != version:
            edits = await self._aside(self._analyst.repairs, document.path, document.source, self._texts())
            document.all_repairs = version, edits
        return document.all_repairs[1]

    async def fix_all(self, uri: str) -> None:
        """Have the client make all safe repairs of a text."""
        asked = self._part(uri)
        if asked is None:
            return
        document, _ = asked
        edits = await self._all_repairs(document)
        if edits:
            edit = self._converter().workspace_edit(edits)
            await self._server.workspace_apply_edit_async(
                types.ApplyWorkspaceEditParams(edit, "tfnanlint: apply all safe fixes")
            )

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """The range of the value under the cursor, and the rules of the findings there."""
        asked = await self._current(params.text_document.uri)
        if asked is None:
            return None
        document, part = asked
        converter = self._converter()
        line, column = converter.place(part, params.position)
        arguments = (document.path, document.source, self._texts(), line, column, part[1])
        values = await self._aside(self._analyst.revealed, *arguments)
        found = self._at(document, part, types.Range(params.position, params.position), converter)
        return converter.hover(part, values, [page(one, about(one.rule, checked.folders)) for one, checked in found])

    # The client.

    @property
    def _encoding(self) -> Encoding:
        return self._server.workspace.position_encoding

    def _converter(self) -> Converter:
        parts = [part for document in self._documents.values() for part in document.parts()]
        texts = {part: text for part, _, text, _ in parts}
        uris = {part: uri for part, uri, _, _ in parts}
        return Converter(lambda part: texts.get(part) or _on_disk(part[0]), uris.get, self._encoding)

    def _tell(self, text: str) -> None:
        """Show the user a sentence, once."""
        if text not in self._told:
            self._told.add(text)
            params = types.ShowMessageParams(types.MessageType.Warning, f"tfnanlint: {text}")
            self._server.window_show_message(params)


def _on_disk(path: str) -> str | None:
    from tfnanlint.run.files import read

    try:
        return read(path).text
    except TfnanlintError:
        return None


def _meet(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _is_wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a client that asks for some kinds of actions wants one of this kind: kinds are trees, named by paths."""
    asked = [str(getattr(one, "value", one)) for one in only or [kind]]
    return any(kind == one or kind.startswith(f"{one}.") for one in asked)
