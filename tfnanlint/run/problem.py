"""An error in one file, which does not end the run."""

from __future__ import annotations

from typing import NamedTuple

from tfnanlint.errors import SourceError, TfnanlintError


class Problem(NamedTuple):
    """What went wrong with one file: a position (0 for none), a sentence, and the traceback of an internal error.

    What is about no file in particular has no path.

    In a notebook `line` counts from the first of its `cell`.
    """

    path: str
    line: int
    column: int
    message: str
    traceback: str = ""
    cell: int | None = None

    @classmethod
    def of(cls, path: str, error: TfnanlintError) -> Problem:
        """The problem of a file from an error."""
        if isinstance(error, SourceError):
            return cls(error.path, error.line, error.column, error.reason)
        return cls(path, 0, 0, str(error).removeprefix(f"{path}: "))

    @property
    def place(self) -> str:
        """The file, with the position in it where there is one."""
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.path}:{cell}{self.line}:{self.column}" if self.line else self.path

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.path else self.message


def crash(path: str, where: str, error: BaseException) -> Problem:
    """An internal error as a problem of one file."""
    import traceback

    text = "".join(traceback.format_exception(error))
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Problem(path, 0, 0, f"internal error{where}: {what}", text)
