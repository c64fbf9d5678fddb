"""A function that other files call is judged by what they give it: what no call reaches is only possible."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import tfnanlint.source.lower
from tfnanlint.limits import TooLong
from tfnanlint.lint import lint_source
from tfnanlint.source.project import Project

pytestmark = pytest.mark.quick

LOSSES = """
import tensorflow as tf


def cross_entropy(labels, probs):
    return -tf.reduce_sum(labels * tf.math.log(probs))
"""
OBJECT = """
import tensorflow as tf


class Entropy:
    def __call__(self, probs):
        return -tf.reduce_sum(tf.math.log(probs))
"""
GUARDED = "cross_entropy(labels, tf.nn.softmax(scores) + 1e-6)"
BARE = "cross_entropy(labels, tf.nn.softmax(scores))"
CALLER = """
import tensorflow as tf
from losses import cross_entropy


def train(scores, labels):
    return {}
"""
EXAMPLE = """
import tensorflow as tf
from losses import cross_entropy

print(cross_entropy(tf.constant([0.0, 1.0]), tf.random.uniform([2], 0.1, 0.9)))
"""


def found(folder: Path, losses: str, **callers: str) -> list[str]:
    """The rules of what is found in a module of losses, among the files that call it."""
    (folder / "pyproject.toml").write_text("")
    for name, text in callers.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "losses.py"
    path.write_text(textwrap.dedent(losses))
    return [finding.rule for finding in lint_source(path.read_text(), str(path), project=Project())]


def test_without_a_caller_any_argument_may_be_given(tmp_path: Path) -> None:
    assert found(tmp_path, LOSSES) == ["log-reaches-zero"]


def test_what_every_call_keeps_from_failing_is_not_reported(tmp_path: Path) -> None:
    assert found(tmp_path, LOSSES, train=CALLER.format(GUARDED)) == []


def test_it_is_reported_if_one_call_fails(tmp_path: Path) -> None:
    assert found(tmp_path, LOSSES, train=CALLER.format(GUARDED), tune=CALLER.format(BARE)) == ["log-reaches-zero"]


def test_calls_that_take_too_long_show_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lasts(*_: object) -> None:
        raise TooLong

    monkeypatch.setattr("tfnanlint.match.project_calls._calls", lasts)
    assert found(tmp_path, LOSSES, train=CALLER.format(GUARDED)) == ["log-reaches-zero"]


def test_a_file_is_read_once_for_all_functions_that_it_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = LOSSES + LOSSES.replace("cross_entropy", "entropy").replace("import tensorflow as tf", "")
    both = CALLER.replace("import cross_entropy", "import cross_entropy, entropy").format(
        f"{GUARDED} + {BARE.replace('cross_', '')}"
    )
    lowered = []
    whole = tfnanlint.source.lower.lower
    monkeypatch.setattr(tfnanlint.source.lower, "lower", lambda *a, **k: lowered.append(k) or whole(*a, **k))
    assert found(tmp_path, two, train=both) == ["log-reaches-zero"]
    assert [len(asked["sought"]) for asked in lowered if "sought" in asked] == [2]


def test_it_is_still_possible(tmp_path: Path) -> None:
    found(tmp_path, LOSSES, train=CALLER.format(GUARDED))
    path = tmp_path / "losses.py"
    every = lint_source(path.read_text(), str(path), project=Project(), pedantic=True)
    assert "log-reaches-zero" in {finding.rule for finding in every}


@pytest.mark.parametrize("name", ["test_losses", "example"])
def test_calls_in_tests_and_on_examples_show_nothing(tmp_path: Path, name: str) -> None:
    text = EXAMPLE if name == "example" else CALLER.replace("def train", "def test_train").format(GUARDED)
    assert found(tmp_path, LOSSES, **{name: text}) == ["log-reaches-zero"]


def test_an_object_is_called_by_the_name_of_its_class(tmp_path: Path) -> None:
    text = CALLER.replace("import cross_entropy", "import Entropy").format("Entropy()(tf.nn.softmax(scores) + 1e-6)")
    assert found(tmp_path, OBJECT) == ["log-reaches-zero"]
    assert found(tmp_path, OBJECT, train=text) == []


def test_a_file_that_names_the_function_without_calling_it_shows_nothing(tmp_path: Path) -> None:
    text = CALLER.format("labels  # losses.cross_entropy")
    assert found(tmp_path, LOSSES, train=text) == ["log-reaches-zero"]


def test_a_tree_of_too_many_folders_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfnanlint.contents.MOST_FOLDERS", 2)
    (tmp_path / "one" / "two").mkdir(parents=True)
    assert found(tmp_path, LOSSES, train=CALLER.format(GUARDED)) == ["log-reaches-zero"]


def test_a_file_that_is_no_python_shows_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, LOSSES, train="from losses import cross_entropy(") == ["log-reaches-zero"]


POSITIVES = """
import tensorflow as tf


