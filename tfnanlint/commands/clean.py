"""`tfnanlint clean`: remove the cache."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tfnanlint.commands import CLEAN
from tfnanlint.commands.options import default_cache_folder, parser, some
from tfnanlint.errors import TfnanlintError


def run(arguments: Sequence[str]) -> int:
    """Remove the cache; the exit status."""
    import shutil

    from tfnanlint.run.cache import TAG, is_cache
    from tfnanlint.run.files import leads_away

    options = grammar().parse_args(arguments)
    folder = options.cache_dir or default_cache_folder()
    if not os.path.lexists(folder):
        sys.stdout.write("Nothing to remove.\n")
        return CLEAN
    if not os.path.isfile(os.path.join(folder, TAG)):
        raise TfnanlintError(f"{folder}: has no {TAG}, so it is not a tfnanlint cache; nothing was removed")
    if not is_cache(folder):
        raise TfnanlintError(f"{folder}: its {TAG} is that of another program; nothing was removed")
    if os.path.islink(folder):
        raise TfnanlintError(f"{folder}: is a symbolic link; nothing was removed")
    if leads_away(folder):
        raise TfnanlintError(f"{folder}: a link leads to a place outside this folder; nothing was removed")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise TfnanlintError(f"{folder}: cannot remove the folder: {error.strerror}") from None
    sys.stdout.write(f"Removed {folder}.\n")
    return CLEAN


def grammar() -> argparse.ArgumentParser:
    """The options of this subcommand."""
    made = parser("clean", "Remove the cache of earlier runs.")
    made.add_argument(
        "--cache-dir",
        metavar="FOLDER",
        type=some,
        help="folder of the cache (default: .tfnanlint_cache in the project root)",
    )
    return made
