"""Options that several subcommands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn, TextIO

from tfnanlint import __version__
from tfnanlint.config.patterns import fault_of
from tfnanlint.config.settings import by_name, known_names
from tfnanlint.errors import TfnanlintError, suggestion
from tfnanlint.vocabulary import CACHE, CERTAINTIES, SEVERITIES

STATUS = (
    "exit status: 0 no findings at the --fail-on level; 1 findings; 2 the run failed (bad option or\n"
    "configuration, unreadable file, syntax error)"
)
STATUS_WITHOUT_FINDINGS = "exit status: 0 success; 2 the run failed (bad option or configuration)"


class Parser(argparse.ArgumentParser):
    """An argument parser that says in one line what is wrong, and names the option which was meant."""

    def format_help(self) -> str:
        """The help, as wide as the terminal."""
        import shutil

        self.formatter_class = _help_of(shutil.get_terminal_size().columns - 2)
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """End the run; how the command is used is left to --help."""
        self.exit(2, f"{self.prog}: {message}\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The options; ends the run where there is one that does not exist."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            known = [name for action in self._actions for name in action.option_strings]
            given = unknown[0].partition("=")[0]
            if not given.startswith("-"):
                self.error(f"unexpected argument `{given}`{hint_on_names(given)}")
            self.error(f"unknown option `{given}`{suggestion(given, known) or '; --help lists them'}")
        return options


def hint_on_names(word: str) -> str:
    """A hint for a word that stands alone and names a rule or a group."""
    is_name = by_name([word], ())[0] in known_names(())
    return f"; to apply a rule, separate names with commas: --select {word},..." if is_name else ""


def _help_of(width: int) -> Any:
    return partial(argparse.RawDescriptionHelpFormatter, width=width)


def parser(command: str, description: str, epilog: str = "", lints: bool = False) -> argparse.ArgumentParser:
    """An argument parser in this tool's manner; what `lints` has a status for findings."""
    made = Parser(
        prog="tfnanlint" if command == "check" else f"tfnanlint {command}",
        description=description,
        epilog=f"{epilog}\n\n{STATUS if lints else STATUS_WITHOUT_FINDINGS}".strip(),
        formatter_class=_help_of(width=80),  # every option that is added makes one, which would measure the terminal
        allow_abbrev=False,
    )
    made.add_argument("-V", "--version", action="version", version=f"tfnanlint {__version__}")
    return made


def add_configuration(options: argparse.ArgumentParser) -> None:
    """The options that say where the configuration comes from."""
    group = options.add_argument_group("configuration")
    which = group.add_mutually_exclusive_group()
    which.add_argument("--config", metavar="FILE", help="use this TOML file instead of the nearest configuration")
    about = "ignore every configuration file and the rules of installed packages"
    which.add_argument("--isolated", action="store_true", help=about)


def add_rules(options: argparse.ArgumentParser) -> None:
    """The options that say which rules are applied."""
    which = options.add_argument_group("rules")
    which.add_argument("--select", action="append", metavar="NAMES", type=some, help="apply only these rules or groups")
    which.add_argument(
        "--ignore", action="append", metavar="NAMES", type=some, help="do not apply these rules or groups"
    )
    which.add_argument(
        "--pedantic", action="store_true", help="also report findings that are merely possible (as info)"
    )
    which.add_argument("--min-certainty", choices=CERTAINTIES, help="report only findings with at least this certainty")


def add_status(group: Any) -> None:
    """The options that say which findings make a run fail."""
    group.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        help="least severity that makes the exit status 1 (default: warning, so info findings do not fail a run)",
    )
    group.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")


def add_cache(options: Any) -> None:
    """The options that say where what linting gives is kept."""
    which = options.add_mutually_exclusive_group()
    which.add_argument("--no-cache", action="store_true", help="neither read nor write the cache")
    which.add_argument(
        "--cache-dir",
        metavar="FOLDER",
        type=some,
        help="folder of the cache (default: .tfnanlint_cache in the project root)",
    )


def default_cache_folder() -> str:
    """The cache of the project that the working directory is in: in its root, else right here."""
    from tfnanlint.source.project import ROOT_MARKS

    here = folder = os.getcwd()
    while True:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in ROOT_MARKS):
            return os.path.join(folder, CACHE)
        if os.path.dirname(folder) == folder:
            return os.path.join(here, CACHE)
        folder = os.path.dirname(folder)


def cache_folder(options: argparse.Namespace) -> str | None:
    """The folder of the cache, if there is to be one."""
    if options.cache_dir and os.path.exists(options.cache_dir) and not os.path.isdir(options.cache_dir):
        raise TfnanlintError(f"--cache-dir {options.cache_dir}: not a folder")
    if options.no_cache:
        return None
    if options.cache_dir:
        from tfnanlint.run.files import leads_away

        if leads_away(options.cache_dir):
            reason = "links to a place outside this folder; name the target instead"
            raise TfnanlintError(f"--cache-dir {options.cache_dir}: {reason}")
        return str(options.cache_dir)
    folder = default_cache_folder()
    return None if os.path.islink(folder) else folder  # it may have come with the project, and lead anywhere


def some(text: str) -> str:
    """An option's value that holds one name at least: a variable that is empty must not mean everything."""
    if not text.replace(",", "").strip():
        raise argparse.ArgumentTypeError("is empty; leave the option out")
    return text


def patterns(text: str) -> str:
    """An option's value that holds file patterns, each of which can be used."""
    for pattern in names([some(text)]):
        if fault := fault_of(pattern):
            raise argparse.ArgumentTypeError(f"has an invalid pattern: {fault}")
    return text


def names(lists: Sequence[str] | None) -> tuple[str, ...]:
    """The names in options that may be repeated and may hold several, divided by commas."""
    return tuple(name.strip() for given in lists or () for name in given.split(",") if name.strip())


def positive(text: str) -> int:
    """An option's value that counts something."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def wants_color(choice: str, stream: TextIO) -> bool:
    """Whether to colour what goes to a stream (see no-color.org and force-color.org)."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and stream.isatty())


def terminal_width(stream: TextIO) -> int | None:
    """How many columns a stream shows in a line, where it is a terminal."""
    if not stream.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns
