"""Samples of data: the numbers of a batch are those of a trial, and their range bounds all others."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfnanlint
from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.graph.batches import batch_of, function_arguments, model_arguments
from tfnanlint.graph.samples import Sample, sample_of
from tfnanlint.graph.specs import SpecError, StructureArgument, TensorArgument

PROGRAM = """\
import keras
import numpy as np
import tensorflow as tf


def share(price, counts):
    return tf.math.log(price) / tf.reduce_sum(counts)


def of_batch(batch):
    return tf.math.log(batch["price"]) / tf.reduce_sum(batch["counts"])


def total(price, *, scale):
    return tf.math.log(price) * scale


class Rates(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(2)

    def call(self, given):
        return self.dense(tf.math.log(given["price"])) / tf.reduce_sum(given["counts"])


model = Rates()
model.compile("sgd", "mse")


def prices():
    rng = np.random.default_rng(0)
    given = {key: rng.uniform(0.2, 0.9, (32, 4)).astype("float32") for key in ("price", "counts")}
    return tf.data.Dataset.from_tensor_slices((given, np.zeros((32, 2), "float32"))).batch(8)


broken = object()
"""

_places = itertools.count()
"""AutoGraph takes functions of equal code for one: each program stands at lines of its own."""


def numbers(low: float, high: float, *shape: int) -> Any:
    return np.random.default_rng(0).uniform(low, high, shape or (16, 4)).astype("float32")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"sampled_{tmp_path.name}.py").write_text("\n" * next(_places) + PROGRAM)
    np.savez("positive.npz", price=numbers(0.2, 0.9), counts=numbers(1.0, 3.0))
    return tmp_path


def run(here: Path, capsys: Any, name: str, *options: str) -> tuple[int, str, str]:
    target = f"sampled_{here.name}.py:{name}"
    options = tuple(option.replace("HERE", f"sampled_{here.name}.py") for option in options)
    status = main(["graph", target, "--isolated", "--output-format", "concise", *options])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        (numbers(0.2, 0.9), 0.1, 1.0),
        (numbers(-0.2, 0.9), -1.0, 1.0),
        (numbers(3.0, 250.0), 1.0, 1000.0),
        (numbers(-30.0, -2.0), -100.0, -1.0),
        (np.arange(1, 17), 0.0, 100.0),
        (np.arange(1.0, 17.0), 0.0, 100.0),
        (np.tile([0.0, 1.0], 8), 0.0, 1.0),
    ],
)
def test_a_sample_bounds_its_data_by_the_next_powers_of_ten(values: Any, low: float, high: float) -> None:
    found = sample_of(values).range
    assert found is not None
    assert (found.outer.lo, found.outer.hi) == pytest.approx((low, high))
    assert found.outer.lo <= values.min()
    assert values.max() <= found.outer.hi


@pytest.mark.parametrize("values", [np.zeros((4, 4)), np.ones(32), np.asarray([1.0, 2.0]), np.asarray(["a"] * 9)])
def test_numbers_that_are_all_equal_or_few_bound_nothing(values: Any) -> None:
    assert sample_of(values).range is None
    assert not sample_of(values).tells


def test_missing_numbers_in_a_sample_are_no_finding() -> None:
    tf = pytest.importorskip("tensorflow")
    values = numbers(-1.0, 1.0)
    values[0, 0] = np.nan
    assert tfnanlint.lint_function(lambda x: 2.0 * tf.nn.softplus(x), values) == []


def test_a_function_is_silent_about_what_its_sample_excludes() -> None:
    tf = pytest.importorskip("tensorflow")

    def entropy(p: Any) -> Any:
        return -tf.reduce_sum(p * tf.math.log(p))

    unsure, sure = numbers(0.2, 0.9), np.eye(4, dtype="float32")
    assert tfnanlint.lint_function(entropy, unsure) == []
    (found,) = tfnanlint.lint_function(entropy, sure)
    assert found.certainty in ("certain", "likely")
    assert "data whose sample lies between 0 and 1" in found.evidence
    placeholder, spec = tf.zeros([4, 4]), tf.TensorSpec([4, 4])
    assert tfnanlint.lint_function(entropy, placeholder) == tfnanlint.lint_function(entropy, spec)


def test_situations_happen_to_a_sample_too() -> None:
    """A mask that selects something in the sample may select nothing in another batch."""
    tf = pytest.importorskip("tensorflow")

    def masked(x: Any, mask: Any) -> Any:
        return tf.reduce_sum(x * mask) / tf.reduce_sum(mask)

    mask = np.tile(np.asarray([1.0, 1.0, 0.0, 1.0], "float32"), (16, 1))
    (found,) = tfnanlint.lint_function(masked, numbers(-1.0, 1.0), mask)
    assert found.rule == "divide-by-mask-sum"


def test_a_dataset_is_a_sample_of_all_arguments_or_of_one() -> None:
    tf = pytest.importorskip("tensorflow")
    data = tf.data.Dataset.from_tensor_slices((numbers(0.2, 0.9), numbers(1.0, 3.0))).batch(4)

    def both(price: Any, counts: Any) -> Any:
        return tf.math.log(price) / tf.reduce_sum(counts)

    def one(batch: Any) -> Any:
        return tf.math.log(batch[0]) / tf.reduce_sum(batch[1])

    assert tfnanlint.lint_function(both, data) == []
    assert tfnanlint.lint_function(one, data) == []
    specs = [tf.TensorSpec([None, 4])] * 2
    assert len(tfnanlint.lint_function(both, *specs)) > 0


def test_bounds_that_the_user_states_stay() -> None:
    tf = pytest.importorskip("tensorflow")

    def inverse(x: Any) -> Any:
        return 1.0 / x

    assert tfnanlint.lint_function(inverse, numbers(0.2, 0.9)) == []
    (found,) = tfnanlint.lint_function(inverse, numbers(0.2, 0.9), ranges={"x": (0.0, 1.0)}, pedantic=True)
    assert found.rule == "divide-by-zero"
    assert tf is not None


@pytest.mark.parametrize(
    ("name", "sample"),
    [
        ("share", "positive.npz"),
        ("of_batch", "positive.npz"),
        ("model", "HERE:prices"),
    ],
)
def test_a_sample_describes_the_arguments(here: Path, capsys: Any, name: str, sample: str) -> None:
    status, out, err = run(here, capsys, name, "--sample", sample)
    assert (status, err) == (CLEAN, "No problems found; 1 graph checked.\n") or "2 graphs checked" in err, out + err


def test_without_the_sample_the_same_functions_have_findings(here: Path, capsys: Any) -> None:
    spec = "--input-spec", "float32[None,4]"
    status, out, _ = run(here, capsys, "share", *spec, *spec)
    assert status == FINDINGS
    assert "sampled_" in out


def test_arrays_without_names_are_arguments_in_order(here: Path, capsys: Any) -> None:
    np.savez("numbered.npz", numbers(0.2, 0.9), numbers(1.0, 3.0))
    assert run(here, capsys, "share", "--sample", "numbered.npz")[0] == CLEAN
    np.savez("numbered.npz", numbers(1.0, 3.0), np.tile([0.0, 1.0], 8).astype("float32"))
    assert run(here, capsys, "share", "--sample", "numbered.npz")[0] == FINDINGS


def test_a_sample_may_come_beside_specs(here: Path, capsys: Any) -> None:
    spec = "--input-spec", "float32[None,4]"
    assert run(here, capsys, "share", *spec, *spec, "--sample", "positive.npz")[0] == CLEAN
    np.savez("some.npz", price=numbers(0.2, 0.9), other=numbers(0.2, 0.9))
    _, out, err = run(here, capsys, "share", *spec, *spec, "--sample", "some.npz")
    assert "log" not in out
    assert "--sample: other is not an input of the graphs." in err


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ("missing.npz", "--sample: cannot read missing.npz: no such file or directory"),
        ("damaged.npz", "--sample: damaged.npz is not a NumPy file"),
        ("nothing", "--sample: 'nothing' is neither a .npz or .npy file nor MODULE:NAME"),
        ("HERE:broken", "--sample: object is neither a dataset nor an array"),
        ("HERE:price", "has no attribute 'price'; did you mean 'prices'?"),
        ("typo.npz", "--sample: no input is named 'pricy'; did you mean 'price'?"),
    ],
)
def test_a_sample_that_is_of_no_use_says_why(here: Path, capsys: Any, sample: str, said: str) -> None:
    Path("damaged.npz").write_bytes(b"PK\x03\x04 no archive")
    np.savez("typo.npz", pricy=numbers(0.2, 0.9))
    spec = "--input-spec", "float32[None,4]"
    status, _, err = run(here, capsys, "share", *spec, *spec, "--sample", sample)
    assert status == WRONG
    assert said in err


def test_a_batch_is_given_to_a_function_as_its_signature_asks() -> None:
    import inspect

    a, b = sample_of(numbers(0.0, 1.0)), sample_of(np.arange(16))

    def two(x: Any, y: Any) -> None: ...
    def one(batch: Any) -> None: ...

    spread = [TensorArgument("float32", (16, 4), "x"), TensorArgument("int64", (16,), "y")]
    whole = StructureArgument((TensorArgument("float32", (16, 4)), TensorArgument("int64", (16,))), "batch")
    assert function_arguments((a, b), inspect.signature(two)) == spread
    assert function_arguments({"x": a, "y": b}, inspect.signature(two)) == spread
    assert function_arguments((a, b), inspect.signature(one)) == [whole]
    assert function_arguments(a, inspect.signature(one)) == [TensorArgument("float32", (16, 4), "batch")]


def test_a_batch_is_given_to_a_model_as_keras_does() -> None:
    image, mask, y = sample_of(numbers(0.0, 1.0)), sample_of(np.arange(16)), sample_of(np.zeros(16, "float32"))
    names = ["image", "mask"]
    wanted = [
        TensorArgument("float32", (16, 4), "image"),
        TensorArgument("int64", (16,), "mask"),
        TensorArgument("float32", (16,), "y"),
    ]
    inputs = {"mask": mask, "image": image}
    for batch in ((inputs, y), {"x": inputs, "y": y}, {**inputs, "y": y}, ((image, mask), y)):
        assert model_arguments(batch, names) == wanted
    assert model_arguments(image, None) == [TensorArgument("float32", (16, 4), "x")]


def test_only_arrays_and_datasets_are_samples() -> None:
    assert isinstance(batch_of([1.0, 2.0]), Sample)
    with pytest.raises(SpecError, match="object is neither a dataset nor an array"):
        batch_of({"x": object()})
