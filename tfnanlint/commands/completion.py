"""`tfnanlint completion`: print a completion script for subcommands, options, files and rules."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from tfnanlint.commands import CLEAN, COMMANDS
from tfnanlint.commands.options import parser
from tfnanlint.config.discovery import Configs
from tfnanlint.config.settings import known_names
from tfnanlint.errors import TfnanlintError

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
FILES = frozenset({"FILE", "PATH", "TARGET"})
RULES = frozenset({"NAME", "NAMES"})


DEFAULT = {
    "bash": {"complete -o bashdefault ": "complete -o bashdefault -o default "},
    "zsh": {
        "  _describe 'tfnanlint commands' _commands\n": "  _describe 'tfnanlint commands' _commands\n  _files\n",
        "      esac\n  esac\n": "        *) _arguments -C -s $_shtab_tfnanlint_check_options ;;\n      esac\n  esac\n",
    },
    "fish": {
        "complete -c tfnanlint -f\n": "complete -c tfnanlint -f\n\n"
        "complete -c tfnanlint -n _shtab_tfnanlint_using -ka '(__fish_complete_path (commandline -ct))'\n"
    },
}
"""What is changed in a script, so that a file may stand where a subcommand may, followed by what `check` takes."""


def run(arguments: Sequence[str]) -> int:
    """Print the script for a shell; the exit status."""
    options = grammar().parse_args(arguments)
    if importlib.util.find_spec("shtab") is None:
        raise TfnanlintError("completion needs shtab: pip install 'tfnanlint[completion]'")
    import shtab

    script = shtab.complete(_everything(shtab.FILE), shell=options.shell)
    for generated, wanted in DEFAULT.get(options.shell, {}).items():
        script = script.replace(generated, wanted)
    sys.stdout.write(script if script.endswith("\n") else script + "\n")
    return CLEAN


def _everything(file: Any) -> argparse.ArgumentParser:
    """All subcommands in one parser, and the options of the default one beside them."""
    whole = argparse.ArgumentParser(prog="tfnanlint", add_help=False)
    subcommands = whole.add_subparsers()
    names = sorted(known_names(Configs().of(os.getcwd()).rules))
    for command, about in COMMANDS.items():
        made = import_module(f"tfnanlint.commands.{command}").grammar()
        _complete(made._actions, file, names)
        subcommands.add_parser(command, parents=[made], add_help=False, help=about)
        if command == "check":
            for action in made._actions:
                if action.option_strings:
                    whole._add_action(action)
    return whole


def _complete(actions: Iterable[argparse.Action], file: Any, names: Sequence[str]) -> None:
    """Say of each option what its values are."""
    for action in actions:
        if action.metavar in FILES:
            action.complete = file  # type: ignore[attr-defined]
        elif action.metavar in RULES:
            action.choices = names
        elif action.dest == "output_format":
            action.help = "format of the report"  # what each is for would stand beside every one of them


def grammar() -> argparse.ArgumentParser:
    """The options of this subcommand."""
    made = parser("completion", "Print a completion script for a shell.", EXAMPLES)
    made.add_argument("shell", choices=SHELLS, help="the shell")
    return made


EXAMPLES = """\
examples:
  tfnanlint completion bash > ~/.local/share/bash-completion/completions/tfnanlint
  tfnanlint completion zsh > ~/.zfunc/_tfnanlint      (with ~/.zfunc in fpath)
  tfnanlint completion fish > ~/.config/fish/completions/tfnanlint.fish"""
