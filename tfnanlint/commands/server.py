"""`tfnanlint server`: a language server on standard input and output."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from collections.abc import Sequence
from typing import BinaryIO, cast

from tfnanlint.commands import CLEAN
from tfnanlint.commands.options import parser
from tfnanlint.errors import TfnanlintError

MISSING = "the language server needs pygls: pip install 'tfnanlint[lsp]'"


def run(arguments: Sequence[str]) -> int:
    """Serve an editor until it leaves; the exit status."""
    grammar().parse_args(arguments)
    try:
        from tfnanlint.server.features import make_server
        from tfnanlint.server.incoming import Incoming
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] in ("pygls", "lsprotocol"):
            raise TfnanlintError(MISSING) from None
        raise
    gc.enable()  # unlike other runs, this one lasts
    told = logging.StreamHandler(sys.stderr)
    if not os.environ.get("TFNANLINT_TRACEBACK"):
        told.setFormatter(OneLine())
        told.addFilter(lambda record: "Traceback (most" not in record.getMessage())  # it is logged once more
    logging.basicConfig(level=logging.WARNING, handlers=[told])
    make_server().start_io(cast("BinaryIO", Incoming(sys.stdin.buffer)))
    return CLEAN


class OneLine(logging.Formatter):
    """What is logged, in one line: of an exception its kind and its message. Editors show it to people as it is."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        said = f"{record.name}: {record.getMessage()}"
        error = record.exc_info[1] if record.exc_info else None
        while isinstance(error, BaseException) and (inner := getattr(error, "exceptions", None) or error.__cause__):
            error = inner[0] if isinstance(inner, (tuple, list)) else inner
        if error is not None:
            said += f": {type(error).__name__}: {error}"
        return " ".join(said.split())[:LONGEST]


LONGEST = 300
"""Characters of a line: a request is quoted in what is wrong with it, and may be as long as a file."""


def grammar() -> argparse.ArgumentParser:
    """The options of this subcommand."""
    made = parser("server", "Run the language server on standard input and output: diagnostics, quick fixes, hovers.")
    made.add_argument("--stdio", action="store_true", help="accepted for compatibility; stdio is always used")
    return made
