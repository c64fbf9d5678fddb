"""Information from git: the files that differ from a revision, and the old contents of those that are linted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence

from tfnanlint.errors import TfnanlintError
from tfnanlint.limits import hold_memory

_NO_BLOB = frozenset("0")
_FILE_MODES = ("100644", "100755", "000000")


class GitError(TfnanlintError):
    """A revision that git cannot compare with."""


def changes_since(revision: str) -> dict[str, str | None]:
    """The files that changed since the working tree's history left a revision, untracked files included.

    By their real paths, each with git's name of its old content, None for a new one. Raises `GitError` if there is no
    such revision, or no repository.
    """
    if not revision:
        raise GitError("--changed-since: no revision is given; where it comes from a variable, the variable is empty")
    root = os.fsdecode(_git(["rev-parse", "--show-toplevel"], revision)).rstrip("\n")
    still = _without_filters(root, revision)
    commit = _git(["rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"], revision).strip()
    try:
        base = _git(["merge-base", os.fsdecode(commit), "HEAD"], revision).strip() or commit
    except GitError:  # no common history, or no commit yet
        base = commit
    compared = ["--raw", "-z", "--no-abbrev", "-M", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"]
    raw = _git([*still, "-C", root, "diff", *compared, os.fsdecode(base), "--"], revision)
    blobs = _old_blobs(raw.split(b"\0"))
    listed = _git(["-C", root, "ls-files", "-z", "--others", "--exclude-standard"], revision)
    changes: dict[str, str | None] = {}
    for name, blob in blobs.items():
        changes[os.path.realpath(os.path.join(root, os.fsdecode(name)))] = blob
    for name in listed.split(b"\0"):
        if name:
            changes.setdefault(os.path.realpath(os.path.join(root, os.fsdecode(name))), None)
    return changes


def _old_blobs(fields: Sequence[bytes]) -> dict[bytes, str | None]:
    """The changed files in git's raw difference, each with the name of its old content."""
    found: dict[bytes, str | None] = {}
    at = 0
    while at + 1 < len(fields):
        old_mode, new_mode, old, _, kind = fields[at].decode().lstrip(":").split()
        moved = kind[0] in "RC"
        name = fields[at + 2 if moved else at + 1]
        at += 3 if moved else 2
        if old_mode in _FILE_MODES and new_mode in _FILE_MODES[:2]:
            found[name] = None if _NO_BLOB.issuperset(old) or kind[0] == "C" else old
    return found


TOGETHER = 50_000_000
"""Bytes of old contents that are held at a time: a repository of a few kilobytes may hold gigabytes of zeros."""


def contents_of(limits: Mapping[str, int], revision: str) -> Iterator[dict[str, bytes]]:
    """The contents of blobs by their names, some at a time, without those that have more bytes than their limit."""
    some: list[str] = []
    room = TOGETHER
    for name, size in _sizes(list(limits), revision).items():
        if size > limits[name]:
            continue
        if some and size > room:
            yield _contents(some, revision)
            some, room = [], TOGETHER
        some.append(name)
        room -= size
    if some:
        yield _contents(some, revision)


def _sizes(names: Sequence[str], revision: str) -> dict[str, int]:
    """The sizes of blobs by their names."""
    found: dict[str, int] = {}
    lines = _about(names, "--batch-check", revision).split(b"\n")
    for name, line in zip(names, lines, strict=False):
        found[name] = _size(name, line, revision)
    return found


def _contents(names: Sequence[str], revision: str) -> dict[str, bytes]:
    """The contents of blobs by their names."""
    answer = _about(names, "--batch", revision)
    found: dict[str, bytes] = {}
    at = 0
    for name in names:
        end = answer.index(b"\n", at)
        size = _size(name, answer[at:end], revision)
        found[name] = answer[end + 1 : end + 1 + size]
        at = end + 2 + size
    return found


def _about(names: Sequence[str], how: str, revision: str) -> bytes:
    return _git(["cat-file", how], revision, "\n".join(names).encode() + b"\n") if names else b""


def _size(name: str, line: bytes, revision: str) -> int:
    """The size of a blob, from the line that git begins its answer with."""
    said = line.split()
    if len(said) != 3:  # "missing": the clone is partial, or damaged
        raise GitError(f"--changed-since {revision}: git has no content for object {name}; fetch it first")
    return int(said[2])


_NOTHING_RUNS = (
    *("--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
    *("-c", f"core.attributesFile={os.devnull}", "-c", f"diff.orderFile={os.devnull}"),
    *("-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never"),
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "diff.autoRefreshIndex=false"),
)
"""A repository's own configuration can name commands for git to run, and files for it to read to their end.

Whoever unpacks an archive has not read it.
"""
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
}
PATIENCE = 300.0
"""Seconds that git may take for one answer."""
MOST_MEMORY = 1_000_000_000
"""Bytes of memory that git may take: the index of the largest repositories needs a tenth of it."""


def _without_filters(root: str, revision: str) -> list[str]:
    """The settings with which git compares files as they are: it would run a filter that the repository names."""
    try:
        listed = _git(["-C", root, "config", "--name-only", "-z", "--get-regexp", r"^filter\."], revision)
    except GitError:  # there are none
        return []
    drivers = {os.fsdecode(name).rpartition(".")[0] for name in listed.split(b"\0") if name}
    for driver in drivers:
        if "=" in driver:  # which would end the name of the setting that turns it off
            raise GitError(f"--changed-since {revision}: git would run the commands of `{driver}` in its configuration")
    off = ("clean=", "smudge=", "process=", "required=false")
    return [word for driver in sorted(drivers) for setting in off for word in ("-c", f"{driver}.{setting}")]


def _git(arguments: Sequence[str], revision: str, given: bytes = b"") -> bytes:
    command = ["git", *_NOTHING_RUNS, *arguments]
    environment = {**os.environ, **_ENVIRONMENT}
    try:
        done = _done(command, given, environment)
    except subprocess.TimeoutExpired:
        raise GitError(f"--changed-since {revision}: git did not answer within {PATIENCE:g} s") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise GitError(f"--changed-since {revision}: cannot run git: {reason}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = _reason(said)
        if "Needed a single revision" in reason:
            raise GitError(f"--changed-since: no git revision `{revision}` (in a shallow clone, fetch it first)")
        raise GitError(f"--changed-since {revision}: {reason.removeprefix('fatal: ')}")
    return done.stdout


def _reason(said: Sequence[str]) -> str:
    """The line in which git says why it has failed: hints and warnings may stand before it."""
    lines = [line for line in said if not line.startswith(("warning: ", "hint: "))] or said or ["git failed"]
    return next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[0])


def _done(command: Sequence[str], given: bytes, environment: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    """What a command has answered, within its limits of time and memory."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as process:
        hold_memory(process.pid, MOST_MEMORY)
        try:
            out, errors = process.communicate(given, PATIENCE)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, errors)