def positive_loss(y_true, y_pred):
    count = tf.shape(y_true)[0] * tf.shape(y_true)[1]
    scores, marks = tf.reshape(y_pred[0], [count, 4]), tf.reshape(y_pred[1], [count, 10])
    picked = tf.equal(tf.reshape(y_true[..., 14], [count, 1]), 1)
    return tf.add_n([
        tf.reduce_mean(tf.boolean_mask(scores, tf.broadcast_to(picked, [count, 4]))),
        tf.reduce_mean(tf.boolean_mask(marks, tf.broadcast_to(picked, [count, 10]))),
    ])
"""
BATCHES = """
import tensorflow as tf
from losses import positive_loss
from data import batches


def train(model, optimizer):
    for images, labels in batches():
        with tf.GradientTape() as tape:
            loss = positive_loss({}, model(images))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
"""


def test_data_that_nobody_knows_keeps_nothing_from_failing(tmp_path: Path) -> None:
    assert found(tmp_path, POSITIVES) == ["mean-of-nothing"] * 2
    assert found(tmp_path, POSITIVES, train=BATCHES.format("labels")) == ["mean-of-nothing"] * 2


def test_data_that_is_known_to_have_a_positive_does(tmp_path: Path) -> None:
    assert found(tmp_path, POSITIVES, train=BATCHES.format("tf.ones([8, 6, 15])")) == []


def test_a_call_that_is_not_followed_as_far_as_the_hazard_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = """
    import tensorflow as tf


    def shares(scores):
        return tf.sigmoid(scores)


    def entropy(scores):
        return -tf.reduce_sum(tf.math.log(1.0 - shares(scores)))
    """
    text = CALLER.replace("cross_entropy", "entropy").format("entropy(tf.clip_by_value(scores, -3.0, 3.0))")
    assert found(tmp_path, losses, train=text) == []
    monkeypatch.setattr("tfnanlint.source.other_files.ABROAD_DEPTH", 1)
    assert found(tmp_path, losses, train=text) == ["log-one-minus-sigmoid"]


def test_many_callers_are_not_read_and_show_nothing(tmp_path: Path) -> None:
    few = {f"caller_{number}": CALLER.format(GUARDED) for number in range(6)}
    assert found(tmp_path, LOSSES, **few) == []
    assert found(tmp_path, LOSSES, one_more=CALLER.format(GUARDED), **few) == ["log-reaches-zero"]


def test_a_call_is_followed_however_deep_it_is_in_its_caller(tmp_path: Path) -> None:
    deep = "".join(f"def step_{n}(scores, labels):\n    return step_{n + 1}(scores, labels)\n\n\n" for n in range(7))
    deep += f"def step_7(scores, labels):\n    return {GUARDED}\n"
    head = "import tensorflow as tf\nfrom losses import cross_entropy\n\n\n"
    assert found(tmp_path, LOSSES, deep=head + deep) == []
    assert found(tmp_path, LOSSES, deep=head + deep.replace(GUARDED, BARE)) == ["log-reaches-zero"]


FACTORY = (
    OBJECT
    + """

