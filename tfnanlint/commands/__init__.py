"""The subcommands: one module each, with `run(arguments) -> exit status`, imported on demand."""

from __future__ import annotations

COMMANDS = {
    "check": "lint Python files and folders (the default)",
    "clean": "remove the cache",
    "completion": "print a completion script for a shell",
    "config": "print the configuration of a file and its sources",
    "graph": "lint traced functions, models and saved graphs",
    "rule": "list the rules, or explain one",
    "server": "run the language server (LSP) for an editor",
}

CLEAN, FINDINGS, WRONG = 0, 1, 2
"""The exit statuses: nothing left to report, findings, the run itself went wrong."""
