"""Whole projects through the command line: hazards that one file holds and another reaches."""

from __future__ import annotations

import gc
import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tfnanlint import cli
from tfnanlint.config.settings import Settings
from tfnanlint.finding import Finding
from tfnanlint.fix.choose import Choice
from tfnanlint.lint import lint_source
from tfnanlint.match.captures import Match
from tfnanlint.run import workers
from tfnanlint.run.many import check_bytes, check_files
from tfnanlint.run.outcome import Outcome
from tfnanlint.run.single import Linter
from tfnanlint.source.project import Project

CLEAN, FINDINGS, WRONG = 0, 1, 2

HELPERS = """\
import tensorflow as tf


def entropy(shares):
    return -tf.reduce_sum(shares * tf.math.log(shares), axis=-1)


def norm(x):
    return tf.norm(x, axis=-1)
"""
BRANCHES = """\
import tensorflow as tf


def positive_loss(scores, labels):
    positive = tf.equal(labels, 1)
    count = tf.reduce_sum(tf.cast(positive, tf.float32))

    def some():
        return tf.reduce_sum(scores * tf.cast(positive, tf.float32)) / count

    def none():
        return tf.constant(0.0)

    return tf.cond(count > 0, some, none)
"""
MODEL = """\
import tensorflow as tf

from helpers import entropy


def loss(logits):
    return entropy(tf.nn.softmax(logits))
"""
GUARDED = HELPERS.replace("shares * tf.math.log(shares)", "tf.math.xlogy(shares, shares)")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in an empty project of its own."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".git").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("PYTHONPATH", str(Path(cli.__file__).parents[1]))