def criterion(config):
    if config.name == "entropy":
        return Entropy()
    raise KeyError(config.name)
"""
)
FROM_FACTORY = """
import tensorflow as tf
from losses import criterion


def train(scores, config):
    return criterion(config)({})
"""
REGISTRY = """
import tensorflow as tf

LOSSES = {{}}


def register(function):
    LOSSES[function.__name__] = function
    return function


@register
def cross_entropy(labels, probs):
    return -tf.reduce_sum(labels * tf.math.log(probs))


def loss_named(name):
    chosen = LOSSES[name]

    def loss(labels, probs):
        return chosen(labels, {})

    return loss
"""


@pytest.mark.parametrize(("given", "expected"), [("+ 1e-6", []), ("* 1.0", ["log-reaches-zero"])])
def test_a_factory_of_the_module_stands_for_the_class_that_it_makes(
    tmp_path: Path, given: str, expected: list[str]
) -> None:
    text = FROM_FACTORY.format(f"tf.nn.softmax(scores) {given}")
    assert found(tmp_path, FACTORY, train=text) == expected


@pytest.mark.parametrize(("given", "expected"), [("tf.maximum(probs, 1e-6)", []), ("probs", ["log-reaches-zero"])])
def test_what_a_decorator_registers_is_called_where_the_registry_is_read(
    tmp_path: Path, given: str, expected: list[str]
) -> None:
    assert found(tmp_path, REGISTRY.format(given)) == expected


LABELS = """
import numpy as np
from losses import positive_mean


def main(scores):
    labels = {}
    return positive_mean(scores, labels)
"""
POSITIVE_MEAN = """
import tensorflow as tf


def positive_mean(scores, labels):
    mask = tf.cast(labels, tf.float32)
    return tf.reduce_sum(mask * scores) / tf.reduce_sum(mask)
"""


def test_data_that_a_script_makes_itself_shows_nothing_about_other_data(tmp_path: Path) -> None:
    made = LABELS.format("np.repeat(np.arange(1, 4), 5)")
    assert found(tmp_path, POSITIVE_MEAN, train=made) == found(tmp_path, POSITIVE_MEAN) != []
    computed = LABELS.replace("import numpy as np", "import tensorflow as tf").format("1.0 + tf.square(scores)")
    assert found(tmp_path, POSITIVE_MEAN, train=computed) == []


DISTANCE = """
import tensorflow as tf


class Distance:
    def __call__(self, labels, embeddings):
        difference = embeddings[:, tf.newaxis] - embeddings[tf.newaxis]
        return tf.reduce_mean(tf.sqrt(tf.reduce_sum(tf.square(difference), axis=-1) + {}))
"""
TRAINED = """
import tensorflow as tf


class Embedding(tf.keras.Model):
    def __init__(self, encoder, objective):
        super().__init__()
        self.encoder = encoder
        self.objective = objective

    def train_step(self, data):
        images, labels = data
        with tf.GradientTape() as tape:
            loss = self.objective(labels, self.encoder(images))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}
"""
FIT = """
import tensorflow as tf
from losses import Distance
from model import Embedding


def main(dataset):
    model = Embedding(tf.keras.Sequential([tf.keras.layers.Dense(4)]), Distance())
    model.compile("adam")
    model.fit(dataset)


if __name__ == "__main__":
    main(None)
"""


@pytest.mark.parametrize(("epsilon", "expected"), [("0.0", ["sqrt-at-zero"]), ("1e-6", [])])
def test_fit_runs_the_training_step_of_a_model_of_another_file(
    tmp_path: Path, epsilon: str, expected: list[str]
) -> None:
    assert found(tmp_path, DISTANCE.format(epsilon), model=TRAINED, train=FIT) == []
    script = tmp_path / "train.py"
    findings = lint_source(script.read_text(), str(script), project=Project())
    assert [finding.rule for finding in findings] == expected
    assert all(Path(finding.path).name == "losses.py" for finding in findings)
