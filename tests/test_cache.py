"""What earlier runs have found is believed as long as nothing that it depends on has changed, and never longer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.config.settings import Settings
from tfnanlint.run import workers
from tfnanlint.run.cache import MOST_INDEXES
from tfnanlint.run.many import check_files
from tfnanlint.vocabulary import CACHE as FOLDER

HAZARD = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x))\n"
HELPER = "import tensorflow as tf\n\n\ndef nll(shares):\n    return tf.math.log(shares)\n"
CALLER = "import tensorflow as tf\nfrom helper import nll\n\n\ndef loss(x):\n    return nll(tf.nn.softmax(x))\n"
LONG_AGO = 1_600_000_000


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def linted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were really linted, whatever was known."""
    paths: list[str] = []
    lint = workers.Linter.lint

    def noted(self: workers.Linter, path: str, pedantic: bool = False) -> workers.Raw:
        paths.append(path)
        return lint(self, path, pedantic)

    monkeypatch.setattr(workers.Linter, "lint", noted)
    return paths


def write(path: str, text: str) -> None:
    """Write a file as it has been for long, so that its time of modification tells something."""
    Path(path).write_text(text)
    os.utime(path, (LONG_AGO, LONG_AGO))


def found(paths: Sequence[str], settings: Settings = Settings(), cache: str | None = FOLDER) -> list[str]:  # noqa: B008
    """Where something is found, and what."""
    outcomes = list(check_files([(path, settings) for path in paths], cache=cache))
    return [f"{f.path}:{f.line} {f.rule}" for outcome in outcomes for f in outcome.findings]


def index() -> Path:
    (path,) = Path(FOLDER).glob("*.json")
    return path


def test_what_has_not_changed_is_not_linted_again_and_all_of_it_is_told(linted: list[str]) -> None:
    write("a.py", HAZARD)
    tasks = [("a.py", Settings())]
    (cold,) = check_files(tasks, cache=FOLDER)
    (warm,) = check_files(tasks, cache=FOLDER)
    assert linted == ["a.py"]
    assert warm == cold
    assert warm.findings[0].slice == cold.findings[0].slice != ()
    assert warm.findings[0].fix is not None


def test_a_changed_file_is_linted_again(linted: list[str]) -> None:
    write("a.py", HAZARD)
    assert found(["a.py"]) == ["a.py:5 log-softmax"]
    write("a.py", HAZARD.replace("    return", "\n    return"))
    assert found(["a.py"]) == ["a.py:6 log-softmax"]
    assert linted == ["a.py", "a.py"]


