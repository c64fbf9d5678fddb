"""The subcommands: a module each, with `run(arguments) -> exit status`, imported only when it is asked for."""

from __future__ import annotations

COMMANDS = {
    "check": "lint Python files and folders (the default)",
    "clean": "remove what earlier runs have kept",
    "completion": "print a completion script for a shell",
    "config": "print what is configured, and where",
    "graph": "lint traced functions, models and saved graphs",
    "rule": "list the rules, or explain one",
    "server": "serve an editor (language server protocol)",
}

CLEAN, FINDINGS, WRONG = 0, 1, 2
"""The exit statuses: nothing left to report, findings, the run itself went wrong."""
