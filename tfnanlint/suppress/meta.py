"""The rules about ignore comments, which have no rule file: names, texts, and the rules that they know of."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

GROUP = "meta"
UNUSED, BAD = "unused-ignore", "bad-ignore"
CODES = {UNUSED: "TFN001", BAD: "TFN002"}
_ABOUT_UNUSED = """\
An ignore comment that silences nothing is often left behind when its code was fixed or moved. It would silence the next
real finding on its line. `--fix` removes it, or the unused names in it. An `ignore` or a `noqa` that is alone on its
line stays: it may be meant to protect code nearby. Only rules that the run applied count. An `off` without a finding in
its block and an `on` without an `off` are reported and removed, too."""
_ABOUT_BAD = """\
The forms are `# tfnanlint: ignore[rule-name, other-rule]` and `# tfnanlint: ignore` for a line, or alone on the line
above a statement, and `# tfnanlint: ignore-file`, with or without names, for a file. `# tfnanlint: off[rule-name]`
opens a block that `# tfnanlint: on[rule-name]` closes; without names they apply to all rules. Names are
those of rules or groups, or codes of rules; `# noqa: TFN118` takes codes. A name without brackets, the name of a rule
in a `noqa`, a missing colon, an unknown name and an unknown directive, such as `disable-next-line`, are reported."""
META = {
    UNUSED: ("unused ignore comment", _ABOUT_UNUSED),
    BAD: ("invalid ignore comment", _ABOUT_BAD),
}
"""The rules about ignore comments: message and description of each."""


class Scope(NamedTuple):
    """What a run applies: rules by name, all names that exist, and which of these rules it reports.

    `groups` and `codes` are the other names that rules go by, each with the rules that it stands for.
    """

    active: Collection[str]
    known: Collection[str]
    meta: Collection[str] = frozenset(META)
    groups: Mapping[str, Collection[str]] = {}
    codes: Mapping[str, Collection[str]] = {}

    def of_a_part(self) -> Scope:
        """The same where a file was not analysed to its end: what is not found may stand in the rest of it."""
        return self._replace(meta=frozenset(self.meta) - {UNUSED})

    def rules(self, name: str) -> Collection[str]:
        """The rules of a name, group or code; for an unknown one, the name itself."""
        return self.groups.get(name) or self.codes.get(name) or (name,)

    def has(self, name: str) -> bool:
        """Whether a name is that of a rule, a group or a code."""
        return name in self.known or name in META or name in self.groups or name in self.codes


_MARKS = (b"tfnanlint", b"TFN")
_NOQA = re.compile(rb"noqa\s*:(?:(?!noqa\s*:).)*?(?:TFN|[a-z]-[a-z])", flags=re.IGNORECASE)
"""A `noqa` with a code of this tool in any case, or with a word that may be the name of a rule.

No letter is looked at for two of them, so that the time grows with the text and not with its square.
"""


def is_marked(text: str) -> bool:
    """Whether a text may contain a comment for this tool."""
    return are_marked(text.encode("utf-8", "surrogatepass"))


def are_marked(data: bytes) -> bool:
    """Whether bytes may: every comment has the name of this tool, a code, or a `noqa` that may be meant for it."""
    if any(mark in data for mark in _MARKS):
        return True
    return (b"noqa" in data or b"NOQA" in data) and _NOQA.search(data) is not None
