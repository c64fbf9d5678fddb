"""The contents of files from others; pipes and devices are not read, because they may never end."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator

LARGEST = 100_000_000
"""The most bytes that are read: no source, configuration or list of findings is larger."""
LARGEST_SETTING = 1_000_000
"""The most bytes of a file that configures this tool or another one."""
MOST_FOLDERS = 5_000
"""The most folders of a project that are searched."""
SKIPPED_FOLDERS = frozenset(
    {
        *(".bzr", ".git", ".hg", ".svn"),
        *(".direnv", ".eggs", ".ipynb_checkpoints", ".nox", ".pants.d", ".tox", "buck-out", "node_modules"),
        *(".mypy_cache", ".pytest_cache", ".pytype", ".ruff_cache", "__pycache__"),
        *(".venv", "__pypackages__", "site-packages", "venv"),
        *("build", "dist", "tfnanlint-proofs"),
    }
)
"""Never entered unless named: nobody's own source lies there."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def contents(path: str | os.PathLike[str], largest: int = LARGEST) -> bytes:
    """The bytes of a regular file; `OSError` for anything else, at once, and for a file of more than `largest`."""
    handle = os.open(path, _FLAGS)
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
        with os.fdopen(handle, "rb", closefd=False) as file:
            data: bytes | None = file.read(largest + 1) if status.st_size <= largest else b""
    finally:
        os.close(handle)
    if data is None:  # a queue that looks like a file, such as the kernel's log, and is empty now
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
    if status.st_size > largest or len(data) > largest:
        raise OSError(errno.EFBIG, f"larger than {largest // 1_000_000} MB", os.fspath(path))
    return data


def files_below(root: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The files in a folder and below whose names have one of some endings, in a fixed order.

    Raises `OverflowError` in a tree of more than `MOST_FOLDERS` folders, such as a home folder that is a project.
    """
    for number, (folder, folders, files) in enumerate(os.walk(root)):
        if number == MOST_FOLDERS:
            raise OverflowError(f"{root}: more than {MOST_FOLDERS:,} folders")
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(endings))


def lies_below(path: str, folder: str) -> bool:
    """Whether a path, without links in it, is a folder's or below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
