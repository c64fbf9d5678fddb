"""A team's days with the installed program: one project, and everything that is done to it from the command line."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from installed import COMMAND, tfnanlint
from jsonschema import validate
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tfnanlint.report import FORMATS

ROOT = Path(__file__).parent.parent
LOSSES = """\
import tensorflow as tf


def entropy(logits):
    p = tf.nn.softmax(logits)
    return tf.math.log(p)


def nll(x, y):
    return -tf.reduce_mean(
        tf.math.log(
            1.0 - tf.sigmoid(x)
        ) * (1.0 - y)
    )
"""
MODEL = """\
import tensorflow as tf
from app.losses import entropy


def train(net, images, labels, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.norm(net(images) - labels, axis=-1)) + entropy(images)
    optimizer.apply_gradients(zip(tape.gradient(loss, net.variables), net.variables))


def scaled(amounts):
    return tf.math.log(amounts)
"""
OWN_RULE = '''"""the log of an activation that is off"""
import tensorflow as tf


def before(x=-1.0):
    return tf.math.log(tf.nn.relu(x))
'''
CONFIG = """\
[project]
name = "app"

[tool.tfnanlint]
extend = "shared.toml"
exclude = ["generated/"]
[tool.tfnanlint.per-file-ignores]
"tests/*" = ["log-softmax"]
"""
FOUND = {("src/app/losses.py", 6), ("src/app/losses.py", 11), ("src/app/model.py", 7)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in git: a package, its tests, a notebook, generated code and a configuration in two files."""
    root = tmp_path_factory.mktemp("everyday") / "project"
    files = {
        "pyproject.toml": CONFIG,
        "shared.toml": 'ignore = ["log-one-plus"]\n',
        "src/app/__init__.py": "",
        "src/app/losses.py": LOSSES,
        "src/app/model.py": MODEL,
        "generated/code.py": LOSSES,
        "tests/test_losses.py": "import tensorflow as tf\n\nassert tf.math.log(tf.nn.softmax(1.0)) < 0\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "m"]):
        subprocess.run(["git", *arguments], cwd=root, env=os.environ | IDENTITY, check=True)
    return root


IDENTITY = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.fixture(autouse=True)
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has the project to itself."""
    shutil.copytree(made, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "project"


def found(*arguments: str) -> set[tuple[str, int]]:
    """The file and line of each finding."""
    told = json.loads(tfnanlint("--output-format", "json", *arguments).stdout)
    return {(one["path"], one["line"]) for one in told}


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


# Repairs and speed.


def test_the_project_is_linted_repaired_and_clean() -> None:
    assert found() == FOUND
    patch = tfnanlint("--diff").stdout
    subprocess.run(["git", "apply", "--check", "-"], input=patch, text=True, check=True)
    done = tfnanlint("--fix")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "No problems left; 4 files checked.")
    assert subprocess.run(["git", "diff", "--stat"], capture_output=True, text=True, check=True).stdout.count("|") == 2
    compiled = [sys.executable, "-m", "compileall", "-q", "src"]
    assert subprocess.run(compiled, check=False).returncode == 0


def test_what_was_found_is_kept_used_and_cleaned_away() -> None:
    first = tfnanlint()
    entries = sorted(Path(".tfnanlint_cache").rglob("*"))
    assert entries
    assert tfnanlint().stdout == tfnanlint("--jobs", "2").stdout == tfnanlint("--no-cache").stdout == first.stdout
    for path in entries:
        if path.is_file():
            path.write_bytes(b"\0damaged")
    assert tfnanlint().stdout == first.stdout
    assert tfnanlint("clean").stdout.startswith("Removed ")
    assert not Path(".tfnanlint_cache").exists()
    assert tfnanlint("--cache-dir", "kept").stdout == first.stdout
    assert Path("kept").is_dir()
    with contextlib.ExitStack() as started:
        command = [*COMMAND, "--cache-dir", "shared"]
        runs = [started.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) for _ in range(3)]
        assert [run.communicate()[0] for run in runs] == [first.stdout] * 3
    shutil.rmtree("shared")
    write(".tfnanlint_cache", "in its place\n")
    assert tfnanlint().stdout == first.stdout
    os.remove(".tfnanlint_cache")
    assert subprocess.run(["git", "status", "--short"], capture_output=True, text=True, check=True).stdout == ""


# Configuration.


def test_the_nearest_configuration_holds_and_extends_another() -> None:
    write(
        "src/app/tfnanlint.toml", 'extend = "../../shared.toml"\nselect = ["norm"]\nextend-select = ["log-softmax"]\n'
    )
    assert found() == FOUND - {("src/app/losses.py", 11)}
    told = tfnanlint("config", "src/app/losses.py").stdout
    assert 'extend-select = ["log-softmax"]  # src/app/tfnanlint.toml\n' in told
    assert 'ignore = ["log-one-plus"]  # shared.toml\n' in told
    assert "per-file-ignores removes log-softmax" in tfnanlint("config", "tests/test_losses.py").stdout
    assert ("generated/code.py", 6) in found("--isolated")
    assert found("--select", "norm", "--ignore", "norm-at-zero") == set()
    assert found("--exclude", "losses.py", "--ignore", "log-softmax") == {("src/app/model.py", 7)}


def test_severities_assumptions_modes_and_the_target_are_heard() -> None:
    with open("pyproject.toml", "a") as config:
        config.write('[tool.tfnanlint.severity]\nnorm = "warning"\n[tool.tfnanlint.assume]\namounts = [0, 255]\n')
    told = json.loads(tfnanlint("src/app/model.py", "--output-format", "json").stdout)
    norm, log = ((one["line"], one["severity"], one["evidence"]) for one in told)
    assert norm[:2] == (7, "warning")
    assert log == (12, "error", "its argument is in [0, 255]: assumed in the configuration")
    modes = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(1.0 - tf.sigmoid(x) + 1e-10)\n"
    write("modes.py", modes)
    for mode, count in (("eager", 0), ("graph", 1)):
        write("modes.toml", f'modes = ["{mode}"]\nassume = {{ x = [20, 30] }}\nselect = ["epsilon"]\n')
        assert len(found("modes.py", "--config", "modes.toml")) == count, mode
    write("target.py", "import keras\nimport tensorflow as tf\ny = keras.ops.log(keras.ops.softmax(x))\n")
    for target, repair in (("2", "tf.nn.log_softmax(x)"), ("keras3", "keras.ops.log_softmax(x)")):
        write("target.toml", f'target = "{target}"\n')
        assert f"+y = {repair}\n" in tfnanlint("target.py", "--config", "target.toml", "--diff").stdout


def test_rules_of_the_project_s_own_are_applied_beside_the_built_in_ones() -> None:
    write("lint_rules/own.py", OWN_RULE)
    write(
        "tfnanlint.toml", 'extend = "pyproject.toml"\nrules = ["lint_rules"]\nexclude = ["generated", "lint_rules"]\n'
    )
    write("src/app/own.py", "import tensorflow as tf\n\n\ndef f(y):\n    return tf.math.log(tf.nn.relu(y))\n")
    assert found() == FOUND | {("src/app/own.py", 5)}
    told = json.loads(tfnanlint("src/app/own.py", "--output-format", "json").stdout)
    assert "own" in [one["rule"] for one in told]
    assert tfnanlint("rule", "own").stdout.startswith("# own\n\nThe log of an activation that is off.\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('selct = ["log"]', "unknown key `selct`; did you mean `select`?"),
        ('select = ["log-sofmax"]', "no rule or group is named `log-sofmax`; did you mean `log-softmax`?"),
        ('severity = { norm = "eror" }', "`severity` cannot be `eror`; did you mean `error`?"),
        ('extend = "gone.toml"', "`extend`: file not found: src/gone.toml"),
    ],
)
def test_what_is_wrong_in_a_configuration_is_named_with_the_file_and_what_was_meant(text: str, said: str) -> None:
    write("src/tfnanlint.toml", text + "\n")
    done = tfnanlint()
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"tfnanlint: src/tfnanlint.toml: {said}\n")


def test_editors_get_a_schema_that_takes_the_configuration() -> None:
    schema = json.loads(tfnanlint("config", "--schema").stdout)
    validate({"select": ["log-softmax"], "severity": {"norm": "info"}, "assume": {"x": [0, 1]}}, schema)


# Suppression and adoption.


def test_comments_silence_a_line_the_ends_of_a_statement_a_block_and_a_file() -> None:
    losses, model = LOSSES.splitlines(), MODEL.splitlines()
    losses[5] += "  # tfnanlint: ignore[log-softmax] by hand"
    losses[13] += "  # tfnanlint: ignore[log-one-minus-sigmoid]"
    model.insert(6, "        # tfnanlint: off[norm-at-zero]")
    model.insert(8, "        # tfnanlint: on[norm-at-zero]")
    write("src/app/losses.py", "\n".join(losses))
    write("src/app/model.py", "\n".join(model))
    assert tfnanlint().returncode == 0
    write("src/app/losses.py", "# tfnanlint: ignore-file\n" + LOSSES)
    assert tfnanlint().returncode == 0
    write("src/app/losses.py", LOSSES.replace("(p)", "(p)  # tfnanlint: ignore[log-softmax, norm-at-zero]"))
    assert "src/app/losses.py:6:28: warning (certain) TFN001 unused-ignore" in tfnanlint().stdout
    tfnanlint("--fix", "--select", "meta")
    assert "(p)  # tfnanlint: ignore[log-softmax]\n" in Path("src/app/losses.py").read_text()


def test_an_old_project_adopts_the_rules_by_comments_or_by_a_baseline() -> None:
    assert tfnanlint("--write-baseline", "known.json").returncode == 0
    write("src/app/losses.py", "# moved\n\n" + LOSSES)
    assert tfnanlint("--baseline", "known.json").returncode == 0
    write("src/app/losses.py", LOSSES + "\n\nz = tf.math.log(tf.sigmoid(w))\n")
    assert found("--baseline", "known.json") == {("src/app/losses.py", 17)}
    assert tfnanlint("--add-ignores").returncode == 0
    assert tfnanlint().returncode == 0
    assert Path("src/app/losses.py").read_text().count("# tfnanlint: ignore[") == 3


def test_only_what_is_new_since_a_revision_is_reported() -> None:
    assert tfnanlint("--changed-since", "HEAD").returncode == 0
    write("src/app/losses.py", "# moved\n" + LOSSES + "\n\nz = tf.math.log(tf.sigmoid(w))\n")
    assert found("--changed-since", "main") == {("src/app/losses.py", 18)}
    assert tfnanlint("--changed-since", "nowhere").returncode == 2


# Reports.


def test_every_format_is_written_whole_to_a_file_and_the_counts_to_the_terminal() -> None:
    for name in FORMATS:
        done = tfnanlint("--output-format", name, "--output-file", f"report.{name}", "--statistics")
        assert (done.returncode, done.stdout) == (1, ""), name
        assert re.search(r"^ +1  log-softmax +\(1 with a fix\)$", done.stderr, re.MULTILINE), name
    reports = {name: Path(f"report.{name}").read_text() for name in FORMATS}
    for name in ("text", "concise", "github", "html"):
        assert all(f"{word}" in reports[name] for word in ("log-softmax", "src/app/losses.py")), name
        assert "\x1b" not in reports[name]
    validate(json.loads(reports["json"]), json.loads((ROOT / "docs/schema/findings-1.json").read_text()))
    (run,) = json.loads(reports["sarif"])["runs"]
    assert len(run["results"]) == len(json.loads(reports["gitlab"])) == len(FOUND)
    assert ElementTree.fromstring(reports["junit"]).get("failures") == str(len(FOUND))


def test_colour_is_left_out_where_there_is_no_terminal_and_put_in_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in tfnanlint().stdout
    assert "\x1b[" in tfnanlint("--color", "always").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in tfnanlint().stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in tfnanlint().stdout


def test_the_files_are_listed_and_standard_input_goes_by_its_name() -> None:
    files = ["src/app/__init__.py", "src/app/losses.py", "src/app/model.py", "tests/test_losses.py"]
    assert tfnanlint("--show-files").stdout.split() == files
    done = tfnanlint("-", "--stdin-filename", "src/app/new.py", given=LOSSES)
    assert done.stdout.startswith("src/app/new.py:6:12: error (likely) TFN118 log-softmax")
    repaired = tfnanlint("-", "--fix", "--stdin-filename", "src/app/new.py", given=LOSSES)
    assert repaired.returncode == 0
    assert "tf.nn.log_softmax(logits)" in repaired.stdout


# Notebooks.


def test_a_notebook_is_linted_and_repaired_cell_by_cell() -> None:
    cells = [
        new_markdown_cell("# Title"),
        new_code_cell("%matplotlib inline\nimport tensorflow as tf\n!pip list"),
        new_code_cell("%%time\nfiles = !ls {x}\ny = tf.math.log(tf.nn.softmax(x))\nprint?"),
    ]
    nbformat.write(new_notebook(cells=cells), "a.ipynb")
    assert tfnanlint("a.ipynb", "--output-format", "concise").stdout.startswith("a.ipynb:cell 3:3:5: error")
    assert tfnanlint("a.ipynb", "--fix").returncode == 0
    sources = [cell.source for cell in nbformat.read("a.ipynb", 4).cells]
    repaired = cells[2].source.replace("math.log(tf.nn.softmax(x))", "nn.log_softmax(x)")
    assert sources == [*(cell.source for cell in cells[:2]), repaired]


# Good manners.


def test_the_program_opens_no_connection() -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('a connection')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from tfnanlint.cli import main\n"
        "sys.exit(main(['--output-format', 'html', '--output-file', 'report.html', '--jobs', '2', '--no-cache']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr


def test_what_goes_wrong_with_one_file_is_named_and_the_others_go_on() -> None:
    write("src/app/broken.py", "import tensorflow as tf\ndef f(:\n")
    Path("src/app/bytes.py").write_bytes(b"import tensorflow\n\xff\xfe")
    Path("src/app/null.py").write_bytes(b"import tensorflow\n\0")
    write("src/app/other.py", "def f(:\n")  # without TensorFlow it is for other tools to judge
    Path("src/app/other_null.py").write_bytes(b"import os  # tfnanlint: ignore\n\0")
    Path("src/app/other_wide.py").write_bytes("import os\n".encode("utf-16"))
    Path("src/app/wide.py").write_bytes("import tensorflow\n".encode("utf-16"))
    done = tfnanlint("--output-format", "json")
    assert done.returncode == 2
    assert [line.partition(":")[0] for line in done.stderr.splitlines() if line.startswith("src/")] == [
        "src/app/broken.py",
        "src/app/bytes.py",
        "src/app/null.py",
        "src/app/wide.py",
    ]
    assert {(one["path"], one["line"]) for one in json.loads(done.stdout)} == FOUND
    assert "Traceback" not in done.stderr


CRASH = """\
import sys
sys.path.insert(1, {root!r})
from tfnanlint.match import matcher

judged = matcher.match_at

def match_at(rule, pattern, node, *rest):
    if rule.name == "log-softmax" and "losses" in node.origin.file.path:
        raise ZeroDivisionError("by nothing")
    return judged(rule, pattern, node, *rest)

matcher.match_at = match_at
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_rule_that_crashes_on_one_file_is_named_with_it_and_all_else_goes_on(
    jobs: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here.parent / "sitecustomize.py").write_text(CRASH.format(root=str(ROOT)))
    monkeypatch.setenv("PYTHONPATH", str(here.parent))
    done = tfnanlint("--output-format", "json", "--quiet", "--jobs", jobs, "--no-cache")
    assert done.returncode == 2
    assert done.stderr == (
        "src/app/losses.py: internal error in rule log-softmax: ZeroDivisionError: by nothing\n"
        "src/app/model.py: internal error in rule log-softmax: ZeroDivisionError: by nothing\n"  # which imports it
        "Please report this bug with the traceback that TFNANLINT_TRACEBACK=1 prints.\n"
    )
    left = {(one["path"], one["line"]) for one in json.loads(done.stdout)}
    assert left >= FOUND - {("src/app/losses.py", 6)}
    monkeypatch.setenv("TFNANLINT_TRACEBACK", "1")
    assert "raise ZeroDivisionError" in tfnanlint("--quiet", "--no-cache").stderr


def test_the_first_screens_tell_the_way() -> None:
    told = tfnanlint("--help").stdout
    assert all(word in told for word in ("--fix", "commands:", "exit status: 0", "tfnanlint rule"))
    assert "did you mean `--select`?" in tfnanlint("--slect", "log").stderr
    assert tfnanlint("chek").stderr == "chek: no such file or folder; did you mean `check`?\n"
    os.mkdir("empty")
    empty = tfnanlint("empty")
    assert (empty.returncode, empty.stdout.splitlines()[-1]) == (0, "0 files checked.")
    assert tfnanlint("rule", "norm-at-zero").stdout.startswith("# norm-at-zero (TFN405)\n")
