"""The protocol's side of the server: when a text is linted, and what is sent to the client.

A text is linted a moment after the last keystroke, in a thread of its own, so that the server answers meanwhile; what
comes back for a version that is no longer current is thrown away. While a text is no Python, as it often is between
two keystrokes, what was last found in it stays.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from tfnanlint import __version__
from tfnanlint.config.keys import suggestion
from tfnanlint.config.nearest import FILES, Settings
from tfnanlint.finding import Finding
from tfnanlint.report.about import about
from tfnanlint.server.analyst import Analyst, Checked
from tfnanlint.server.convert import Converter, page, title

DELAY = 0.2
"""Seconds without a keystroke after which a text is linted."""
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.tfnanlint"
FIX_ALL_COMMAND = "tfnanlint.applyFixAll"
OPTIONS = ("configuration", "select", "ignore", "pedantic", "run")

T = TypeVar("T")


@dataclass
class Document:
    """An open text, and what was last found in it.

    `looked_at` is the version that was last looked at, if that still holds; `found_in` the one that `checked` is of.
    """

    uri: str
    path: str
    text: str
    version: int
    checked: Checked = field(default_factory=Checked)
    looked_at: int | None = None
    found_in: int | None = None

    @property
    def findings(self) -> list[Finding]:
        """What is found in the text as it stands; nothing where that could not be looked into."""
        return self.checked.findings if self.found_in == self.version else []


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

    # Documents.

    def configure(self, options: object) -> None:
        """Take over the client's settings."""
        given = options if isinstance(options, Mapping) else {}
        given = given.get("tfnanlint", given.get("settings", given))
        given = given if isinstance(given, Mapping) else {}
        for key in given:
            if key not in OPTIONS:
                self._tell(f"unknown setting `{key}`{suggestion(str(key), OPTIONS, ', '.join(OPTIONS))}")
        select, ignore = (tuple(map(str, given.get(key) or ())) for key in ("select", "ignore"))
        wanted = Settings(select, ignore, pedantic=bool(given.get("pedantic")))
        self._analyst = Analyst(wanted, given.get("configuration") or None)
        self._on_type = given.get("run", "onType") != "onSave"

    def open(self, item: types.TextDocumentItem) -> None:
        """A text was opened."""
        self._documents[item.uri] = Document(item.uri, _path(item.uri), _whole(item.text), item.version)
        self._lint_soon(item.uri, 0)

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A text was changed: the whole of it comes."""
        document = self._documents.get(params.text_document.uri)
        if document is None or not params.content_changes:
            return
        document.text = _whole(params.content_changes[-1].text)
        document.version = params.text_document.version
        if self._on_type:
            self._lint_soon(document.uri, DELAY)
            name = PurePath(document.path).stem
            for other in self._documents.values():  # those that may import it
                if other is not document and name in other.text:
                    self._lint_soon(other.uri, 2 * DELAY, stale=True)

    def written(self, uris: Iterable[str]) -> None:
        """Files were saved: what they configure may have changed, or what imports them."""
        paths = [_path(uri) for uri in uris]
        folders = tuple({folder for document in self._documents.values() for folder in document.checked.folders})
        if any(os.path.basename(path) in FILES or path.startswith(folders) for path in paths):
            self._analyst.reload()
            self._told.clear()
        self.lint_all()

    def close(self, uri: str) -> None:
        """A text was closed."""
        closed = self._documents.pop(uri, None)
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        for path in {found.path for found in closed.checked.findings} - {closed.path} if closed else ():
            self._publish(path)

    def lint_all(self) -> None:
        """Lint everything anew."""
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
        checked = await self._aside(self._analyst.check, document.path, document.text, self._texts())
        if self._documents.get(uri) is not document or document.version != version:
            return
        for problem in checked.problems:
            self._tell(str(problem))
        document.looked_at = version
        if checked.readable or document.found_in is None:
            paths = {found.path for found in (*document.checked.findings, *checked.findings)}
            document.found_in = version
            document.checked = checked
            for path in sorted({document.path} | paths):
                self._publish(path)

    async def _current(self, uri: str) -> Document | None:
        """A document once its findings are those of its text; None where it is not open, or changes meanwhile."""
        document = self._documents.get(uri)
        if document is None:
            return None
        if document.looked_at != document.version:
            if uri in self._waiting:
                self._waiting.pop(uri).cancel()
            await self._lint(uri)
        return document if document.looked_at == document.version else None

    async def _aside(self, work: Callable[..., T], *arguments: object) -> T:
        """The outcome of work that is done in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: work(*arguments))

    def _texts(self) -> dict[str, str]:
        return {document.path: document.text for document in self._documents.values()}

    def _found_in(self, path: str) -> list[tuple[Finding, tuple[str, ...]]]:
        """What is found in a file, through its own text and those of others, with the folders of rules that apply."""
        found: dict[tuple[object, ...], tuple[Finding, tuple[str, ...]]] = {}
        for document in sorted(self._documents.values(), key=lambda document: document.path != path):
            for finding in document.checked.findings:
                if finding.path == path:
                    found.setdefault(finding.position, (finding, document.checked.folders))
        return list(found.values())

    def _at(self, document: Document, converter: Converter, place: types.Range) -> list[Finding]:
        """What is found at a place of a text; nothing where the text as it stands could not be looked into."""
        found = self._found_in(document.path) if document.found_in == document.version else []
        return [finding for finding, _ in found if _meet(converter.range_of(finding), place)]

    def _publish(self, path: str) -> None:
        """Send what is found in a file, which need not be open."""
        converter = self._converter()
        found = [
            converter.diagnostic(finding, about(finding.rule, folders)) for finding, folders in self._found_in(path)
        ]
        version = next((document.version for document in self._documents.values() if document.path == path), None)
        params = types.PublishDiagnosticsParams(converter.uri(path), found, version)
        self._server.text_document_publish_diagnostics(params)

    # Answers.

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """The repairs of what is found in a range, a comment for each, and all safe repairs at once."""
        document = await self._current(params.text_document.uri)
        if document is None:
            return []
        converter, only = self._converter(), params.context.only
        actions: list[types.CodeAction] = []
        if _is_wanted(types.CodeActionKind.QuickFix.value, only):
            here = self._at(document, converter, params.range)
            actions += [self._fix(converter, document, found) for found in here if found.fix and found.fix.edits]
            actions += [await self._ignore(converter, document, found) for found in here]
        if _is_wanted(FIX_ALL, only) and any(found.fix and found.fix.safe for found in document.findings):
            edits = await self._aside(self._analyst.repairs, document.path, document.text, self._texts())
            if edits:
                edit = converter.workspace_edit(edits)
                actions.append(types.CodeAction("tfnanlint: fix all that is safe", FIX_ALL, edit=edit))
        return actions

    def _fix(self, converter: Converter, document: Document, found: Finding) -> types.CodeAction:
        assert found.fix is not None
        return types.CodeAction(
            title(found),
            types.CodeActionKind.QuickFix,
            diagnostics=[converter.diagnostic(found, about(found.rule, document.checked.folders))],
            is_preferred=found.fix.safe,
            edit=converter.workspace_edit(found.fix.edits),
        )

    async def _ignore(self, converter: Converter, document: Document, found: Finding) -> types.CodeAction:
        edits = await self._aside(self._analyst.ignoring, document.path, document.text, found)
        return types.CodeAction(
            f"Ignore {found.rule} here",
            types.CodeActionKind.QuickFix,
            diagnostics=[converter.diagnostic(found, about(found.rule, document.checked.folders))],
            edit=converter.workspace_edit(edits),
        )

    async def fix_all(self, uri: str) -> None:
        """Have the client make all safe repairs of a text."""
        document = self._documents.get(uri)
        if document is None:
            return
        edits = await self._aside(self._analyst.repairs, document.path, document.text, self._texts())
        if edits:
            edit = self._converter().workspace_edit(edits)
            await self._server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, "tfnanlint: fix all"))

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What is known of the value under the cursor, and the rule of what is found there."""
        document = await self._current(params.text_document.uri)
        if document is None:
            return None
        converter = self._converter()
        line, column = converter.place(document.path, params.position)
        arguments = (document.path, document.text, self._texts(), line, column)
        values = await self._aside(self._analyst.revealed, *arguments)
        here = types.Range(params.position, params.position)
        found = self._at(document, converter, here)
        return converter.hover(document.path, values, [page(f, about(f.rule, document.checked.folders)) for f in found])

    # The client.

    def _converter(self) -> Converter:
        texts = self._texts()
        uris = {document.path: uri for uri, document in self._documents.items()}
        encoding = self._server.workspace.position_encoding
        return Converter(lambda path: texts.get(path) or _on_disk(path), uris.get, encoding)

    def _tell(self, text: str) -> None:
        """Show the user a sentence, once."""
        if text not in self._told:
            self._told.add(text)
            params = types.ShowMessageParams(types.MessageType.Warning, f"tfnanlint: {text}")
            self._server.window_show_message(params)


def _path(uri: str) -> str:
    """The path of a file; of what is no file, the URI itself."""
    return (to_fs_path(uri) if uri.startswith("file:") else None) or uri


def _whole(text: str) -> str:
    """The text with something else for each half of a character, which JSON can hold and no file can."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _on_disk(path: str) -> str | None:
    from tfnanlint.errors import TfnanlintError
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


