"""Reading and replacing source files, byte for byte outside what an edit changes.

Text is decoded as Python decodes it (PEP 263, byte order mark included) and keeps its line ends. A file is replaced in
one step, under its own mode, and only if it still holds what was read.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tfnanlint.contents import LARGEST, contents, lies_below
from tfnanlint.errors import SourceError, TfnanlintError

_LINE = re.compile(rb"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class FileError(TfnanlintError):
    """A file that cannot be read or replaced."""


class Source(NamedTuple):
    """A file's text, without its byte order mark, and what turns the text back into its bytes."""

    path: str
    data: bytes
    text: str
    encoding: str
    bom: bytes = b""

    def encode(self, text: str) -> bytes:
        """The bytes of another text for the same file."""
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeError as error:  # some codecs raise this base class
            reason = f"cannot encode the fixed text as {self.encoding} ({getattr(error, 'reason', error)})"
            raise FileError(f"{self.path}: {reason}") from None


def read(path: str) -> Source:
    """Read and decode a file; `SourceError` if it is not Python text, `FileError` if it cannot be read."""
    return decode(read_bytes(path), path)


def read_bytes(path: str, largest: int = LARGEST) -> bytes:
    """The bytes of a file; `FileError` if it cannot be read, and for one of more than `largest`."""
    try:
        return contents(path, largest)
    except OSError as error:
        raise FileError(f"{path}: cannot read the file: {_reason(error)}") from None


