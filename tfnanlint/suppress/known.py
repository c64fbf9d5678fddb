"""Known findings that are not reported again: those of a baseline file or of an older version.

A finding is identified by its rule and the reported code without white space, so that it stays known when lines move.
Of equal ones, as many are known as there were.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tfnanlint.errors import ConfigError
from tfnanlint.finding import Finding
from tfnanlint.run.edits import split_lines
from tfnanlint.run.files import FileError, read_bytes, shown, write_report
from tfnanlint.suppress.fingerprint import LineOf, code_of

VERSION = 1
MOST, LARGEST = 1_000_000, 20_000_000
"""The highest count of one entry, and the most bytes of a baseline file."""
Key = tuple[str, str]
"""(rule, code)"""
Unknown = Callable[[str, list[Finding], LineOf], list[Finding]]
"""What is left of all findings in a file without those that are known, by the lines of its text."""
Judged = Callable[[str, str], bool]
"""Whether a run has looked for a rule in a file."""


class Known:
    """The known findings of each file, by its path in reports."""

    def __init__(self, entries: Mapping[str, Counter[Key]]) -> None:
        self._entries = entries
        self._left = dict(entries)

    def unknown(self, path: str, findings: Iterable[Finding], line_of: LineOf) -> list[Finding]:
        """Those of all findings in a file that are not known."""
        left = Counter(self._entries.get(path))
        unknown = []
        for found in findings:
            key = (found.rule, code_of(found, line_of)) if left else None
            if key is not None and left[key] > 0:
                left[key] -= 1
            else:
                unknown.append(found)
        self._left[path] = left
        return unknown

    def unused(self, looked_at: Iterable[str]) -> int:
        """How many entries no finding has used, of files that were looked at or are gone."""
        files = set(looked_at)
        left = (keys for path, keys in self._left.items() if path in files or not os.path.exists(path))
        return sum(count for keys in left for count in keys.values())


def lines_of(text: str) -> LineOf:
    """The lines of one text, whatever file or cell is asked for."""
    lines = split_lines(text)
    return lambda _path, number, _cell: lines[number - 1] if 0 < number <= len(lines) else None


def keys_of(findings: Iterable[Finding], line_of: LineOf) -> dict[str, Counter[Key]]:
    """What findings are known by, for each file."""
    entries: dict[str, Counter[Key]] = {}
    for found in findings:
        entries.setdefault(found.path, Counter())[found.rule, code_of(found, line_of)] += 1
    return entries


def read_baseline(path: str) -> dict[str, Counter[Key]]:
    """The entries of a baseline file; `ConfigError` if it is not one."""
    try:
        content = json.loads(read_bytes(path, LARGEST))
        listed = content["findings"]
        if content["version"] != VERSION:
            raise ConfigError(
                f"{path}: a baseline of version {content['version']}; write it again with --write-baseline"
            )
        entries: dict[str, Counter[Key]] = {}
        folder = os.path.dirname(os.path.abspath(path))
        for entry in listed:
            file = shown(os.path.join(folder, *_text(entry["path"]).split("/")))
            count = entry.get("count", 1)
            if not isinstance(count, int) or not 0 < count <= MOST:
                raise TypeError
            entries.setdefault(file, Counter())[_text(entry["rule"]), _text(entry["code"])] += count
    except FileError as error:
        raise ConfigError(str(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ConfigError(f"{path}: not a baseline file; create one with --write-baseline") from None
    return entries


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def write_baseline(path: str, findings: Sequence[Finding], line_of: LineOf, judged: Judged) -> str:
    """Write a baseline of these findings, and keep what an older one says of existing files that was not judged.

    A sentence about what was written.
    """
    entries = keys_of(findings, line_of)
    kept = 0
    if os.path.exists(path):
        for file, keys in read_baseline(path).items():
            left = Counter({key: count for key, count in keys.items() if not judged(file, key[0])})
            if left and os.path.exists(file):
                here = entries.setdefault(file, Counter())
                kept += (left - here).total()
                here |= left
    folder = os.path.dirname(os.path.abspath(path))
    listed = [
        {"path": os.path.relpath(file, folder).replace(os.sep, "/"), "rule": rule, "code": code, "count": count}
        for file, keys in entries.items()
        for (rule, code), count in keys.items()
    ]
    listed.sort(key=lambda entry: (str(entry["path"]), str(entry["rule"]), str(entry["code"])))
    write_report(path, [json.dumps({"version": VERSION, "findings": listed}, indent=1), "\n"])
    count = sum(keys.total() for keys in entries.values())
    also = f", including {kept} that this run left out" if kept else ""
    return f"Wrote {count} finding{'' if count == 1 else 's'} to {path}{also}."
