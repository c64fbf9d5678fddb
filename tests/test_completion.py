"""The completion scripts in the shells that they are for, each interactive and with the script where its help says."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from installed import tfnanlint

ROOT = Path(__file__).parent.parent
TYPED = {
    "tfnanlint ru": "tfnanlint rule",
    "tfnanlint rule log-soft": "tfnanlint rule log-softmax",
    "tfnanlint --select norm-at": "tfnanlint --select norm-at-zero",
    "tfnanlint --output-format sar": "tfnanlint --output-format sarif",
    "tfnanlint check mod": "tfnanlint check model.py",
    "tfnanlint mod": "tfnanlint model.py",
    "tfnanlint model.py --output-fi": "tfnanlint model.py --output-file",
    "tfnanlint graph --prove-": "tfnanlint graph --prove-seconds",
}
CONTROL_T = "\x14"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh", "powershell"])
def test_a_completion_script_knows_commands_options_and_rules(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    script = tfnanlint("completion", shell).stdout
    for word in ("check", "graph", "unsafe-fixes", "log-softmax", "sarif"):
        assert word in script


def typed(home: Path, keys: str, *command: str) -> str:
    """The line that an interactive shell holds in the end, which its key Control-T tells before it ends the shell."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home)
        os.environ.update(HOME=str(home), ZDOTDIR=str(home), TERM="dumb")
        os.execvp(command[0], command)
    os.write(terminal, keys.encode())
    shown = b""
    with contextlib.suppress(OSError):  # which is how the end of a terminal reads
        while read := os.read(terminal, 65536):
            shown += read
    os.close(terminal)
    os.waitpid(child, 0)
    (line,) = re.findall("<(.*)>", shown.decode())
    return str(line)


def in_bash(home: Path, script: str, line: str) -> str:
    (home / "script").write_text(script)
    (home / "rc").write_text('source ./script\ntell() { echo "<$READLINE_LINE>"; exit; }\nbind -x \'"\\C-t": tell\'\n')
    return typed(home, line + "\t" + CONTROL_T, "bash", "--rcfile", "rc", "-i")


def in_zsh(home: Path, script: str, line: str) -> str:
    (home / "functions").mkdir(exist_ok=True)
    (home / "functions/_tfnanlint").write_text(script)
    (home / ".zshrc").write_text(
        "fpath=($HOME/functions $fpath)\nautoload -Uz compinit; compinit -u\n"
        'tell() { zle complete-word; print -r -- "<$BUFFER>"; exit }\nzle -N tell\nbindkey "^T" tell\n'
    )
    return typed(home, line + CONTROL_T, "zsh", "-i")


def in_fish(home: Path, script: str, line: str) -> str:
    place = home / "fish/completions/tfnanlint.fish"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(script)
    (home / "tfnanlint").touch(0o755)  # it completes what it could run
    environment = os.environ | {"XDG_CONFIG_HOME": str(home), "PATH": f"{home}:{os.environ['PATH']}"}
    command = ["fish", "-c", f"complete -C '{line}'"]
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=True)
    (found,) = done.stdout.splitlines()
    return line[: line.rindex(" ") + 1] + found.partition("\t")[0]


SHELLS = {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}


@pytest.mark.parametrize(
    "shell",
    [
        pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"there is no {name} here"))
        for name in SHELLS
    ],
)
def test_a_shell_completes_commands_options_rules_and_files(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    script = tfnanlint("completion", shell).stdout
    (tmp_path / "model.py").touch()
    complete: Callable[[Path, str, str], str] = SHELLS[shell]
    assert {line: complete(tmp_path, script, line).rstrip() for line in TYPED} == TYPED
