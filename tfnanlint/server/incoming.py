"""What a client writes, up to the limits of a message: the protocol's own reader believes any length it is told."""

from __future__ import annotations

import re
from typing import BinaryIO

from tfnanlint.contents import LARGEST
from tfnanlint.errors import TfnanlintError

LONGEST_HEADER = 10_000
"""Bytes in a line of a header."""
_LENGTH = re.compile(rb"Content-Length:\s*(\d+)\s*", re.IGNORECASE)


class Incoming:
    """A client's messages; `TfnanlintError` for one that is too long, behind which no other can be found."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """The next line of a header."""
        line = self._stream.readline(LONGEST_HEADER)
        if len(line) == LONGEST_HEADER and not line.endswith(b"\n"):
            raise TfnanlintError(f"the client sent a header of more than {LONGEST_HEADER:,} bytes")
        told = _LENGTH.fullmatch(line)
        if told is not None and (len(told[1]) > len(str(LARGEST)) or int(told[1]) > LARGEST):
            raise TfnanlintError(f"the client sent a message of more than {LARGEST // 1_000_000} MB")
        return line

    def read(self, size: int) -> bytes:
        """The body of a message."""
        return self._stream.read(size)
