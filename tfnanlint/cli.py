"""The command line: selects the subcommand and turns every outcome of a run into an exit status.

0: nothing left to report. 1: findings. 2: the run itself failed. 130: interrupted. 141: the reader closed the output.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import TextIO

from tfnanlint.commands import COMMANDS, WRONG
from tfnanlint.errors import TfnanlintError
from tfnanlint.limits import ends_on_request

SINGLE_THREADED = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What keeps NumPy from waiting in threads of its own: the arrays of a trial are small."""
INTERRUPTED, UNREAD = 130, 141
"""What a shell reports of a program that was ended by SIGINT or SIGPIPE."""


ALIASES = {"lint": ("check",), "fix": ("check", "--fix"), "explain": ("rule",), "help": ("check", "--help")}
"""What users of other linters say, where no file is called so."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = "check"
    if given and (given[0] in COMMANDS or (given[0] in ALIASES and not os.path.exists(given[0]))):
        word = given.pop(0)
        command, *more = ALIASES.get(word, (word,))
        given = [*more, *given]
    for name in SINGLE_THREADED:
        os.environ.setdefault(name, "1")
    # What the compiler warns of in the files is not this tool's to say.
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started this
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A name or a line that the terminal's encoding lacks must not end the run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    collects = gc.isenabled()
    gc.disable()  # a short run ends before searching for garbage pays; one over many files turns it on again
    try:
        with ends_on_request():
            status: int = import_module(f"tfnanlint.commands.{command}").run(given)
        if not sys.stdout.closed:  # a language server closes it with the connection
            sys.stdout.flush()
        return status
    except TfnanlintError as error:
        from tfnanlint.report.terminal import printable_lines

        return _failed(printable_lines(f"tfnanlint: {error}"))
    except KeyboardInterrupt as error:
        import signal

        # Whoever presses twice gets no traceback either.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        from tfnanlint.report.terminal import printable

        _failed(printable(" ".join(["tfnanlint: interrupted", *map(str, error.args)])))
        return INTERRUPTED
    except BrokenPipeError:
        _drop(sys.stdout)
        return UNREAD
    except OSError as error:  # a full disk behind a redirection; what is wrong with a file is said where it is read
        _drop(sys.stdout)
        from tfnanlint.report.terminal import printable

        return _failed(printable(f"tfnanlint: {_reason(error)}"))
    finally:
        if collects:
            gc.enable()


def _reason(error: OSError) -> str:
    """What went wrong outside any file of the run."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return "the working directory does not exist any more: change to one that does"
    thing = f"{error.filename}: " if error.filename else "cannot write the output: "
    return thing + (error.strerror or str(error)).lower()


def _failed(message: str) -> int:
    """Say why the run failed, if anybody can hear it, and give the exit status of that."""
    try:
        print(message, file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)
    return WRONG


def _drop(stream: TextIO) -> None:
    """What is still in the buffer would raise again when the interpreter closes the stream."""
    with suppress(OSError, ValueError):  # closed, or nothing can be opened any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
