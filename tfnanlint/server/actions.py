"""Code actions: offered at once, with the data from which their edits are computed when one is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lsprotocol import types

from tfnanlint.finding import Finding
from tfnanlint.server.convert import title


class Wanted(NamedTuple):
    """What the edit of an action is to be: of a version of a document all repairs, or a comment for what is found."""

    uri: str
    version: int
    position: list[Any] | None = None
    """The position of the finding, as a client hands it back: JSON knows no tuples."""

    @classmethod
    def of(cls, data: object) -> Wanted | None:
        """What was said when the action was offered; None for an action that needs no more."""
        given = data if isinstance(data, Mapping) else {key: getattr(data, key, None) for key in cls._fields}
        uri, version, position = (given.get(key) for key in cls._fields)
        if not isinstance(uri, str) or not isinstance(version, int):
            return None
        return cls(uri, version, list(position) if position else None)

    def is_about(self, finding: Finding) -> bool:
        """Whether the comment is for this finding."""
        return self.position == list(finding.position)


def fix_action(found: Finding, diagnostic: types.Diagnostic, edit: types.WorkspaceEdit) -> types.CodeAction:
    """The repair of a finding."""
    assert found.fix is not None
    return types.CodeAction(
        title(found), types.CodeActionKind.QuickFix, [diagnostic], is_preferred=found.fix.safe, edit=edit
    )


def ignore_action(found: Finding, diagnostic: types.Diagnostic, uri: str, version: int) -> types.CodeAction:
    """A comment that silences a finding."""
    data = Wanted(uri, version, list(found.position))._asdict()
    return types.CodeAction(f"Ignore {found.rule} here", types.CodeActionKind.QuickFix, [diagnostic], data=data)


def fix_all_action(kind: str, uri: str, version: int) -> types.CodeAction:
    """All safe repairs of a document."""
    return types.CodeAction("tfnanlint: apply all safe fixes", kind, data=Wanted(uri, version)._asdict())