def make_server() -> LanguageServer:
    """A server with all its features."""
    server = LanguageServer("tfnanlint", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
    service = Service(server)

    @server.feature(types.INITIALIZE)
    def _initialize(params: types.InitializeParams) -> None:
        service.configure(params.initialization_options)

    @server.feature(types.INITIALIZED)
    async def _initialized(_: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching and watching.dynamic_registration:
            patterns = [types.FileSystemWatcher(f"**/{name}") for name in (*FILES, "*.py")]
            options = types.DidChangeWatchedFilesRegistrationOptions(patterns)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration("tfnanlint-files", method, options)
            await server.client_register_capability_async(types.RegistrationParams([registration]))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def _opened(params: types.DidOpenTextDocumentParams) -> None:
        service.open(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def _changed(params: types.DidChangeTextDocumentParams) -> None:
        service.change(params)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def _saved(params: types.DidSaveTextDocumentParams) -> None:
        service.written([params.text_document.uri])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def _closed(params: types.DidCloseTextDocumentParams) -> None:
        service.close(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def _watched(params: types.DidChangeWatchedFilesParams) -> None:
        service.written(change.uri for change in params.changes)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def _configured(params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            service.configure(params.settings)
            service.lint_all()

    kinds = [types.CodeActionKind.QuickFix, FIX_ALL]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(kinds))
    async def _actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await service.actions(params)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def _hover(params: types.HoverParams) -> types.Hover | None:
        return await service.hover(params)

    @server.command(FIX_ALL_COMMAND)
    async def _fix_all(uri: str) -> None:
        await service.fix_all(uri)

    @server.feature(types.SHUTDOWN)
    def _shutdown(*_: object) -> None:
        service.end()

    return server
