"""Inputs as users have them: structures of tensors, names that hold in every graph of a model, names that are wrong."""

from __future__ import annotations

import itertools
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.graph.specs import SpecError, StructureArgument, TensorArgument, ValueArgument, parse_spec
from tfnanlint.graph.tracing import subjects_of

PROGRAM = """\
import keras
import tensorflow as tf


def loss(batch, pair, training=False):
    p = tf.nn.softmax(batch["logits"])
    return tf.reduce_sum(pair[0] * tf.math.log(p)) + pair[1]["z"]


class Norm(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(2)

    def call(self, given):
        x = given["x"] if isinstance(given, dict) else given
        return self.dense(x / tf.sqrt(tf.reduce_sum(tf.square(x), axis=-1, keepdims=True)))


model = Norm()
model.compile("sgd", "mse")


def half(x, mask):
    h = tf.cast(x, tf.float16)
    return tf.nn.softmax(h + tf.cast(mask, h.dtype) * tf.cast(-1e9, h.dtype))
"""


_places = itertools.count()
"""AutoGraph takes functions of equal code for one: each program stands at lines of its own."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"given_{tmp_path.name}.py").write_text("\n" * next(_places) + PROGRAM)
    return tmp_path


def run(here: Path, capsys: Any, name: str, *options: str) -> tuple[int, str, str]:
    status = main(["graph", f"given_{here.name}.py:{name}", "--isolated", "--output-format", "concise", *options])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_structure_of_arguments_is_written_as_in_python() -> None:
    tensor = TensorArgument("int32", (None, 7))
    assert parse_spec("{'ids': int32[None,7], mask: bool}") == StructureArgument(
        {"ids": tensor, "mask": TensorArgument("bool", None)}
    )
    assert parse_spec("pair:(int32[None,7], [float32[]], {})") == StructureArgument(
        (tensor, [TensorArgument("float32", ())], {}), "pair"
    )
    assert parse_spec("(int32[None,7], training=True,)") == StructureArgument((tensor, ValueArgument(True, "training")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{int32[2]}", "expected a key and a colon"),
        ("(float32[2] int32[])", "expected a comma or )"),
        ("(float32[2]", "expected a comma or )"),
        ("(,)", "expected an argument or )"),
        ("(float23[2],)", "did you mean float32?"),
        ("(float32[2],) x", "unexpected text after the closing bracket"),
    ],
)
def test_a_structure_that_does_not_parse_says_where(text: str, said: str) -> None:
    with pytest.raises(SpecError) as error:
        parse_spec(text)
    assert said in str(error.value)


def test_a_function_of_dictionaries_and_tuples_is_traced_on_them(here: Path, capsys: Any) -> None:
    specs = ("{'logits': float32[None,3]}", "pair:(float32[3], {'z': float32[]})", "training=True")
    status, out, _ = run(here, capsys, "loss", *(word for spec in specs for word in ("--input-spec", spec)))
    assert (status, out.count("log-softmax")) == (FINDINGS, 1)


def test_a_range_holds_for_an_input_of_a_model_in_all_its_graphs(here: Path, capsys: Any) -> None:
    specs = ("--input-spec", "float32[None,4]", "--input-spec", "float32[None,2]")
    assert run(here, capsys, "model", *specs)[0] == FINDINGS
    assert run(here, capsys, "model", *specs, "--range", "x=1..2")[0] == CLEAN


def test_a_model_that_takes_a_dictionary_is_described_by_one(here: Path, capsys: Any) -> None:
    specs = ("--input-spec", "{'x': float32[None,4]}", "--input-spec", "float32[None,2]")
    status, out, err = run(here, capsys, "model", *specs)
    assert (status, err.count("cannot be traced")) == (FINDINGS, 0), err
    assert out.count("divide-by-norm") == 1


def test_a_range_of_an_input_that_does_not_exist_is_answered_with_the_nearest_names(here: Path, capsys: Any) -> None:
    specs = ("--input-spec", "{'logits': float32[None,3]}", "--input-spec", "(float32[3], {'z': float32[]})")
    status, _, err = run(here, capsys, "loss", *specs, "--range", "logit=0..1")
    assert status == WRONG
    assert "no input is named 'logit'; did you mean 'logits'?" in err


def test_a_finding_without_a_line_names_its_target(here: Path, capsys: Any) -> None:
    Path(f"poisson_{here.name}.py").write_text(
        "import keras\n\nmodel = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])\n"
        "model.compile('sgd', 'poisson')\n"
    )
    target = f"poisson_{here.name}.py:model"
    assert main(["graph", target, "--isolated", "--output-format", "concise"]) == FINDINGS
    out = capsys.readouterr().out
    assert "<graph>" not in out
    assert out.startswith(target)


def test_a_number_that_is_cast_to_half_precision_is_one(here: Path, capsys: Any) -> None:
    status, out, _ = run(here, capsys, "half", "--input-spec", "float32[2,3]", "--input-spec", "bool[2,3]")
    assert (status, out.count("mask-float16")) == (FINDINGS, 1)


HALF = ("--input-spec", "float32[2,3]", "--input-spec", "bool[2,3]")
NAMED = ("--input-spec", "{'logits': float32[2,3]}", "--input-spec", "pair:(float32[3], {'z': float32[]})")


def test_what_a_baseline_holds_is_not_reported_again(here: Path, capsys: Any) -> None:
    assert run(here, capsys, "half", *HALF)[0] == FINDINGS
    assert run(here, capsys, "half", *HALF, "--write-baseline", "known.json")[:2] == (CLEAN, "")
    assert run(here, capsys, "half", *HALF, "--baseline", "known.json")[:2] == (CLEAN, "")
    assert run(here, capsys, "loss", *NAMED, "--baseline", "known.json")[0] == FINDINGS
    with pytest.raises(SystemExit):
        run(here, capsys, "half", *HALF, "--baseline", "known.json", "--write-baseline", "known.json")
    assert "leave out --baseline" in capsys.readouterr().err


def test_only_files_that_differ_from_a_revision_are_reported(here: Path, capsys: Any) -> None:
    def git(*words: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *named, *words], cwd=here, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    path = here / f"given_{here.name}.py"
    path.write_text(path.read_text() + "\n")
    assert run(here, capsys, "half", *HALF, "--changed-since", "HEAD")[0] == FINDINGS
    git("commit", "-a", "-m", "second")
    assert run(here, capsys, "half", *HALF, "--changed-since", "HEAD")[0] == CLEAN
    assert run(here, capsys, "half", *HALF, "--changed-since", "HEAD~1")[0] == FINDINGS


def test_what_is_to_be_compiled_is_judged_and_run_as_xla_does(here: Path, capsys: Any, monkeypatch: Any) -> None:
    (subject,) = subjects_of("case:f", lambda x: x + 1.0, [TensorArgument("float32", (3,))])
    assert not subject.lowered().flow.compiling
    assert replace(subject, compiled=True).lowered().flow.compiling
    monkeypatch.chdir(here)
    target = f"given_{here.name}.py:loss"
    options = ("--isolated", "--jit-compile", "--prove", "--prove-seconds", "60")
    assert main(["graph", target, *options, *NAMED]) == FINDINGS
    assert "in xla mode" in capsys.readouterr().out


STEP = """\
import keras
import tensorflow as tf


class Coder(keras.Model):
    def __init__(self):
        super().__init__()
        self.mean, self.spread, self.decode = (keras.layers.Dense(3) for _ in range(3))

    def call(self, x):
        return self.mean(x)

    def train_step(self, x):
        with tf.GradientTape() as tape:
            spread = tf.nn.relu(self.spread(x))
            loss = tf.reduce_mean(self.decode(self.mean(x)) - tf.math.log(spread))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}


coder = Coder()
coder.compile("adam")
"""


def test_a_training_step_may_use_layers_that_the_forward_pass_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_step.py").write_text(STEP)
    arguments = ["own_step.py:coder", "--input-spec", "float32[None,3]", "--isolated", "--output-format", "concise"]
    assert main(["graph", *arguments]) == FINDINGS
    out, err = capsys.readouterr()
    assert [line.partition(": ")[0] for line in out.splitlines()] == ["own_step.py:16:63"]
    assert "2 graphs checked" in err
