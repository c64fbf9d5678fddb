"""The rules about ignore comments, which no rule file holds: their names, what is said of each, what they must know."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

MARK = "tfnanlint:"
"""What every comment holds that speaks to this tool."""
GROUP = "meta"
UNUSED, BAD = "unused-ignore", "bad-ignore"
_ABOUT_UNUSED = """\
A comment `# tfnanlint: ignore[...]` stays behind when the code under it is repaired or moved, and would silence the
next real finding on its line. `--fix` removes it, or the names in it that do nothing. It is reported only for rules
that the run applied. So is an `off` in whose block nothing is found, and an `on` that ends no block."""
_ABOUT_BAD = """\
The forms are `# tfnanlint: ignore[rule-name, other-rule]` and `# tfnanlint: ignore` for a line, and
`# tfnanlint: ignore-file`, with or without names, for a file. `# tfnanlint: off[rule-name]` opens a block that
`# tfnanlint: on[rule-name]` closes; without names they speak of every rule. Names that no rule has are reported
here."""
META = {
    UNUSED: ("this ignore silences nothing", _ABOUT_UNUSED),
    BAD: ("this ignore cannot be understood", _ABOUT_BAD),
}
"""The rules about ignore comments: message and description of each."""


class Scope(NamedTuple):
    """What a run applies: rules by name, all names that exist, and which of these rules it reports."""

    active: Collection[str]
    known: Collection[str]
    meta: Collection[str] = frozenset(META)