def decode(data: bytes, path: str) -> Source:
    """Decode the bytes of a source file by its byte order mark or its coding line."""
    import tokenize

    refuse_null_bytes(data, path)
    lines = (line[0] for line in _LINE.finditer(data))
    bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        encoding = tokenize.detect_encoding(lambda: next(lines, b""))[0].removesuffix("-sig")
    except SyntaxError as error:
        if "missing encoding declaration" not in str(error):
            raise SourceError(path, 1, 1, str(error)) from None
        encoding = "utf-8"
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise _undecodable(data, len(bom) + error.start, encoding, path) from None
    except (LookupError, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise SourceError(path, 1, 1, f"cannot decode it as {encoding}: {reason}") from None
    return Source(path, data, text, encoding, bom)


def refuse_null_bytes(data: bytes, path: str) -> None:
    """Raise `SourceError` for a file that Python itself refuses, such as one saved as UTF-16."""
    if b"\0" in data:
        line, column = _position(data, data.index(b"\0"))
        reason = "source code cannot contain null bytes: remove them, or save a UTF-16 file as UTF-8"
        raise SourceError(path, line, column, reason)


def refuse_read_only(path: str) -> None:
    """Raise `FileError` for a file that must not be replaced."""
    # The mode bits are asked as well, because for root every file is writable.
    if not os.stat(path).st_mode & 0o222 or not os.access(path, os.W_OK):
        raise FileError(f"{path}: not fixed: the file is read-only")


def replace_file(path: str, before: bytes, after: bytes) -> None:
    """Replace a file's content in one step, if it still is `before`; else, and if it is read-only, `FileError`.

    A symbolic link stays one: the file that it leads to is replaced.
    """
    target = os.path.realpath(path)
    try:
        status = os.stat(target)
        refuse_read_only(path)
        with _replacement(target) as (handle, temporary):
            with os.fdopen(handle, "wb") as file:
                file.write(after)
            _keep_owner_and_mode(temporary, status)
            if read_bytes(target) != before:
                raise FileError(f"{path}: not fixed: the file changed during the run; run again")
    except OSError as error:
        raise FileError(f"{path}: not fixed: cannot write the file: {_reason(error)}") from None


@contextlib.contextmanager
def _replacement(target: str) -> Iterator[tuple[int, str]]:
    """A new file beside another, by its handle and its name: at the end it takes the place of that, or is removed."""
    import tempfile

    handle, temporary = tempfile.mkstemp(prefix=".tfnanlint-", dir=os.path.dirname(target))
    try:
        yield handle, temporary
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def write_report(path: str, pieces: Iterable[str]) -> None:
    """Replace a text file atomically.

    A path that is not a regular file, such as `/dev/stdout`, is written directly. Raises `FileError`, also for a
    symbolic link: who unpacks a folder does not know where the links in it lead.
    """
    how: dict[str, Any] = {"encoding": "utf-8", "errors": "backslashreplace", "newline": "\n"}
    try:
        if not os.path.abspath(path).startswith(("/dev/", "/proc/")):
            _refuse_link(path)
        status = os.stat(path) if os.path.exists(path) else None
        if status is not None and not stat.S_ISREG(status.st_mode):
            with open(path, "w", opener=_at_once, **how) as file:
                file.writelines(pieces)
            return
        with _replacement(os.path.realpath(path)) as (handle, temporary):
            with os.fdopen(handle, "w", **how) as file:
                file.writelines(pieces)
            if status is not None:
                _keep_owner_and_mode(temporary, status)
            else:
                os.chmod(temporary, 0o666 & ~_umask())
    except OSError as error:
        raise FileError(f"{path}: cannot write the file: {_reason(error)}") from None


def write_anew(path: str, data: bytes) -> None:
    """Write a file atomically in a folder of this package's own, which is made if need be.

    Whatever has the file's name is replaced, and a symbolic link is not followed. Raises `FileError`, also for a folder
    that is a symbolic link.
    """
    folder = os.path.dirname(path)
    try:
        if os.path.islink(folder):
            raise FileError(f"{path}: not written: {folder} is a symbolic link; remove the link")
        os.makedirs(folder, exist_ok=True)
        with _replacement(path) as (handle, temporary):
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(temporary, 0o666 & ~_umask())
    except OSError as error:
        raise FileError(f"{path}: cannot write the file: {_reason(error)}") from None


def _at_once(path: str, flags: int) -> int:
    """Open a pipe without waiting for somebody who reads it: `OSError` if there is nobody."""
    if not hasattr(os, "O_NONBLOCK"):
        return os.open(path, flags)
    handle = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(handle, True)
    return handle


def _refuse_link(path: str) -> None:
    """Raise `FileError` where a path leads elsewhere than it says: it is a link, or one of its folders leads away."""
    if os.path.islink(path):
        raise FileError(f"{path}: not written: it is a symbolic link; name its target, or remove the link")
    folder = os.path.dirname(path)
    if leads_away(folder):
        raise FileError(f"{path}: not written: {folder} links to a place outside this folder; name the target instead")


def leads_away(folder: str) -> bool:
    """Whether a folder is named as one below the working directory, but a link leads out of that."""
    here = os.path.realpath(os.getcwd())
    meant, real = os.path.normpath(os.path.join(here, folder)), os.path.realpath(folder or ".")
    return meant != real and lies_below(meant, here) and not lies_below(real, here)


def append_report(path: str, pieces: Iterable[str]) -> None:
    """Add text to the end of a file. Raises `FileError`."""
    try:
        with open(path, "a", opener=_at_once, encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(pieces)
    except OSError as error:
        raise FileError(f"{path}: cannot write the file: {_reason(error)}") from None


def _umask() -> int:
    """The mode bits that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def shown(path: str) -> str:
    """A path as reports show it: relative to the working directory where it lies below it, else absolute."""
    full, here = os.path.abspath(path), os.getcwd()
    inside = full.startswith(here.rstrip(os.sep) + os.sep)
    return full[len(here.rstrip(os.sep)) + 1 :] if inside else full


def _keep_owner_and_mode(path: str, status: os.stat_result) -> None:
    """Give a new file the owner (where allowed) and the mode of the one it replaces."""
    if hasattr(os, "chown") and (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.chown(path, status.st_uid, status.st_gid)
    os.chmod(path, stat.S_IMODE(status.st_mode))


def _undecodable(data: bytes, offset: int, encoding: str, path: str) -> SourceError:
    line, column = _position(data, offset)
    reason = f"byte 0x{data[offset]:02x} is not {encoding}; save the file as UTF-8 or declare its encoding (PEP 263)"
    return SourceError(path, line, column, reason)


def _position(data: bytes, offset: int) -> tuple[int, int]:
    """Line and column, in bytes, of an offset."""
    ends = [end.end() for end in re.finditer(rb"\r\n|\r|\n", data[:offset])]
    return len(ends) + 1, offset - (ends[-1] if ends else 0) + 1


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
