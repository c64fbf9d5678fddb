"""An editor at the language server: a client over standard input and output, and what it was told."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from installed import COMMAND
from lsprotocol import types
from pygls.lsp.client import LanguageClient

import tfnanlint
from tfnanlint.finding import Edit
from tfnanlint.run.edits import apply_edits

PACKAGE_ROOT = str(Path(tfnanlint.__file__).parents[1])
PATIENCE = 60
"""Seconds after which what does not come is missing."""


class Editor:
    """An editor at the server, in a folder."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client, self.folder = client, folder
        self.published: dict[str, asyncio.Queue[types.PublishDiagnosticsParams]] = defaultdict(asyncio.Queue)
        self.messages: asyncio.Queue[str] = asyncio.Queue()
        self.applied: asyncio.Queue[types.WorkspaceEdit] = asyncio.Queue()
        self.registered: list[str] = []

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _published(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri].put_nowait(params)

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def _message(params: types.ShowMessageParams) -> None:
            self.messages.put_nowait(params.message)

        @client.feature(types.WORKSPACE_APPLY_EDIT)
        def _apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.applied.put_nowait(params.edit)
            return types.ApplyWorkspaceEditResult(True)

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def _register(params: types.RegistrationParams) -> None:
            self.registered += [registration.method for registration in params.registrations]

    def uri(self, name: str) -> str:
        """What the editor calls a file in its folder; a URI is one already."""
        return name if ":" in name else (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        item = types.TextDocumentItem(self.uri(name), "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, name: str, text: str, version: int) -> None:
        document = types.VersionedTextDocumentIdentifier(version, self.uri(name))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def save(self, name: str) -> None:
        identifier = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))

    async def diagnostics(self, name: str, version: int | None = None) -> list[types.Diagnostic]:
        """What is published next for a file (for a version of it)."""
        while True:
            params = await asyncio.wait_for(self.published[self.uri(name)].get(), PATIENCE)
            if version is None or params.version == version:
                return list(params.diagnostics)

    async def actions(self, name: str, diagnostic: types.Diagnostic, *only: str) -> list[types.CodeAction]:
        return await self.actions_in(name, diagnostic.range, *only)

    async def actions_in(self, name: str, place: types.Range, *only: str) -> list[types.CodeAction]:
        context = types.CodeActionContext([], only=list(only) or None)
        params = types.CodeActionParams(types.TextDocumentIdentifier(self.uri(name)), place, context)
        found: Any = await self.client.text_document_code_action_async(params)
        return list(found)

    async def resolved(self, action: types.CodeAction) -> types.CodeAction:
        return await asyncio.wait_for(self.client.code_action_resolve_async(action), PATIENCE)

    async def hover(self, name: str, line: int, character: int) -> str:
        identifier = types.TextDocumentIdentifier(self.uri(name))
        params = types.HoverParams(identifier, types.Position(line, character))
        found = await self.client.text_document_hover_async(params)
        return found.contents.value if found else ""


def applied(text: str, edit: types.WorkspaceEdit, uri: str, units: Callable[[str], int] = len) -> str:
    """A text after an edit of the workspace, its positions read in the client's units."""
    lines = text.split("\n")

    def column(place: types.Position) -> int:
        line = lines[place.line] if place.line < len(lines) else ""
        return 1 + next(n for n in range(len(line) + 1) if units(line[:n]) == place.character)

    edits = [
        Edit("", e.range.start.line + 1, column(e.range.start), e.range.end.line + 1, column(e.range.end), e.new_text)
        for e in edit.changes[uri]
    ]
    return apply_edits(text, edits)


def served(
    folder: Path,
    scenario: Callable[[Editor], Awaitable[None]],
    options: object = None,
    encodings: object = None,
    resolves: bool = False,
) -> None:
    """Play a scenario in an editor that starts the server and ends it; `resolves`: one that resolves code actions."""

    async def play() -> None:
        client = LanguageClient("test", "1")
        editor = Editor(client, folder)
        environment = os.environ | {"PYTHONPATH": PACKAGE_ROOT}
        await client.start_io(*COMMAND, "server", cwd=str(folder), env=environment)
        watched = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
        support = types.ClientCodeActionResolveOptions(properties=["edit"])
        resolving = types.CodeActionClientCapabilities(data_support=True, resolve_support=support)
        capabilities = types.ClientCapabilities(
            workspace=types.WorkspaceClientCapabilities(did_change_watched_files=watched),
            text_document=types.TextDocumentClientCapabilities(code_action=resolving) if resolves else None,
            general=types.GeneralClientCapabilities(position_encodings=encodings),
        )
        params = types.InitializeParams(capabilities, root_uri=folder.as_uri(), initialization_options=options)
        started = await asyncio.wait_for(client.initialize_async(params), PATIENCE)
        assert started.server_info.name == "tfnanlint"
        client.initialized(types.InitializedParams())
        await scenario(editor)
        await asyncio.wait_for(client.shutdown_async(None), PATIENCE)
        client.exit(None)
        await asyncio.wait_for(client.stop(), PATIENCE)

    asyncio.run(play())
