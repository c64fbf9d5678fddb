"""Patterns in the form of .gitignore: which of them cannot be used, and why."""

from __future__ import annotations

import re

MOST_WILDCARDS = 2
"""The most wildcards of a pattern beyond one in each name: the time to match more grows with the power of a path."""
_SHOWN = 60
"""Characters of a pattern in a message."""
_CHOICE = re.compile(r"\\.|\[[!^]?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]")
"""A character that is escaped, or a choice of characters in brackets."""


def fault_of(pattern: str) -> str:
    """What makes a pattern unusable; nothing for one that can be used."""
    if pattern.startswith("#"):
        return ""
    if "[" in _CHOICE.sub("", pattern):
        return rf"no `]` closes a `[`: {pattern[:_SHOWN]}; write `\[` for the character"
    if _wildcards(pattern) > MOST_WILDCARDS:
        return f"too many wildcards: {pattern[:_SHOWN]}; write several patterns"
    return ""


def _wildcards(pattern: str) -> int:
    """The wildcards of a pattern whose extents depend on each other: `**`, and `*` beyond the first one in a name."""
    names = pattern.strip().removesuffix("/").removesuffix("/**").split("/")
    return sum(1 if name == "**" else max(0, name.count("*") - 1) for name in names)
