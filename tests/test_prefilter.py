"""What is left out of a file's lowering holds no finding, and is followed where it is called."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.lint import lint_source
from tfnanlint.prefilter.candidates import candidate_rules
from tfnanlint.prefilter.functions import irrelevant_functions
from tfnanlint.ruleset.cache import installed_rules
from tfnanlint.source.imports import aliases_of
from tfnanlint.source.packages import is_of_another_framework
from tfnanlint.source.project import Project

HERE = Path(__file__).parent
PROGRAMS = sorted([*HERE.glob("programs/*.py"), *HERE.glob("cases/*.py"), *HERE.glob("silence/*.py")])
PROJECT = Project()
"""The one that all programs lie in: it is read once."""
HEAD = "import tensorflow as tf\n\n\n"
HAZARD = "def wrong(x):\n    return tf.math.log(tf.nn.softmax(x))\n\n\n"
HARMLESS = "def harmless(x):\n    return tf.nn.relu(x) + 1.0\n\n\n"


def omitted(text: str, path: str = "<string>", project: Project | None = None) -> set[str]:
    """The functions of a text that are left out."""
    rules = candidate_rules(text, installed_rules())
    return set(irrelevant_functions(text, ast.parse(text), rules, path, project, aliases_of(text)))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_nothing_is_lost_with_what_is_left_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, left_out = path.read_text(), set()

    def noted(*arguments: Any) -> frozenset[str]:
        names = irrelevant_functions(*arguments)
        left_out.update(names)
        return names

    monkeypatch.setattr("tfnanlint.lint.irrelevant_functions", noted)
    found = lint_source(text, str(path), project=PROJECT)
    if left_out:
        monkeypatch.setattr("tfnanlint.lint.irrelevant_functions", lambda *arguments: frozenset())
        assert found == lint_source(text, str(path), project=PROJECT)


def test_a_function_without_the_ops_of_any_rule_is_left_out() -> None:
    assert omitted(HEAD + HAZARD + HARMLESS + HARMLESS.replace("harmless", "other")) == {"harmless", "other"}


def test_a_function_that_calls_one_with_a_hazard_is_not() -> None:
    calls = "def caller(x):\n    return wrong(x)\n\n\n"
    assert omitted(HEAD + HAZARD + HARMLESS + calls) == {"harmless"}


def test_a_number_next_to_zero_counts_as_much_as_an_op() -> None:
    text = HEAD + "def odds(y, p):\n    return tf.math.log(1.0 - p + 1e-9)\n"
    every = {rule.name for rule in candidate_rules(text, installed_rules())}
    fewer = {rule.name for rule in candidate_rules(text.replace("1e-9", "2.0"), installed_rules())}
    assert every - fewer >= {"epsilon-absorbed", "epsilon-reassociated"}
    assert "log-reaches-zero" in fewer


def test_an_input_that_may_be_anything_keeps_a_function() -> None:
    text = HEAD + "def odds(y, p):\n    return y / (1.0 - p)\n\n\n" + HARMLESS + HARMLESS.replace("harmless", "other")
    assert omitted(text) == {"harmless", "other"}


def test_a_name_of_the_module_brings_what_it_stands_for() -> None:
    text = HEAD + "log = tf.math.log\n\n\ndef late(x):\n    return log(tf.nn.softmax(x))\n\n\n" + HARMLESS
    assert omitted(text + HARMLESS.replace("harmless", "other")) == {"harmless", "other"}


def test_methods_are_told_apart_and_what_makes_their_object_is_kept() -> None:
    text = HEAD + (
        "class Model(tf.keras.Model):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.scale = tf.keras.layers.Dense(3, 'relu')\n\n"
        "    def sharpen(self):\n"
        "        self.squash = tf.nn.softmax\n\n"
        "    def density(self, x):\n"
        "        return tf.math.log(self.scale(x))\n\n"
        "    def entropy(self, x):\n"
        "        return tf.math.log(self.squash(x))\n\n"
        "    def plain(self, x):\n"
        "        return tf.reduce_sum(x)\n"
    )
    assert omitted(text) == {"Model.plain"}


def test_a_class_that_inherits_from_one_of_the_program_is_taken_as_a_whole() -> None:
    text = HEAD + (
        "class Base:\n"
        "    def loss(self, x):\n"
        "        return tf.math.log(self.squash(x))\n\n\n"
        "class Model(Base):\n"
        "    def squash(self, x):\n"
        "        return tf.nn.softmax(x)\n\n"
        "    def run(self, x):\n"
        "        return self.loss(x)\n"
    )
    assert not {"Model.squash", "Model.run"} & omitted(text)


def test_what_a_function_uses_of_another_file_counts(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HEAD + "def squash(x):\n    return tf.nn.softmax(x)\n")
    path = tmp_path / "main.py"
    text = (
        "import tensorflow as tf\nfrom helper import squash\n\n\n"
        "def entropy(x):\n    return tf.math.log(squash(x))\n\n\n"
        + HARMLESS
        + HARMLESS.replace("harmless", "other")
        + HAZARD
    )
    path.write_text(text)
    assert omitted(text, str(path), Project()) == {"harmless", "other"}
    assert [finding.line for finding in lint_source(text, str(path), project=Project())] == [6, 18]


@pytest.mark.parametrize(
    ("imported", "other"),
    [
        (("torch", "torch.nn"), True),
        (("jax.numpy", "numpy"), True),
        (("torch", "tensorflow"), False),
        (("torch", "keras.ops"), False),
        (("numpy",), False),
        ((), False),
    ],
)
def test_a_file_that_computes_with_another_framework_is_told_by_its_imports(
    imported: tuple[str, ...], other: bool
) -> None:
    assert is_of_another_framework(imported) is other


def test_a_file_that_imports_another_framework_beside_tensorflow_is_linted() -> None:
    text = "import torch\nimport tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x))\n"
    assert [one.rule for one in lint_source(text)] == ["log-softmax"]
