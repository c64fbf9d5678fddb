"""`tfnanlint server`: a language server on standard input and output."""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from collections.abc import Sequence

from tfnanlint.commands import CLEAN
from tfnanlint.commands.options import parser
from tfnanlint.errors import TfnanlintError

MISSING = "the language server needs pygls: pip install 'tfnanlint[lsp]'"


def run(arguments: Sequence[str]) -> int:
    """Serve an editor until it leaves; the exit status."""
    grammar().parse_args(arguments)
    try:
        from tfnanlint.server.features import make_server
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] in ("pygls", "lsprotocol"):
            raise TfnanlintError(MISSING) from None
        raise
    gc.enable()  # unlike other runs, this one lasts
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    make_server().start_io()
    return CLEAN


def grammar() -> argparse.ArgumentParser:
    """The options of this subcommand."""
    made = parser("server", "Run the language server on standard input and output: diagnostics, quick fixes, hovers.")
    made.add_argument("--stdio", action="store_true", help="accepted for compatibility; stdio is always used")
    return made
