"""Repairs of a loss that is given to a model, or made once and called later: set where it is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfnanlint.lint import lint_source
from tfnanlint.ruleset.rule import Rules, read_rule
from tfnanlint.run.edits import apply_edits

RULE = '''"""a loss on probabilities is given logits

It has to be told, or it clips them and learns nothing from what it clips.
"""
import tensorflow as tf

from tfnanlint.template import logits

severity = "warning"


def before(y=((0.0, 1.0),), x: logits = ((3.0, -2.0),)):
    return tf.keras.losses.categorical_crossentropy(y, x)


def rework(y, x):
    return tf.keras.losses.categorical_crossentropy(y, x, from_logits=True)
'''

MODEL = "import tensorflow as tf\nfrom tensorflow import keras\nmodel = keras.Sequential([keras.layers.Dense(3)])\n"
LATER = (
    "\n\ndef step(x, y):\n    with tf.GradientTape() as tape:\n        loss = {}(y, model(x))\n"
    "    return tape.gradient(loss, model.trainable_variables)\n"
)

REPAIRED = {
    "named in compile": (
        "model.compile(loss='categorical_crossentropy', optimizer='sgd')",
        "model.compile(loss=keras.losses.CategoricalCrossentropy(from_logits=True), optimizer='sgd')",
    ),
    "a function in compile": (
        "model.compile('sgd', tf.keras.losses.categorical_crossentropy)",
        "model.compile('sgd', keras.losses.CategoricalCrossentropy(from_logits=True))",
    ),
    "an object in compile": (
        "model.compile('sgd', keras.losses.CategoricalCrossentropy())",
        "model.compile('sgd', keras.losses.CategoricalCrossentropy(from_logits=True))",
    ),
    "an object with arguments and a comment": (
        "model.compile('sgd', keras.losses.CategoricalCrossentropy(name='a'))  # why",
        "model.compile('sgd', keras.losses.CategoricalCrossentropy(name='a', from_logits=True))  # why",
    ),
    "told the wrong thing": (
        "model.compile('sgd', keras.losses.CategoricalCrossentropy(from_logits=False))",
        "model.compile('sgd', keras.losses.CategoricalCrossentropy(from_logits=True))",
    ),
    "an object made before": (
        "cross = keras.losses.CategoricalCrossentropy()\nmodel.compile('sgd', loss=cross)",
        "cross = keras.losses.CategoricalCrossentropy(from_logits=True)\nmodel.compile('sgd', loss=cross)",
    ),
    "an object called in a step of one's own": (
        "cross = keras.losses.CategoricalCrossentropy()" + LATER.format("cross"),
        "cross = keras.losses.CategoricalCrossentropy(from_logits=True)" + LATER.format("cross"),
    ),
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    path: Path = tmp_path_factory.mktemp("rules") / "loss-own.py"
    path.write_text(RULE)
    return Rules((read_rule(path),))


@pytest.mark.parametrize(("before", "after"), REPAIRED.values(), ids=list(REPAIRED))
def test_a_loss_is_set_where_it_is_made(before: str, after: str, rules: Rules) -> None:
    (finding,) = lint_source(MODEL + before + "\n", "a.py", rules=rules)
    assert finding.fix is not None, finding.no_fix
    result = apply_edits(MODEL + before + "\n", finding.fix.edits)
    assert result == MODEL + after + "\n"
    assert "from_logits=True" in finding.fix.message
    assert lint_source(result, "a.py", rules=rules) == []


REFUSED = {
    "positional settings": "model.compile('sgd', keras.losses.CategoricalCrossentropy(False))",
    "one of several losses": "model.compile('sgd', ['categorical_crossentropy'])",
    "assigned twice": (
        "cross = keras.losses.CategoricalCrossentropy()\nmodel.compile('sgd', loss=cross)\ncross = None"
    ),
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=list(REFUSED))
def test_a_loss_that_is_not_found_where_it_is_made_is_left_alone(text: str, rules: Rules) -> None:
    for finding in lint_source(MODEL + text + "\n", "a.py", rules=rules):
        assert finding.fix is None
        said = "the loss object is created elsewhere; set `from_logits=True` where it is created"
        assert finding.no_fix == said


def test_the_repaired_loss_learns_from_what_it_clipped_before(rules: Rules) -> None:
    text = MODEL + REPAIRED["an object called in a step of one's own"][0]
    (finding,) = lint_source(text, "a.py", rules=rules)
    assert finding.fix is not None
    gradients = []
    for program in (text, apply_edits(text, finding.fix.edits)):
        names: dict[str, Any] = {}
        exec(compile(program, "a.py", "exec"), names)
        names["model"].build((None, 2))
        names["model"].set_weights([np.array([[-9.0, 2.0, 3.0], [-9.0, 1.0, 2.0]]), np.zeros(3)])
        found = names["step"](np.ones((1, 2), "float32"), np.array([[1.0, 0.0, 0.0]], "float32"))
        gradients.append(max(float(np.max(np.abs(g))) for g in found))
    assert gradients[0] < 1e-3
    assert gradients[1] > 0.5


def test_what_a_method_of_a_library_computes_inside_is_said_to_be_inside() -> None:
    text = (
        "import tensorflow as tf\nimport tensorflow_probability as tfp\n\n\n"
        "def score(logits, action):\n"
        "    return tfp.distributions.Categorical(probs=tf.nn.softmax(logits)).log_prob(action)\n"
    )
    (found,) = lint_source(text)
    assert found.fix is None
    assert found.no_fix == "the op is inside `log_prob`; `tfnanlint rule log-softmax` lists what to do instead"