def write(name: str, code: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")
    return path


def found(*paths: str, fix: bool = False, jobs: int = 1, **of: Settings) -> list[tuple[str, int, str]]:
    """Path, line and rule of what a run over some files finds."""
    tasks = [(path, of.get(path.replace(".", "_"), Settings(fix=fix))) for path in paths]
    outcomes = list(check_files(tasks, jobs))
    assert [outcome.path for outcome in outcomes] == list(paths)
    assert [problem for outcome in outcomes for problem in outcome.problems] == []
    assert all(finding.path == outcome.path for outcome in outcomes for finding in outcome.findings)
    return [(f.path, f.line, f.rule) for outcome in outcomes for f in outcome.findings]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


REACHED = [("helpers.py", 5, "log-times-argument")]


def test_a_hazard_that_another_file_reaches_is_reported_where_it_stands_with_the_way_to_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("helpers.py", HELPERS)
    write("model.py", MODEL)
    status, out, _ = run(capsys, "--output-format", "json")
    assert status == FINDINGS
    report = json.loads(out)
    assert {finding["path"] for finding in report} == {"helpers.py"}
    trail = [(step["path"], step["line"]) for step in report[0]["trail"]]
    assert ("model.py", 7) in trail


def test_a_branch_that_is_too_far_away_to_be_followed_is_not_looked_at_without_its_condition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("branches.py").write_text(BRANCHES)
    Path("main.py").write_text(
        "from branches import positive_loss\n\n\ndef main(scores, labels):\n    return positive_loss(scores, labels)\n"
    )
    pedantic = Settings(pedantic=True)
    for depth in (4, 1):
        monkeypatch.setattr("tfnanlint.source.other_files.ABROAD_DEPTH", depth)
        assert found("main.py", "branches.py", main_py=pedantic, branches_py=pedantic) == []


def test_a_file_alone_says_nothing_of_a_hazard_that_nothing_in_it_reaches() -> None:
    write("helpers.py", HELPERS)
    write("model.py", MODEL)
    assert found("helpers.py") == []
    assert sorted(set(found("helpers.py", "model.py"))) == sorted(set(REACHED))


def test_what_stands_in_a_file_outside_the_run_is_not_reported() -> None:
    write("helpers.py", HELPERS)
    write("model.py", MODEL)
    assert found("model.py") == []


def test_what_a_helper_gives_back_is_known_in_the_file_that_calls_it() -> None:
    write("heads.py", "import tensorflow as tf\n\n\ndef head(x):\n    return tf.nn.softmax(x)\n")
    write(
        "model.py", "import tensorflow as tf\nfrom heads import head\n\n\ndef f(x):\n    return tf.math.log(head(x))\n"
    )
    assert found("model.py") == [("model.py", 6, "log-softmax")]


def test_a_long_operand_of_a_repair_may_stand_in_another_file(capsys: pytest.CaptureFixture[str]) -> None:
    dense = "def dense(x, w, some_bias, act=tf.nn.relu):\n    h = tf.matmul(x, w)\n    return act(h + some_bias)\n"
    write("layers.py", f"import tensorflow as tf\n\n\n{dense}")
    head = "def head(x, w, b):\n    h = tf.concat([dense(x, w, b), x], 1)\n    return tf.nn.softmax(dense(h, w, b))\n"
    write("model.py", f"import tensorflow as tf\nfrom layers import dense\n\n\n{head}")
    status, out, err = run(capsys)
    assert (status, err) == (FINDINGS, "")
    assert "model.py:7:12: warning (likely) TFN603 softmax-of-relu" in out


def test_a_file_that_only_calls_is_looked_at_though_it_does_not_speak_of_tensorflow() -> None:
    write("helpers.py", HELPERS)
    write("heads.py", "import tensorflow as tf\n\n\ndef head(x):\n    return tf.nn.softmax(x)\n")
    write("main.py", "import heads\nfrom helpers import entropy\n\n\ndef f(x):\n    return entropy(heads.head(x))\n")
    assert sorted(set(found("helpers.py", "main.py", "heads.py"))) == sorted(set(REACHED))


PLACES = {
    "beside it": ("helpers.py", "model.py", "from helpers import entropy"),
    "as a module": ("helpers.py", "model.py", "import helpers\nentropy = helpers.entropy"),
    "under another name": (
        "helpers.py",
        "model.py",
        "import helpers as h\n\n\ndef entropy(p):\n    return h.entropy(p)",
    ),
    "with a star": ("helpers.py", "model.py", "from helpers import *"),
    "in its package": ("pkg/helpers.py", "pkg/model.py", "from .helpers import entropy"),
    "as a module of its package": (
        "pkg/helpers.py",
        "pkg/model.py",
        "from . import helpers\nentropy = helpers.entropy",
    ),
    "in the package above": ("pkg/helpers.py", "pkg/deep/model.py", "from ..helpers import entropy"),
    "by its full name": ("pkg/helpers.py", "pkg/deep/model.py", "from pkg.helpers import entropy"),
    "from a script beside the package": ("pkg/helpers.py", "scripts/model.py", "from pkg.helpers import entropy"),
    "in a package below src": ("src/pkg/helpers.py", "tests/unit/model.py", "from pkg.helpers import entropy"),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_a_helper_is_found_wherever_python_finds_it(place: tuple[str, str, str]) -> None:
    helpers, model, statement = place
    write(helpers, HELPERS)
    write(model, MODEL.replace("from helpers import entropy", statement))
    for folder in {*Path(helpers).parents, *Path(model).parents}:
        if "pkg" in folder.parts:
            write(f"{folder}/__init__.py", "")
    assert {(path, rule) for path, _, rule in found(helpers, model)} == {(helpers, "log-times-argument")}


def test_a_name_is_followed_through_the_modules_that_pass_it_on() -> None:
    write("pkg/__init__.py", "from .inner import entropy\n")
    write("pkg/inner/__init__.py", "from .helpers import entropy\n")
    write("pkg/inner/helpers.py", HELPERS)
    write("model.py", MODEL.replace("from helpers", "from pkg"))
    assert {path for path, *_ in found("model.py", "pkg/inner/helpers.py")} == {"pkg/inner/helpers.py"}


def test_modules_that_import_each_other_and_modules_that_are_not_there_are_no_errors() -> None:
    write("helpers.py", "from model import loss\nfrom gone import nothing\nfrom . import no\n" + HELPERS)
    write("model.py", "import numpy_of_mine\nfrom .... import far\n" + MODEL)
    write("broken.py", "def f(:\n")
    write("more.py", "from broken import f\nfrom latin import g\n" + MODEL)
    Path("latin.py").write_bytes(b"# coding: latin-1\nimport tensorflow as tf\ns = '\xe9'\n")
    assert {path for path, *_ in found("helpers.py", "model.py", "more.py")} == {"helpers.py"}


def test_a_hazard_that_many_files_reach_is_reported_once_on_the_best_evidence() -> None:
    write("helpers.py", "import tensorflow as tf\n\n\ndef lg(p):\n    return tf.math.log(p)\n")
    write("a.py", "import tensorflow as tf\nfrom helpers import lg\n\n\ndef f(x):\n    return lg(tf.nn.relu(x))\n")
    write("b.py", "import tensorflow as tf\nfrom helpers import lg\n\n\ndef f():\n    return lg(tf.zeros([2]))\n")
    write("c.py", "import tensorflow as tf\nfrom helpers import lg\n\n\ndef f(x):\n    return lg(tf.nn.relu(x))\n")
    paths = ["a.py", "b.py", "c.py", "helpers.py"]
    outcome = next(o for o in check_files([(path, Settings()) for path in paths]) if o.path == "helpers.py")
    assert len({finding.position for finding in outcome.findings}) == len(outcome.findings)
    best = min(finding.certainty for finding in outcome.findings)  # `certain` comes before `likely`
    alone = [o for path in "abc" for o in check_files([(f"{path}.py", Settings()), ("helpers.py", Settings())])]
    assert best == min(finding.certainty for o in alone for finding in o.findings)


def test_a_hazard_that_nobody_has_to_reach_is_not_told_again_under_another_name_by_who_imports_it() -> None:
    write("helpers.py", HELPERS + "\n\nz = tf.math.log(tf.sigmoid(logits + entropy(w)))\n")
    write("model.py", MODEL)
    assert [rule for path, line, rule in found("helpers.py", "model.py") if line == 12] == ["log-sigmoid"]


def project(count: int = 6) -> list[str]:
    """A project in which every file reaches into others."""
    write("helpers.py", HELPERS)
    names = ["helpers.py"]
    for number in range(count):
        code = MODEL + "\n\ndef size(x, y):\n    return tf.gradients(norm(x - x), [x])\n"
        code = code.replace("import entropy", "import entropy, norm")
        write(f"m{number}.py", code if number % 2 else code.replace("softmax", "sigmoid"))
        names.append(f"m{number}.py")
    return names


def told(outcomes: list[Outcome]) -> dict[str, object]:
    return {o.path: (o.findings, o.silenced, o.fixed, o.after) for o in outcomes}


@pytest.mark.parametrize("fix", [False, True])
def test_the_outcome_does_not_depend_on_the_order_of_files_nor_on_the_number_of_jobs(
    fix: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = project(4)
    expected = told(list(check_files([(name, Settings(fix=fix)) for name in names])))
    for order in itertools.islice(itertools.permutations(names), 3, 120, 39):
        assert told(list(check_files([(name, Settings(fix=fix)) for name in order]))) == expected
    monkeypatch.setattr(workers, "PATIENCE", -1.0)
    monkeypatch.setattr(workers, "CHUNK", 2)
    for jobs in (2, 5):
        assert told(list(check_files([(name, Settings(fix=fix)) for name in names], jobs))) == expected


def test_the_comments_of_the_file_that_has_the_hazard_silence_it() -> None:
    write("helpers.py", HELPERS.replace("axis=-1)\n\n\ndef norm", "axis=-1)  # tfnanlint: ignore\n\n\ndef norm"))
    write("model.py", MODEL + "# tfnanlint: ignore-file\n")
    assert found("helpers.py", "model.py") == [("model.py", 8, "unused-ignore")]


def test_an_ignore_is_used_if_another_file_reaches_the_hazard_if_only_possibly() -> None:
    write("helpers.py", HELPERS.replace("axis=-1)\n\n\ndef norm", "axis=-1)  # tfnanlint: ignore\n\n\ndef norm"))
    write("model.py", MODEL)
    assert found("helpers.py", "model.py") == []
    write(
        "helpers.py",
        "import tensorflow as tf\n\n\ndef f():  # tfnanlint: ignore[log-softmax]\n    return tf.exp(1.0)\n",
    )
    assert found("helpers.py", "model.py") == [("helpers.py", 4, "unused-ignore")]


def test_the_settings_of_the_file_that_has_the_hazard_decide() -> None:
    write("helpers.py", HELPERS)
    write("model.py", MODEL)
    without = Settings(ignore=("log-times-argument",))
    assert {rule for *_, rule in found("helpers.py", "model.py", helpers_py=without)} == set()
    assert {rule for *_, rule in found("helpers.py", "model.py", model_py=without)} == {rule for *_, rule in REACHED}


def test_an_excluded_file_is_followed_and_not_reported(capsys: pytest.CaptureFixture[str]) -> None:
    write("helpers.py", HELPERS)
    write("heads.py", "import tensorflow as tf\n\n\ndef head(x):\n    return tf.nn.softmax(x)\n")
    write("model.py", MODEL.replace("tf.nn.softmax", "head") + "from heads import head\n")
    write("tfnanlint.toml", 'exclude = ["heads.py"]\n')
    assert run(capsys, "--output-format", "concise")[1].startswith("helpers.py:5:")
    write("tfnanlint.toml", 'exclude = ["helpers.py"]\n')
    assert run(capsys)[0] == CLEAN


def test_fix_repairs_the_file_that_has_the_hazard_and_a_second_run_changes_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    helpers, model = write("helpers.py", HELPERS), write("model.py", MODEL)
    status, out, err = run(capsys, "--fix")
    assert (status, err) == (CLEAN, "")
    assert out.startswith("Fixed 1 problem in 1 file.\n")
    assert (helpers.read_text(), model.read_text()) == (GUARDED, MODEL)
    assert run(capsys, "--fix") == (CLEAN, "No problems found; 2 files checked.\n", "")
    assert (helpers.read_text(), model.read_text()) == (GUARDED, MODEL)


def test_a_diff_shows_the_repairs_of_every_file_and_writes_none(capsys: pytest.CaptureFixture[str]) -> None:
    helpers = write("helpers.py", HELPERS)
    write("model.py", MODEL)
    helpers.chmod(0o444)
    status, out, err = run(capsys, "--diff")
    assert status == FINDINGS
    assert "+    return -tf.reduce_sum(tf.math.xlogy(shares, shares), axis=-1)\n" in out
    assert "read-only" not in err
    assert helpers.read_text() == HELPERS


def test_after_a_repair_the_files_that_import_it_are_linted_with_its_new_text() -> None:
    write("a.py", "import tensorflow as tf\n\n\ndef head(x):\n    return tf.math.log(tf.nn.softmax(x))\n")
    write(
        "b.py",
        "import tensorflow as tf\nfrom a import head\n\n\n"
        "def f(x):\n    return head(x), tf.math.log(1.0 - tf.exp(head(x)))\n",
    )
    tasks = [(path, Settings(fix=True)) for path in ("a.py", "b.py")]
    outcomes = {outcome.path: outcome for outcome in check_files(tasks)}
    for path, outcome in outcomes.items():
        if outcome.after is not None:
            Path(path).write_bytes(outcome.after)
    assert outcomes["a.py"].after is not None
    again = {outcome.path: outcome for outcome in check_files(tasks)}
    assert all(outcome.after is None for outcome in again.values())
    assert [o.findings for o in again.values()] == [o.findings for o in outcomes.values()]


def test_a_read_only_file_keeps_its_hazard_and_the_others_are_repaired(capsys: pytest.CaptureFixture[str]) -> None:
    helpers = write("helpers.py", HELPERS)
    model = write("model.py", MODEL + "\n\ndef other(x):\n    return tf.math.log(tf.nn.softmax(x))\n")
    helpers.chmod(0o444)
    status, out, err = run(capsys, "--fix", "--output-format", "concise")
    assert status == WRONG
    assert "helpers.py: not fixed: the file is read-only\n" in err
    assert "helpers.py:5:" in out
    assert "log_softmax" in model.read_text()


def test_standard_input_is_followed_into_its_project() -> None:
    write("heads.py", "import tensorflow as tf\n\n\ndef head(x):\n    return tf.nn.softmax(x)\n")
    code = "import tensorflow as tf\nfrom heads import head\n\n\ndef f(x):\n    return tf.math.log(head(x))\n"
    outcome = check_bytes(code.encode(), "model.py", Settings())
    assert [finding.rule for finding in outcome.findings] == ["log-softmax"]


def test_a_notebook_leads_into_its_project_and_the_trail_names_its_cell(capsys: pytest.CaptureFixture[str]) -> None:
    write("helpers.py", HELPERS)
    cells = [
        "import tensorflow as tf\nfrom helpers import entropy",
        "y = entropy(tf.nn.softmax(load()))",
    ]
    book = {
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    write("book.ipynb", json.dumps(book))
    _, out, _ = run(capsys, "--output-format", "json")
    report = json.loads(out)
    assert {finding["path"] for finding in report} == {"helpers.py"}
    assert ("book.ipynb", 2, 1) in [(s["path"], s["cell"], s["line"]) for f in report for s in f["trail"]]


def test_the_program_finds_across_files_in_folders_named_from_elsewhere() -> None:
    write("inner/helpers.py", HELPERS)
    write("inner/model.py", MODEL)
    write("other/notes.txt", "")
    command = [sys.executable, "-m", "tfnanlint", "--output-format", "concise", "--jobs", "2"]
    for folder, where, prefix in (
        ("inner", ".", "inner/"),
        (".", "inner", ""),
        (str(Path("inner").resolve()), "other", None),
    ):
        done = subprocess.run([*command, folder], cwd=where, capture_output=True, text=True, check=False)
        assert done.returncode == FINDINGS
        expected = str(Path("inner/helpers.py").resolve()) if prefix is None else f"{prefix}helpers.py"
        assert done.stdout.splitlines()[0].startswith(f"{expected}:5:")


def test_a_project_keeps_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfnanlint.source.project.PARSED_BYTES", 2000)
    monkeypatch.setattr("tfnanlint.source.project.SKETCHED_BYTES", 2000)
    monkeypatch.setattr("tfnanlint.source.project.READ_BYTES", 2000)
    names = [write(f"h{number}.py", HELPERS + "#" * 200).name for number in range(30)]
    kept = Project()
    assert all(kept.parsed(str(Path(name).resolve())) is not None for name in names)
    assert all(kept.sketched(str(Path(name).resolve())) is not None for name in names)
    for held in (kept._parsed, kept._sketched, kept._bytes):
        assert held.size <= 2000
        assert len(held) < 10


def keep_little(monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in ("PARSED_BYTES", "SKETCHED_BYTES", "READ_BYTES", "REMEMBERED_BYTES"):
        monkeypatch.setattr(f"tfnanlint.source.project.{kept}", 4000)


def test_what_a_run_keeps_does_not_grow_with_the_files_that_it_has_linted(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_little(monkeypatch)
    names, helpers = [], []
    for number in range(60):
        helper = write(f"helpers{number}.py", HELPERS + f"#{number}\n").name
        helpers.append(helper)
        lines = MODEL.replace("helpers", helper.removesuffix(".py")).replace("loss", f"loss{number}")
        names.append(write(f"model{number}.py", lines).name)
    linter = Linter(dict.fromkeys([*names, *helpers], Settings()))

    def objects_after(some: list[str]) -> int:
        assert all(linter.lint(name).findings for name in some)
        gc.collect()
        return len(gc.get_objects())

    early = objects_after(names[:20])
    late = objects_after(names[20:])
    assert late - early < 1000  # one of these files is some hundred objects


SEARCHED = """\
import tensorflow as tf
from helpers import energy


class Model(tf.keras.Model):
    def __init__(self, wide):
        super().__init__()
        self.dense = tf.keras.layers.Dense(wide)
        self.scaled = lambda x: x / (energy(x) + 1.0)

    def call(self, x):
        def again(y):
            return self.dense(y) + (again(x) if tf.reduce_any(y > 1.0) else y)

        for _ in range(3):
            x = self.scaled(again(x))
        return tf.math.log(tf.square(x) + 1.0)
"""


def test_what_is_searched_without_a_finding_goes_without_the_collector_of_garbage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep_little(monkeypatch)
    write("helpers.py", "import tensorflow as tf\n\n\ndef energy(x):\n    return tf.reduce_sum(tf.square(x))\n")
    names = [write(f"model{number}.py", SEARCHED.replace("Model(", f"Model{number}(")).name for number in range(60)]
    linter = Linter(dict.fromkeys([*names, "helpers.py"], Settings()))

    def objects_after(some: list[str]) -> int:
        assert not any(linter.lint(name).findings for name in some)
        return sum(1 for one in gc.get_objects() if str(type(one).__module__).startswith("tfnanlint"))

    gc.collect()
    gc.disable()
    try:
        early = objects_after(names[:20])
        assert objects_after(names[20:]) - early < 200  # one of these files is some hundred objects
    finally:
        gc.enable()


def test_a_changed_text_is_read_anew() -> None:
    path = str(write("helpers.py", HELPERS).resolve())
    kept = Project()
    first = kept.parsed(path)
    kept.revise({"helpers.py": "import tensorflow as tf\nx = 1\n"})
    second = kept.parsed(path)
    assert first is not None
    assert second is not None
    assert second.text.endswith("x = 1\n")
    shutil.rmtree(".git")
    kept.revise({})
    third = kept.parsed(path)
    sketched = kept.sketched(path)
    assert third is not None
    assert sketched is not None
    assert third.text == sketched.text == HELPERS


@pytest.mark.parametrize(
    ("line", "shims"),
    [
        ("from compat import tf", {"compat.py": "import tensorflow.compat.v2 as tf\n"}),
        ("from mylib import tensorflow_shim as tf", {"mylib/__init__.py": "import tensorflow as tensorflow_shim\n"}),
        ("from .compat import *", {"compat.py": "import tensorflow as tf\n", "__init__.py": ""}),
        ("from first import tf", {"first.py": "from second import tf\n", "second.py": "import tensorflow as tf\n"}),
    ],
)
def test_a_file_that_has_tensorflow_from_a_sibling_is_linted(line: str, shims: dict[str, str]) -> None:
    for name, code in shims.items():
        write(name, code)
    write("model.py", f"{line}\n\n\ndef loss(x):\n    return tf.math.log(tf.nn.softmax(x))\n")
    write("helper.py", f"{line}\n\n\ndef entropy(p):\n    return tf.math.log(p)\n")
    write("user.py", f"{line}\nfrom helper import entropy\n\n\ndef f(x):\n    return entropy(tf.nn.softmax(x))\n")
    tasks = [(name, Settings()) for name in ("model.py", "user.py", "helper.py")]
    outcomes = list(check_files(tasks))
    assert sorted(f.path for outcome in outcomes for f in outcome.findings) == ["helper.py", "model.py"]


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("here", ["", "project", "project/app", "elsewhere"])
def test_findings_do_not_depend_on_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], marked: bool, here: str
) -> None:
    root = tmp_path / "free"
    for name, code in {
        "project/lib/helpers.py": HELPERS,
        "project/app/model.py": MODEL.replace("from helpers", "from lib.helpers"),
        "elsewhere/helpers.py": GUARDED,
    }.items():
        write(str(root / name), code)
    if marked:
        (root / "project" / "pyproject.toml").touch()
    monkeypatch.chdir(root / here)
    _, out, _ = run(capsys, str(root / "project"), "--isolated", "--no-cache", "--output-format", "json")
    assert sorted((Path(f["path"]).name, f["line"], f["rule"]) for f in json.loads(out)) == REACHED


def test_findings_do_not_depend_on_the_folder_in_which_the_linter_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    write("pkg/__init__.py", "")
    write("pkg/losses/__init__.py", "")
    write("pkg/losses/helpers.py", HELPERS)
    write("pkg/losses/distance.py", "from pkg.losses.helpers import norm\n\n\ndef far(a, b):\n    return norm(a - b)\n")
    root = Path.cwd()

    def found(folder: Path, *given: str) -> set[tuple[Path, int, str]]:
        monkeypatch.chdir(folder)
        outcomes = list(check_files([(path, Settings()) for path in given]))
        return {(Path(f.path).resolve(), f.line, f.rule) for outcome in outcomes for f in outcome.findings}

    names = ("helpers.py", "distance.py")
    everywhere = found(root, *(f"pkg/losses/{name}" for name in names))
    assert {rule for _, _, rule in everywhere} >= {"norm-at-zero"}
    assert found(root / "pkg" / "losses", *names) == everywhere
    assert found(Path(root.anchor), *(str(root / "pkg" / "losses" / name) for name in names)) == everywhere


LOG_OF_A_MEAN = """import tensorflow as tf


def loss(y_true, y_pred, mask):
    mean = tf.reduce_sum((1.0 + tf.abs(y_true - y_pred)) * mask) / tf.reduce_sum(mask)
    return tf.math.log(2.0 * mean)
"""
TRAINER = """import tensorflow as tf
from losses import loss


def step(x, y, mask):
    return tf.reduce_mean(loss(y, tf.keras.layers.Dense(3)(x), mask))
"""


def test_a_fix_that_a_run_refused_is_not_offered_through_a_file_that_could_not_try_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The mean is NaN and its log is too: a 0 in its place does not help."""
    write("losses.py", LOG_OF_A_MEAN)
    write("trainer.py", TRAINER)

    def divided(paths: list[str]) -> Finding:
        outcome = next(o for o in check_files([(path, Settings()) for path in paths]) if o.path == "losses.py")
        (found,) = [one for one in outcome.findings if one.rule == "divide-by-mask-sum"]
        return found

    assert divided(["losses.py"]).fix_held is False
    tried = Choice._tried

    def untried_elsewhere(self: Choice, match: Match, *rest: Any) -> Any:
        return None if match.root.origin.calls else tried(self, match, *rest)

    monkeypatch.setattr(Choice, "_tried", untried_elsewhere)
    seen = divided(["losses.py", "trainer.py"])
    assert seen.fix is None
    assert seen.no_fix is not None
    assert "not finite" in seen.no_fix


def test_one_hazard_that_others_reach_with_different_numbers_is_told_under_one_name() -> None:
    """Through one file the argument is 0, through the other one negative: the place has one finding, and one fix."""
    write("boxes.py", "import tensorflow as tf\n\n\ndef size(a, b):\n    return tf.math.log(a / b)\n")
    head = "import tensorflow as tf\nfrom boxes import size\n\n\ndef f(x):\n    return "
    write("one.py", head + "size(tf.nn.relu(x), 2.0)\n")
    write("two.py", head + "size(tf.tanh(x), 2.0)\n")
    paths = ["boxes.py", "one.py", "two.py"]
    outcome = next(o for o in check_files([(path, Settings()) for path in paths]) if o.path == "boxes.py")
    assert len(outcome.findings) == 1
    names = {
        f.rule
        for path in ("one.py", "two.py")
        for f in next(
            o for o in check_files([(path, Settings()), ("boxes.py", Settings())]) if o.path == "boxes.py"
        ).findings
    }
    assert len(names) == 2


TRAINING = """
import keras
from net import build


def main():
    keras.mixed_precision.set_global_policy("mixed_float16")
    build().fit()


main()
"""
NETWORK = """
from pool import Pool


def build():
    return Pool()
"""
POOL = """
import keras
import tensorflow as tf


class Pool(keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.score = keras.layers.Dense(1)

    def call(self, x, mask):
        scores = self.score(x)
        scores += (1.0 - tf.cast(mask, scores.dtype)) * -1e9
        return tf.nn.softmax(scores, axis=-1)
"""


@pytest.mark.parametrize(
    ("training", "found"),
    [
        (TRAINING, ["mask-float16"]),
        (TRAINING.replace("mixed_float16", "float32"), []),
        (TRAINING.replace("from net import build", "from other import build"), []),
        (TRAINING.replace('"mixed_float16"', 'keras.mixed_precision.Policy(name="mixed_float16")'), ["mask-float16"]),
    ],
    ids=["half", "single", "another program", "an object"],
)
def test_the_precision_that_a_program_sets_holds_in_all_its_modules(
    tmp_path: Path, training: str, found: list[str]
) -> None:
    for name, text in (("pyproject.toml", ""), ("net.py", NETWORK), ("train.py", training), ("pool.py", POOL)):
        (tmp_path / name).write_text(text)
    path = tmp_path / "pool.py"
    assert [one.rule for one in lint_source(POOL, str(path), project=Project())] == found
