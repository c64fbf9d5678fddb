"""What fails in code of an application that nothing uses is merely possible."""

import json
import os
from pathlib import Path

import pytest

from tfnanlint.cli import main
from tfnanlint.run.unused import Module

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
    assert "3 more that no run of the project reaches (see --pedantic)." in capsys.readouterr().out


def test_it_is_possible_under_pedantic_and_says_why(project, capsys):
    assert found(capsys, "--pedantic", ".") == {ENTROPY: "possible", HEAD: "possible", METHOD: "possible"}
    main(["check", "--isolated", "--no-cache", "--pedantic", "."])
    assert "nothing that the project runs uses `entropy`" in " ".join(capsys.readouterr().out.split())


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


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("from losses import Losses\n\nvalue = Losses.of(1)\n", [METHOD]),
        (
            "import importlib\n\nif __name__ == '__main__':\n    importlib.import_module(input()).entropy(1)\n",
            [ENTROPY],
        ),
    ],
    ids=["no guard", "finds a module by text"],
)
def test_a_script_is_one_however_it_runs(project, capsys, text, lines):
    (project / "train.py").write_text(text)
    assert sorted(found(capsys)) == lines


NESTED = """\
import tensorflow as tf


def model(x):
    def unused(logits):
        return tf.math.log(tf.nn.softmax(logits))

    def used(logits):
        return tf.math.log(tf.nn.softmax(logits))

    return used(x)


class Base(object):
    def loss(self, logits):
        return self.first(logits)


class Derived(Base):
    def first(self, logits):
        return tf.math.log(tf.nn.softmax(logits))

    def second(self, logits):
        return tf.math.log(tf.nn.softmax(logits))


class Layer(tf.keras.layers.Dense):
    def call_by_keras(self, logits):
        return tf.math.log(tf.nn.softmax(logits))
"""


def test_functions_in_functions_and_methods_of_derived_classes_have_users(project, capsys):
    (project / "losses.py").write_text(NESTED)
    (project / "train.py").write_text(
        "from losses import Derived, Layer, model\n\nif __name__ == '__main__':\n"
        "    print(model, Derived().loss, Layer)\n"
    )
    assert sorted(found(capsys)) == [9, 21, 29]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (f"    return {' + '.join(['x'] * 2500)}\n", ["deep"]),
        ("".join(f"    {'el' * (n > 0)}if x == {n}:\n        pass\n" for n in range(2500)), []),
    ],
    ids=["a long sum", "too many branches to be read"],
)
def test_code_that_is_nested_deeply_does_not_end_the_search(body, names):
    assert [part.name for part in Module("deep.py", f"def deep(x):\n{body}".encode()).parts] == names


def test_a_call_that_was_commented_out_is_no_use(project, capsys):
    (project / "train.py").write_text(TRAIN + "    # print(Losses.of(entropy(1.0)))\n")
    assert found(capsys) == {}


@pytest.mark.parametrize(
    "more",
    [
        '    print(1.0, """entropy(1.0)""")  # entropy(1.0)\n',
        "\n\ndef plot():\n    return losses.entropy(1.0)\n",
        "\n\nclass Plot:\n    def draw(self):\n        return losses.entropy(1.0)\n",
        "\n\ndef first():\n    return second()\n\n\ndef second():\n    first()\n    return losses.entropy(1.0)\n",
    ],
    ids=["in a comment", "by an unused function", "by an unused method", "by two that use each other"],
)
def test_a_use_that_never_runs_is_none(project, capsys, more):
    (project / "train.py").write_text(TRAIN + more)
    assert found(capsys) == {}


def test_a_use_by_what_is_used_is_one(project, capsys):
    (project / "train.py").write_text(
        "import losses\n\n\ndef plot():\n    return losses.entropy(1.0)\n\n\n"
        "class Trainer:\n    def run(self):\n        plot()\n\n\nif __name__ == '__main__':\n    Trainer().run()\n"
    )
    assert sorted(found(capsys)) == [ENTROPY]


def test_a_copy_that_nothing_imports_is_not_used_because_the_original_is(project, capsys):
    (project / "old_losses.py").write_text(LOSSES + "\n\nSIZE = 3\n")
    (project / "train.py").write_text(TRAIN.replace("print(Losses)", "print(Losses.of(1.0))"))
    main(["check", "--isolated", "--no-cache", "--output-format", "json", "."])
    paths = {one["path"] for one in json.loads(capsys.readouterr().out)}
    assert {os.path.basename(path) for path in paths} == {"losses.py"}


def test_a_use_through_another_module_counts(project, capsys):
    (project / "every.py").write_text("from losses import *\n")
    (project / "train.py").write_text("from every import *\n\nif __name__ == '__main__':\n    entropy(1.0)\n")
    assert sorted(found(capsys)) == [ENTROPY]


def test_a_method_is_used_by_who_gets_the_object(project, capsys):
    (project / "fit.py").write_text("def fit(losses):\n    return losses.of(1.0)\n")
    (project / "train.py").write_text(
        "from fit import fit\nfrom losses import Losses\n\nif __name__ == '__main__':\n    fit(Losses())\n"
    )
    assert sorted(found(capsys)) == [METHOD]


@pytest.mark.parametrize(
    ("decorator", "lines"), [("@tf.function\n", []), ("@register\n", [1 + ENTROPY])], ids=["plain", "may register"]
)
def test_a_decorator_may_register_a_function(project, capsys, decorator, lines):
    (project / "losses.py").write_text(LOSSES.replace("def entropy", f"{decorator}def entropy"))
    assert sorted(found(capsys)) == lines


def test_the_main_function_is_run_without_its_name(project, capsys):
    text = (
        LOSSES.replace("def entropy", "def main")
        .replace("(logits)", "(_)", 1)
        .replace("softmax(logits)", "softmax(_)", 1)
    )
    (project / "losses.py").write_text(text + "\n\nif __name__ == '__main__':\n    tf.compat.v1.app.run()\n")
    assert sorted(found(capsys)) == [ENTROPY]


def test_what_takes_too_long_to_see_counts_as_used(project, capsys, monkeypatch):
    monkeypatch.setattr("tfnanlint.run.unused.MOST_SEARCHED", len(LOSSES))
    (project / "train.py").write_text(TRAIN + "\n\nA_LONG_LINE = 1.0\n" * 40)
    assert sorted(found(capsys)) == [ENTROPY, HEAD, METHOD]


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


LAYER = """\
import tensorflow as tf


class InstanceNormalization(tf.keras.layers.Layer):
    def call(self, x):
        mean, variance = tf.nn.moments(x, [1, 2], keepdims=True)
        return (x - mean) / (tf.sqrt(variance) + 1e-5)
"""


@pytest.mark.parametrize(
    ("train", "lines"),
    [
        ("step(model)", []),
        ("tf.function(step)(model)", []),
        ("tf.function(step, jit_compile=True)(model)", [7]),
        ("model.fit(load())", [7]),
        ("step(model)  # model.fit(load()), jit_compile=True", []),
    ],
    ids=["eager", "a graph", "asked for", "trained by Keras", "in a comment"],
)
def test_what_only_xla_breaks_is_reported_where_a_project_compiles(project, capsys, train, lines):
    (project / "layers.py").write_text(LAYER)
    text = "import tensorflow as tf\n\nfrom layers import InstanceNormalization\n\nif __name__ == '__main__':\n"
    made = "    model = tf.keras.Sequential([InstanceNormalization()])\n"
    (project / "train.py").write_text(f"{text}{made}    {train}\n")
    assert sorted(found(capsys)) == lines
