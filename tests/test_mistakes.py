"""What people get wrong: one line on standard error that names the thing and the way out, status 2, no file touched."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from installed import tfnanlint

ROOT = Path(__file__).parent.parent
RUNNING = ".".join(map(str, sys.version_info[:2]))
HAZARD = b"import tensorflow as tf\ny = tf.math.log(tf.nn.softmax(x))\n"
FILES = {
    "wide/a.py": b"import tensorflow as tf\n",
    "wide/pyproject.toml": '[tool.tfnanlint]\nignore = ["log"]\n'.encode("utf-16"),
    "a.py": HAZARD,
    "unclosed.py": b"import tensorflow as tf\ny = (\n",
    "indented.py": b"import tensorflow as tf\nx = 1\n\ty = 2\n",
    "newer.py": b"import tensorflow as tf\ny = = 1\n",
    "latin.py": b'import tensorflow as tf\ns = "\xe9"\n',
    "cut.ipynb": b'{"cells": [{"source": "import tensorflow"',
    "model.keras": b"PK\3\4keras",
    "saved/saved_model.pb": b"\x08\x01",
    "broken.toml": b'select = ["log"\n',
    "bytes.toml": b"\xff\n",
    "round.toml": b'extend = "about.toml"\n',
    "about.toml": b'extend = "round.toml"\n',
    "nothing.toml": b"select = []\n",
    "both.toml": b'select = ["log"]\nignore = ["log"]\n',
    "ignored.toml": b'ignore = ["log"]\n',
    "chosen.toml": b'select = ["log"]\n',
    "group.toml": b'per-file-ignores = { "*.py" = ["lgo"] }\n',
    "byte-mark.toml": b'\xef\xbb\xbfselect = ["log"]\n',
    "brackets.toml": b'exclude = ["src/[a"]\n',
    "bare.toml": b'per-file-ignores = { "a.py" = "log" }\n',
    "modes.toml": b'modes = ["gpu"]\n',
    "assume.toml": b"assume = { x = [1, 0] }\n",
    "rules.toml": b'rules = ["no_rules"]\n',
}
MISTAKES = {
    # options
    "--slect log": "tfnanlint: unknown option `--slect`; did you mean `--select`?",
    "--select nrom-at-zero": "tfnanlint: the command line: no rule or group is named `nrom-at-zero`; "
    "did you mean `norm-at-zero`?",
    "--ignore zzz": "tfnanlint: the command line: no rule or group is named `zzz`; `tfnanlint rule` lists them",
    "--cache-dir ,": "tfnanlint: argument --cache-dir: is empty; leave the option out",
    "--select ,": "tfnanlint: argument --select: is empty; leave the option out",
    "--select log --ignore log": "tfnanlint: the command line: `ignore` contains everything in `select`, "
    "so no rule is left",
    "--output-format xml": "tfnanlint: argument --output-format: invalid choice: 'xml'",
    "--diff --output-format json": "tfnanlint: --diff prints a patch instead of a report; leave out --output-format",
    "--exclude [": "tfnanlint: argument --exclude: has an invalid pattern: no `]` closes a `[`: [; write `\\[` for",
    "--jobs 0": "tfnanlint: argument -j/--jobs: '0' is not a positive number",
    "--fix --add-ignores": "tfnanlint: --add-ignores and --fix cannot be combined",
    "--unsafe-fixes": "tfnanlint: --unsafe-fixes does nothing without --fix or --diff",
    "--write-baseline b.json --baseline b.json": "tfnanlint: --write-baseline writes all findings; "
    "leave out --baseline",
    "--show-files --fix": "tfnanlint: --show-files lints nothing; leave out --fix",
    "--no-cache --cache-dir kept": "tfnanlint: argument --cache-dir: not allowed with argument --no-cache",
    "--isolated --config both.toml": "tfnanlint: argument --config: not allowed with argument --isolated",
    "--cache-dir a.py": "tfnanlint: --cache-dir a.py: not a folder",
    "--stdin-filename b.py": "tfnanlint: --stdin-filename does nothing without the path -",
    "- --watch": "tfnanlint: --watch needs files, not standard input",
    "clean a.py": "tfnanlint clean: unexpected argument `a.py`",
    "rule nrom-at-zero": "tfnanlint: no rule or group is named `nrom-at-zero`; did you mean `norm-at-zero`?",
    # paths and other files
    "gone.py": "gone.py: no such file or folder",
    "TFN118": "TFN118: no such file or folder; to apply a rule, separate names with commas: --select TFN118,...",
    "a.py --select TFN118 log": "tfnanlint: unexpected argument `log`; to apply a rule, separate names with commas:",
    "chek": "chek: no such file or folder; did you mean `check`?",
    "model.keras": "model.keras: a saved graph or model, not Python; lint it with `tfnanlint graph model.keras`",
    "saved": "saved: a saved graph or model, not Python; lint it with `tfnanlint graph saved`",
    "--changed-since HEAD": "tfnanlint: --changed-since HEAD: not a git repository",
    "--baseline gone.json": "tfnanlint: gone.json: cannot read the file: no such file or directory",
    "--baseline a.py": "tfnanlint: a.py: not a baseline file; create one with --write-baseline",
    "--output-file no/where.txt": "tfnanlint: no/where.txt: cannot write the file: no such file or directory",
    # files to lint
    "unclosed.py": "unclosed.py:2:5: not valid Python: '(' was never closed",
    "indented.py": "indented.py:3:1: not valid Python: unexpected indent",
    "newer.py": (
        f"newer.py:2:5: not valid Python: invalid syntax (parsed as Python {RUNNING}, the version that runs tfnanlint)"
    ),
    "latin.py": "latin.py:2:6: byte 0xe9 is not utf-8; save the file as UTF-8 or declare its encoding (PEP 263)",
    "cut.ipynb": "cut.ipynb:",
    # configurations
    "--config gone.toml": "tfnanlint: gone.toml: cannot read the file: no such file or directory",
    "--config broken.toml": "tfnanlint: broken.toml:2:1: invalid TOML: unclosed array",
    "--config bytes.toml": "tfnanlint: bytes.toml: not UTF-8, which TOML requires",
    "wide/a.py": "tfnanlint: wide/pyproject.toml: not UTF-8, which TOML requires",
    "--config round.toml": "tfnanlint: about.toml: `extend` is circular: round.toml extends this file",
    "--config nothing.toml": "tfnanlint: nothing.toml: `select` is empty; leave it out to apply all rules",
    "--config both.toml": "tfnanlint: both.toml: `ignore` contains everything in `select`",
    "--config ignored.toml --select log-softmax": "tfnanlint: ignored.toml: `ignore` contains everything that the "
    "command line selects, so no rule is left",
    "--config chosen.toml --ignore log": "tfnanlint: the command line: `ignore` contains everything that chosen.toml "
    "selects, so no rule is left",
    "--config byte-mark.toml": "tfnanlint: byte-mark.toml: starts with a byte order mark; "
    "save the file as UTF-8 without one",
    "--config bare.toml": "tfnanlint: bare.toml: `per-file-ignores` must set `a.py` to a list of strings, such as "
    '["log"]',
    "--config brackets.toml": "tfnanlint: brackets.toml: `exclude` has an invalid pattern: no `]` closes",
    "--config group.toml": "tfnanlint: group.toml: no rule or group is named `lgo`; did you mean `log`?",
    "--config modes.toml": "tfnanlint: modes.toml: `modes` cannot be `gpu`; there are: eager, graph, xla",
    "--config assume.toml": "tfnanlint: assume.toml: `assume` gives `x` an empty range",
    "--config rules.toml": "tfnanlint: rules.toml: `rules` names",
}


@pytest.mark.parametrize(("typed", "said"), MISTAKES.items(), ids=MISTAKES)
def test_a_mistake_is_named_in_one_line_with_the_way_out(
    typed: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    done = tfnanlint(*typed.split(), *(["a.py", "--quiet"] if typed.startswith("--") else []))
    first, *more = [line for line in done.stderr.splitlines() if "files checked" not in line]
    assert done.returncode == 2
    assert first.startswith(said)
    assert more == []
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES
