"""What fails in code of an application that nothing uses is merely possible."""

import json
import os
from pathlib import Path

import pytest

from tfnanlint.cli import main

LOSSES = """\
import tensorflow as tf


def entropy(logits):
    return tf.math.log(tf.nn.softmax(logits))


class Head(tf.keras.layers.Layer):
    def __init__(self):
        super(Head, self).__init__()

    def call(self, logits):
        return tf.math.log(tf.nn.softmax(logits))


class Losses:
    @staticmethod
    def of(logits):
        return tf.math.log(tf.nn.softmax(logits))
"""
TRAIN = """\
from losses import Losses

if __name__ == "__main__":
    print(Losses)
"""
ENTROPY, HEAD, METHOD = 5, 13, 19
"""The lines of the three hazards."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "README.md").write_text("A program.\n")
    (tmp_path / "losses.py").write_text(LOSSES)
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[int, str]:
    """The certainty of what is reported, by line."""
    main(["check", "--isolated", "--no-cache", "--output-format", "json", *(arguments or (".",))])
    return {one["line"]: one["certainty"] for one in json.loads(capsys.readouterr().out)}


def test_what_nothing_in_an_application_names_is_not_reported(project, capsys):
    assert found(capsys) == {}
    main(["check", "--isolated", "--no-cache", "."])
    assert "3 more in code that nothing in the project uses (see --pedantic)." in capsys.readouterr().out


def test_it_is_possible_under_pedantic_and_says_why(project, capsys):
    assert found(capsys, "--pedantic", ".") == {ENTROPY: "possible", HEAD: "possible", METHOD: "possible"}
    main(["check", "--isolated", "--no-cache", "--pedantic", "."])
    assert "no file of the project uses `entropy`" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("file", "text", "lines"),
    [
        ("train.py", TRAIN + "    losses.entropy(1)\n", [ENTROPY]),
        ("train.py", TRAIN + "    Losses.of(1)\n", [METHOD]),
        ("config.yaml", "layer: Head\n", [HEAD]),
        ("README.md", "Call `entropy` for the loss.\n", [ENTROPY]),
    ],
)
def test_a_name_anywhere_in_the_project_is_a_use(project, capsys, file, text, lines):
    (project / file).write_text(text)
    assert sorted(found(capsys)) == lines


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("setup.py", "from setuptools import setup\n\nsetup()\n"),
        ("pyproject.toml", '[project]\nname = "losses"\n'),
        ("train.py", "import losses\n\nif __name__ == '__main__':\n    getattr(losses, input())()\n"),
        ("train.py", "if __name__ == '__main__':\n    globals()[input()]()\n"),
        ("train.py", "from losses import Losses\n"),
    ],
    ids=["a package", "a package by its metadata", "found by text", "found among all names", "no script"],
)
def test_all_is_reported_where_a_name_is_no_evidence(project, capsys, file, text):
    (project / file).write_text(text)
    assert sorted(found(capsys)) == [ENTROPY, HEAD, METHOD]


def test_a_call_that_was_commented_out_is_no_use(project, capsys):
    (project / "train.py").write_text(TRAIN + "    # print(Losses.of(entropy(1.0)))\n")
    assert found(capsys) == {}


def test_who_names_one_file_asks_for_all_of_it(project, capsys):
    assert sorted(found(capsys, "losses.py")) == [ENTROPY, HEAD, METHOD]


def test_a_use_above_the_folder_of_the_run_counts(project, capsys):
    (project / "lib").mkdir()
    (project / "losses.py").rename(project / "lib" / "losses.py")
    (project / "lib" / "more.py").write_text("import tensorflow as tf\n")
    (project / "train.py").write_text("from lib.losses import entropy\n\nif __name__ == '__main__':\n    entropy(1)\n")
    assert sorted(found(capsys, "lib")) == [ENTROPY]


def test_it_is_not_repaired(project, capsys):
    main(["check", "--isolated", "--no-cache", "--fix", "."])
    assert (project / "losses.py").read_text() == LOSSES


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on Unix only")
@pytest.mark.parametrize(("name", "lines"), [("pyproject.toml", [ENTROPY, HEAD, METHOD]), ("notes.md", [])])
def test_a_pipe_in_the_project_is_not_read(project, capsys, name, lines):
    os.mkfifo(project / name)
    assert sorted(found(capsys)) == lines
