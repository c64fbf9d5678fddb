"""The rules about ignore comments, which have no rule file: names, texts, and the rules that they know of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

MARKS = ("tfnanlint", "TFN")
"""What every comment holds one of that speaks to this tool: its name, or a code in a `noqa`."""
GROUP = "meta"
UNUSED, BAD = "unused-ignore", "bad-ignore"
CODES = {UNUSED: "TFN001", BAD: "TFN002"}
_ABOUT_UNUSED = """\
A comment `# tfnanlint: ignore[...]` stays behind when the code under it is repaired or moved, and would silence the
next real finding on its line. `--fix` removes it, or the names in it that do nothing. It is reported only for rules
that the run applied. So is an `off` in whose block nothing is found, and an `on` that ends no block."""
_ABOUT_BAD = """\
The forms are `# tfnanlint: ignore[rule-name, other-rule]` and `# tfnanlint: ignore` for a line, or alone on the line
above a statement, and `# tfnanlint: ignore-file`, with or without names, for a file. `# tfnanlint: off[rule-name]`
opens a block that `# tfnanlint: on[rule-name]` closes; without names they speak of every rule. A name is that of a rule
or of a group, or a rule's code; `# noqa: TFN118` takes codes. A name without brackets, a missing colon and a name that
no rule has are reported here."""
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

    def rules(self, name: str) -> Collection[str]:
        """The rules of a name, group or code; for an unknown one, the name itself."""
        return self.groups.get(name) or self.codes.get(name) or (name,)

    def has(self, name: str) -> bool:
        """Whether a name is that of a rule, a group or a code."""
        return name in self.known or name in META or name in self.groups or name in self.codes


def is_marked(text: str) -> bool:
    """Whether a text may contain a comment for this tool."""
    return any(mark in text for mark in MARKS)
