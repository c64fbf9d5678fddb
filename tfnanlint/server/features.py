"""The capabilities of the server, and the handlers of the client's requests."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from tfnanlint import __version__
from tfnanlint.config.discovery import FILES
from tfnanlint.server.documents import open_notebook, open_text
from tfnanlint.server.service import FIX_ALL, FIX_ALL_COMMAND, NOTEBOOK_FIX_ALL, Service


def make_server() -> LanguageServer:
    """A server with all its features."""
    python = types.NotebookDocumentFilterWithCells(cells=[types.NotebookCellLanguage("python")])
    server = LanguageServer(
        "tfnanlint",
        __version__,
        text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
        notebook_document_sync=types.NotebookDocumentSyncOptions([python], save=True),
    )
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
        service.open(open_text(params.text_document))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def _changed(params: types.DidChangeTextDocumentParams) -> None:
        service.change(params)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def _saved(params: types.DidSaveTextDocumentParams) -> None:
        service.written([params.text_document.uri])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def _closed(params: types.DidCloseTextDocumentParams) -> None:
        service.close(params.text_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    async def _notebook_opened(params: types.DidOpenNotebookDocumentParams) -> None:
        service.open(open_notebook(params.notebook_document, params.cell_text_documents))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    async def _notebook_changed(params: types.DidChangeNotebookDocumentParams) -> None:
        service.change_notebook(params)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    async def _notebook_saved(params: types.DidSaveNotebookDocumentParams) -> None:
        service.written([params.notebook_document.uri])

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    async def _notebook_closed(params: types.DidCloseNotebookDocumentParams) -> None:
        service.close(params.notebook_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def _watched(params: types.DidChangeWatchedFilesParams) -> None:
        service.written(change.uri for change in params.changes)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def _configured(params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            service.configure(params.settings)
            service.lint_all()

    kinds = [types.CodeActionKind.QuickFix, FIX_ALL, NOTEBOOK_FIX_ALL]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(kinds, resolve_provider=True))
    async def _actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await service.actions(params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def _resolve(action: types.CodeAction) -> types.CodeAction:
        return await service.resolve(action)

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