def test_a_change_that_keeps_size_and_comes_at_once_is_seen() -> None:
    Path("a.py").write_text(HAZARD)
    assert found(["a.py"]) == ["a.py:5 log-softmax"]
    status = os.stat("a.py")
    Path("a.py").write_text(HAZARD.replace("math.log(", "math.cos("))
    os.utime("a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert found(["a.py"]) == []


def test_a_change_that_keeps_size_and_old_time_is_seen() -> None:
    write("a.py", HAZARD)
    assert found(["a.py"]) == ["a.py:5 log-softmax"]
    write("a.py", HAZARD.replace("math.log(", "math.cos("))
    assert found(["a.py"]) == []


def test_a_file_is_linted_again_when_its_helper_has_changed(linted: list[str]) -> None:
    write("helper.py", HELPER)
    write("train.py", CALLER)
    assert found(["helper.py", "train.py"]) == ["helper.py:5 log-softmax"]
    assert found(["helper.py", "train.py"]) == ["helper.py:5 log-softmax"]
    write("helper.py", HELPER.replace("log(shares)", "log(tf.maximum(shares, 1e-7))"))
    assert found(["helper.py", "train.py"]) == []
    assert linted == ["helper.py", "train.py"] * 2


def test_a_file_is_linted_again_when_its_import_leads_elsewhere() -> None:
    write("helper.py", HELPER)
    write("train.py", CALLER)
    assert found(["helper.py", "train.py"]) == ["helper.py:5 log-softmax"]
    os.mkdir("helper")
    write("helper/__init__.py", "def nll(p):\n    return p\n")
    assert found(["helper.py", "train.py"]) == []


def test_a_helper_that_is_gone_is_not_remembered() -> None:
    write("helper.py", HELPER)
    write("train.py", CALLER)
    assert found(["helper.py", "train.py"]) == ["helper.py:5 log-softmax"]
    os.unlink("helper.py")
    assert found(["train.py"]) == []


def test_other_settings_have_entries_of_their_own() -> None:
    write("a.py", HAZARD)
    assert found(["a.py"]) == ["a.py:5 log-softmax"]
    assert found(["a.py"], Settings(select=("sqrt",))) == []
    assert found(["a.py"]) == ["a.py:5 log-softmax"]


def test_repairs_are_made_of_what_is_remembered(linted: list[str]) -> None:
    write("a.py", HAZARD)
    found(["a.py"])
    del linted[:]
    (outcome,) = check_files([("a.py", Settings(fix=True))], cache=FOLDER)
    assert outcome.after is not None
    assert b"tf.nn.log_softmax(x)" in outcome.after
    assert linted == ["a.py"], "only the repaired text is linted"


@pytest.mark.parametrize("text", ["", "broken", "[]", '{"entries": {}}', '{"entries": 1, "paths": [], "imports": []}'])
def test_a_damaged_index_is_as_good_as_none(text: str) -> None:
    write("a.py", HAZARD)
    found(["a.py"])
    index().write_text(text)
    assert found(["a.py"]) == ["a.py:5 log-softmax"]
    assert json.loads(index().read_text())["entries"]


def test_a_damaged_entry_is_as_good_as_none() -> None:
    write("a.py", HAZARD)
    found(["a.py"])
    whole = json.loads(index().read_text())
    for entry in whole["entries"].values():
        entry["findings"] = [{"rule": "log-softmax"}]
    index().write_text(json.dumps(whole))
    assert found(["a.py"]) == ["a.py:5 log-softmax"]


@pytest.mark.parametrize("wrong", ["", None, [], {}, 1.5, -1, 10**30], ids=repr)
def test_values_of_a_wrong_type_are_a_miss_and_no_crash(wrong: object, capsys: pytest.CaptureFixture[str]) -> None:
    write("a.py", HAZARD)
    command = ["a.py", "--isolated", "--cache-dir", FOLDER, "--output-format"]
    main([*command, "json"])
    whole = json.loads(index().read_text())
    (entry,) = whole["entries"].values()
    for number, (holder, key) in enumerate(list(_places(entry))):
        kept, holder[key] = holder[key], wrong
        index().write_text(json.dumps(whole))
        assert main([*command, ("html", "sarif")[number % 2]]) in (CLEAN, FINDINGS), key
        holder[key] = kept
    capsys.readouterr()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place in lists and dictionaries within a value: what holds it, and its key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def test_a_folder_that_cannot_be_made_is_no_reason_to_fail() -> None:
    write("a.py", HAZARD)
    Path("taken").write_text("")
    assert found(["a.py"], cache="taken/cache") == ["a.py:5 log-softmax"]


def test_errors_in_the_text_are_remembered_and_crashes_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.py", "import tensorflow as tf\nx = (\n")
    for _ in range(2):
        (outcome,) = check_files([("a.py", Settings())], cache=FOLDER)
        assert outcome.problems[0].line == 2

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    write("b.py", HAZARD)
    with monkeypatch.context() as patch:
        patch.setattr("tfnanlint.lint.lint_source", broken)
        (outcome,) = check_files([("b.py", Settings())], cache=FOLDER)
        assert "ZeroDivisionError" in str(outcome.problems[0])
    assert found(["b.py"]) == ["b.py:5 log-softmax"]


def test_a_few_files_that_a_look_dismisses_are_not_kept_and_a_look_that_crashes_is_told(
    linted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("plain.py", "import json\n")
    assert found(["plain.py"]) == []
    assert linted == []
    assert not Path(FOLDER).exists()
    many = [f"plain{number}.py" for number in range(workers.FEW + 1)]
    for path in many:
        write(path, "import json\n")
    assert found(many) == found(many) == []
    assert linted == many, "kept, once there are many"

    def crash(*_: object) -> None:
        raise ZeroDivisionError("in it")

    monkeypatch.setattr(workers.Linter, "_is_worth_reading", crash)
    (outcome,) = check_files([("plain.py", Settings())], cache=FOLDER)
    assert [str(problem) for problem in outcome.problems] == ["plain.py: internal error: ZeroDivisionError: in it"]


def test_indexes_of_other_places_are_kept_only_so_long() -> None:
    write("a.py", HAZARD)
    found(["a.py"])
    for number in range(MOST_INDEXES + 3):
        write(f"{FOLDER}/{number}.json", "{}")
    write("a.py", HAZARD + "\n")
    found(["a.py"])
    assert len(list(Path(FOLDER).glob("*.json"))) == MOST_INDEXES


def tfnanlint(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tfnanlint", *arguments], capture_output=True, text=True, check=False)


def test_the_command_line_keeps_a_cache_in_the_root_of_the_project_and_removes_it(folder: Path) -> None:
    write("pyproject.toml", "")
    os.mkdir("src")
    write("src/a.py", HAZARD)
    first = tfnanlint("src")
    assert first.returncode == 1, first.stderr
    assert "log-softmax" in first.stdout
    assert (folder / FOLDER / ".gitignore").read_text() == "*\n"
    assert tfnanlint("src").stdout == first.stdout
    assert tfnanlint("clean").stdout == f"Removed {folder / FOLDER}.\n"
    assert tfnanlint("--no-cache", "src").stdout == first.stdout
    assert not (folder / FOLDER).exists()
    assert tfnanlint("--cache-dir", "elsewhere", "src").returncode == 1
    assert (folder / "elsewhere" / "CACHEDIR.TAG").exists()
    assert not (folder / FOLDER).exists()


def test_what_is_no_cache_is_not_removed() -> None:
    os.mkdir("data")
    done = tfnanlint("clean", "--cache-dir", "data")
    assert done.returncode == 2
    assert "data: has no CACHEDIR.TAG, so it is not a tfnanlint cache; nothing was removed" in done.stderr
    assert os.path.isdir("data")


@pytest.mark.parametrize("text", ["", "Signature: 8a477f597d28d172789f06886806bc55\n# Made by another program\n"])
def test_a_cache_of_another_program_is_neither_removed_nor_written_to(text: str, capsys: Any) -> None:
    os.mkdir("data")
    write("data/CACHEDIR.TAG", text)
    write("a.py", HAZARD)
    assert main(["clean", "--cache-dir", "data"]) == WRONG
    assert "data: its CACHEDIR.TAG is that of another program; nothing was removed" in capsys.readouterr().err
    assert main(["a.py", "--quiet", "--cache-dir", "data"]) == FINDINGS
    assert os.listdir("data") == ["CACHEDIR.TAG"]


@pytest.mark.parametrize("what", ["file", "entry", "folder"])
@pytest.mark.parametrize(
    "kept", ["5", "true", "null", "[]", "{}", '{"a": 1}', "[SIZE, TIME]", "[SIZE, TIME, CHANGED, 5]", '"x"']
)
def test_an_entry_that_is_none_is_a_miss(kept: str, what: str, linted: list[str]) -> None:
    write("a.py", HAZARD)
    first = found(["a.py"])
    status = os.stat("a.py")
    held = json.loads(index().read_text())
    times = kept.replace("TIME", str(status.st_mtime_ns)).replace("CHANGED", str(status.st_ctime_ns))
    value = json.loads(times.replace("SIZE", str(status.st_size)))
    if what == "file":
        held["files"] = dict.fromkeys(held["files"], value)
    elif what == "entry":
        held["entries"] = dict.fromkeys(held["entries"], value)
    else:
        held["folders"] = dict.fromkeys([*held["folders"], "a\0b"], value)
    index().write_text(json.dumps(held))
    assert found(["a.py"]) == first
    assert found(["a.py"]) == first
    assert len(linted) == (2 if what == "entry" else 1)


LOSSES = HELPER.replace("shares", "probs")
GUARDED = "import tensorflow as tf\nfrom helper import nll\n\n\ndef loss(x):\n    return nll(tf.nn.softmax(x) + 1e-6)\n"
BARE = CALLER.replace("def loss", "def other")


@pytest.fixture
def project() -> list[str]:
    """A function that fails on its own, in a project that does not call it; the time of nothing in it is recent."""
    write("pyproject.toml", "")
    write("helper.py", LOSSES)
    write("other.py", "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x) + 1e-6)\n")
    return ["helper.py", "other.py"]


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as old as soon as they are written."""
    monkeypatch.setattr("tfnanlint.run.cache.SETTLED", -(10**12))


@pytest.mark.parametrize("where", ["train.py", "below/train.py"])
@pytest.mark.usefixtures("settled")
def test_the_first_caller_in_a_new_file_is_noticed(project: list[str], where: str) -> None:
    assert found(project) == ["helper.py:5 log-reaches-zero"]
    Path(where).parent.mkdir(exist_ok=True)
    write(where, GUARDED)
    assert found(project) == found(project, cache=None) == []
    write(where, GUARDED + "\n")
    write("tune.py", BARE)
    assert found(project) == found(project, cache=None) == ["helper.py:5 log-reaches-zero"]
    os.unlink("tune.py")
    os.unlink(where)
    assert found(project) == ["helper.py:5 log-reaches-zero"]


@pytest.mark.usefixtures("settled")
def test_a_run_over_other_files_does_not_hide_a_new_caller(project: list[str]) -> None:
    write("also.py", LOSSES.replace("nll", "entropy"))
    assert found([*project, "also.py"]) == ["helper.py:5 log-reaches-zero", "also.py:5 log-reaches-zero"]
    write("train.py", GUARDED)
    assert found(["also.py"]) == ["also.py:5 log-reaches-zero"]
    assert found(project) == []


@pytest.mark.parametrize("names", ["nll" * 1000, ["nll"] * 1000, []], ids=["a text", "many", "none"])
def test_names_that_no_function_has_are_a_miss(
    project: list[str], linted: list[str], names: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(project)
    whole = json.loads(index().read_text())
    whole["callers"] = [[place, names, files] for place, _, files in whole["callers"]]
    whole["asked"] = [""] * len(whole["callers"])
    index().write_text(json.dumps(whole))
    del linted[:]
    asked: list[Any] = []
    monkeypatch.setattr("tfnanlint.run.cache.callers_of", lambda given, *_: asked.append(given))
    assert found(project) == ["helper.py:5 log-reaches-zero"]
    assert linted
    assert not asked


@pytest.mark.usefixtures("settled")
def test_a_new_file_that_calls_nothing_leaves_what_is_known(project: list[str], linted: list[str]) -> None:
    found(project)
    write("train.py", "import tensorflow as tf\n\nx = tf.nn.softmax(tf.ones(3))\n")
    del linted[:]
    assert found(project) == ["helper.py:5 log-reaches-zero"]
    assert found(project) == ["helper.py:5 log-reaches-zero"]
    assert linted == []


def test_the_callers_are_not_looked_for_again_while_no_file_has_changed(
    project: list[str], settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(project)
    monkeypatch.setattr("tfnanlint.run.cache.callers_of", None)
    assert found(project) == ["helper.py:5 log-reaches-zero"]


def test_the_callers_are_looked_for_again_where_a_file_is_so_new_that_its_time_tells_nothing(
    project: list[str], linted: list[str]
) -> None:
    found(project)
    status = os.stat("other.py")
    Path("other.py").write_text(GUARDED.ljust(status.st_size, "\n")[: max(status.st_size, len(GUARDED))])
    os.utime("other.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert found(["helper.py"]) == []
