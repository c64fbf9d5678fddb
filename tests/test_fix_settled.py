"""A fix serves every call and object: it keeps what these may give otherwise, and builds on what the file settles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfnanlint.cli import main
from tfnanlint.lint import lint_source
from tfnanlint.run.rounds import fix_text
from tfnanlint.run.text import Linted

HEAD = "import tensorflow as tf\n\n\n"


def repaired(text: str) -> str:
    """A program after its safe repairs, without its imports."""
    return fix_text(HEAD + text, "a.py", lambda now: Linted(lint_source(now, "a.py"))).removeprefix(HEAD)


IN_A_CLASS = """\
class Head(tf.keras.layers.Layer):
    def __init__(self, given={0}):
        super().__init__()
        self.given = given

    def call(self, x):
        x = tf.nn.relu(x)
        return {1}
"""
IN_A_SUBCLASS = """\
class Head:
    axis = -1

    def call(self, x):
        return tf.math.log(tf.nn.softmax(x, axis=self.axis))


class Other(Head):
    axis = 0
"""
OPTIONS_THAT_STAY = {
    "a parameter": (
        "def f(x, axis):\n    return tf.math.log(tf.nn.softmax(x, axis=axis))\n\n\ndef g(x):\n    return f(x, -1)\n",
        "tf.nn.log_softmax(x, axis=axis)",
    ),
    "the default of a parameter": (
        "def f(x, axis=-1):\n    return tf.math.log(tf.nn.softmax(x, axis=axis))\n",
        "tf.nn.log_softmax(x, axis=axis)",
    ),
    "the name of a comprehension": (
        "def f(x):\n    return [tf.math.log(tf.nn.softmax(x, axis=axis)) for axis in (-1, 0)]\n",
        "tf.nn.log_softmax(x, axis=axis)",
    ),
    "an attribute that is given": (
        IN_A_CLASS.format(-1, "tf.math.log(tf.nn.softmax(x, axis=self.given))"),
        "tf.nn.log_softmax(x, axis=self.given)",
    ),
    "an attribute that a subclass sets": (IN_A_SUBCLASS, "tf.nn.log_softmax(x, axis=self.axis)"),
}


@pytest.mark.parametrize("program", OPTIONS_THAT_STAY)
def test_an_option_that_is_the_default_in_one_call_stays(program: str) -> None:
    text, wanted = OPTIONS_THAT_STAY[program]
    assert wanted in repaired(text)


@pytest.mark.parametrize("option", ["axis=-1", "axis=LAST"])
def test_an_option_that_the_file_settles_is_left_out_where_it_is_the_default(option: str) -> None:
    text = f"LAST = -1\n\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x, {option}))\n"
    assert repaired(text).endswith("return tf.nn.log_softmax(x)\n")


FUNCTIONS_AND_NUMBERS = {
    "a function that is a parameter": (
        "def f(x, act=tf.nn.softmax):\n    return tf.math.log(act(x))\n",
        "tf.math.log(act(x))",
    ),
    "a function whose result is used elsewhere, too": (
        "def f(x, y, act=tf.nn.softmax):\n    p = act(x)\n    return p, -tf.reduce_sum(y * tf.math.log(p))\n",
        "tf.math.log(tf.maximum(p, 1e-30))",
    ),
    "a function of a comprehension": (
        "def f(x):\n    return [tf.math.log(act(x)) for act in (tf.nn.softmax, tf.nn.sigmoid)]\n",
        "tf.math.log(act(x))",
    ),
    "a function that a table has": (
        'ACTS = {"softmax": tf.nn.softmax}\n\n\ndef f(x, kind="softmax"):\n    return tf.math.log(ACTS[kind](x))\n',
        "tf.math.log(ACTS[kind](x))",
    ),
    "a function of an object": (
        IN_A_CLASS.format("tf.nn.softmax", "tf.math.log(self.given(x))"),
        "self.given(x)",
    ),
    "a number that is a parameter": (
        "def f(x, c):\n    return tf.math.log(c - tf.sigmoid(x))\n\n\ndef g(x):\n    return f(x, 1.0)\n",
        "c - tf.sigmoid(x)",
    ),
    "the order of a norm": (
        IN_A_CLASS.format(2, "x / tf.norm(x, ord=self.given, axis=-1, keepdims=True)"),
        "tf.norm(x, ord=self.given, axis=-1, keepdims=True)",
    ),
}


@pytest.mark.parametrize("program", FUNCTIONS_AND_NUMBERS)
def test_what_holds_for_one_function_or_number_is_not_written_for_all(program: str) -> None:
    text, wanted = FUNCTIONS_AND_NUMBERS[program]
    assert wanted in repaired(text)


SETTLED = {
    "a function under another name": "act = tf.nn.softmax\n\n\ndef f(x):\n    return tf.math.log(act(x))\n",
    "a function that an object always has": (
        IN_A_CLASS.format("tf.nn.softmax", "tf.math.log(self.given(x))").replace("= given", "= tf.nn.softmax")
    ),
}


@pytest.mark.parametrize("program", SETTLED)
def test_a_function_that_the_file_settles_is_replaced(program: str) -> None:
    assert "tf.nn.log_softmax(x)" in repaired(SETTLED[program])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.math.log(tf.nn.softmax(x) / 2)", "tf.nn.log_softmax(x) - 0.6931471805599453"),
        ("tf.math.log(tf.exp(x) * 3)", "x + 1.0986122886681098"),
        ("tf.math.log(tf.nn.softmax(x) / x.shape[-1])", None),
        ("tf.math.log(tf.nn.softmax(x) / np.array([0.2, 0.8]))", None),
        ("tf.math.log(tf.nn.softmax(x) / classes)", None),
    ],
)
def test_the_logarithm_of_a_number_is_a_number(before: str, after: str | None) -> None:
    """TensorFlow makes int32 or float32 of a number alone, whatever type the tensor beside it has."""
    text = f"import numpy as np\nimport tensorflow as tf\n\n\ndef f(x, classes=2):\n    return {before}\n"
    fixed = fix_text(text, "a.py", lambda now: Linted(lint_source(now, "a.py")))
    assert after in fixed if after is not None else "log_softmax" not in fixed


@pytest.mark.parametrize(
    "imports",
    [
        "try:\n    from tensorflow.math import log\nexcept ImportError:\n    from tensorflow import log\n",
        "from tensorflow.math import *\n",
    ],
    ids=["in two ways", "with all others"],
)
def test_a_name_that_the_file_leaves_open_is_told(imports: str) -> None:
    (found,) = lint_source(f"{HEAD}{imports}\n\ndef f(x):\n    return log(tf.nn.softmax(x))\n", "a.py")
    assert found.no_fix == "the file leaves open what `log` is; call the function of `tf` itself and run --fix again"


@pytest.mark.parametrize(
    ("function", "op"),
    [
        ("    odds = tf.keras.layers.Dense(3, activation=tf.exp)(x)\n    return tf.reduce_mean(odds)", "exp"),
        ("    return tf.map_fn(tf.math.log, tf.nn.relu(x))", "log"),
    ],
    ids=["an activation", "mapped"],
)
def test_an_op_that_is_passed_as_a_function_is_told_so(function: str, op: str) -> None:
    (found,) = lint_source(f"{HEAD}\n\ndef f(x):\n{function}\n", "a.py", pedantic=True)
    assert found.no_fix == f"`{op}` is passed as a function; pass one that guards its argument"


STARRED = (
    "def f(x, **options):\n    return tf.math.log(tf.nn.softmax(x, **options))\n\n\n"
    "def g(x):\n    return f(x, axis=0)\n"
)
TO_NOTHING = (
    "def f(x, axis=None):\n    e = tf.exp(x)\n    return e / tf.reduce_sum(e, axis=axis, keepdims=True)\n\n\n"
    "def g(x):\n    return f(x, -1)\n"
)
IN_HALF = (
    "def unit(x):\n    return tf.math.l2_normalize(x, axis=-1)\n\n\ndef half(x):\n"
    "    return unit(tf.cast(tf.nn.relu(x), tf.float16))\n\n\ndef full(x):\n    return unit(tf.nn.relu(x))\n"
)
CHECKED = (
    "def f(x):\n    x = tf.nn.relu(x)\n    n = tf.norm(x, axis=-1, keepdims=True)\n"
    "    return tf.where(n > 0.0, x / n, x)\n"
)
FETCHED = (
    "logits = tf.keras.layers.Dense(3)(tf.placeholder(tf.float32, [None, 4]))\n"
    'probs = tf.nn.softmax(logits, name="probs")\nloss = -tf.reduce_sum(tf.log(probs))\n'
    'print(tf.Session().run("probs:0"))\n'
)
RECURSION = (
    "def f(scores, steps):\n    alpha = tf.fill([4], -float('inf'))\n    for t in range(steps):\n"
    "        shifted = tf.concat([[0.0], alpha[:-1]], 0)\n"
    "        alpha = tf.math.log(tf.exp(alpha) + tf.exp(shifted)) + scores[t]\n    return alpha\n"
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param(RECURSION, "tf.math.log(tf.exp(alpha) + tf.exp(shifted))", id="terms that are -inf"),
        pytest.param(STARRED, "tf.nn.softmax(x, **options)", id="starred options"),
        pytest.param(TO_NOTHING, "axis=axis, keepdims=True", id="an axis that may be None"),
        pytest.param("def f(x, k=1.0):\n    return 1.0 / (1.0 + tf.exp(-k * x))\n", "-k * x", id="a factor"),
        pytest.param(IN_HALF, "tf.math.l2_normalize(x, axis=-1)\n", id="a floor of another type"),
        pytest.param(CHECKED, "n = tf.norm(x, axis=-1, keepdims=True)\n", id="a check of what gets a floor"),
        pytest.param(FETCHED, 'tf.nn.softmax(logits, name="probs")', id="an op that is fetched by name"),
    ],
)
def test_what_other_callers_and_code_need_stays(text: str, wanted: str) -> None:
    assert wanted in repaired(text)


def test_an_import_for_type_checkers_is_not_there_at_run_time() -> None:
    text = (
        "from typing import TYPE_CHECKING\n\nfrom tensorflow import exp, math, reduce_sum\n\nif TYPE_CHECKING:\n"
        "    import tensorflow as tf\n\n\ndef f(x):\n    return math.log(reduce_sum(exp(x), axis=-1))\n"
    )
    fixed = fix_text(text, "a.py", lambda now: Linted(lint_source(now, "a.py")))
    assert "tf." not in fixed.replace("import tensorflow as tf", "")


def test_a_property_is_read_once() -> None:
    text = (
        "class Model:\n    @property\n    def sample(self):\n        return self.mean + tf.random.normal([4, 3])\n\n"
        "    def loss(self, y):\n        p = tf.sigmoid(self.sample)\n"
        "        return -tf.reduce_mean(y * tf.math.log(p) + (1.0 - y) * tf.math.log(1.0 - p))\n"
    )
    assert repaired(text).count("self.sample") == 1


def test_a_comment_in_a_statement_that_goes_stays() -> None:
    text = (
        "def f(x, y):\n    p = tf.nn.softmax(\n        x,  # see eq. 4\n        axis=-1,\n    )\n"
        "    return -tf.reduce_sum(y * tf.math.log(p))\n"
    )
    assert repaired(text) == "def f(x, y):\n    # see eq. 4\n    return -tf.reduce_sum(y * tf.nn.log_softmax(x))\n"


def test_a_minus_before_a_minus_is_a_plus() -> None:
    assert "tf.sigmoid(x + x)" in repaired("def f(x):\n    return tf.exp(x) / (tf.exp(x) + tf.exp(-x))\n")


LOSSES = (
    "import tensorflow as tf\nfrom tensorflow.nn import softmax\n\n\n"
    "def cross_entropy(labels, logits):\n    p = softmax(logits)\n    return -tf.reduce_sum(labels * tf.math.log(p))\n"
)


@pytest.mark.parametrize(
    ("user", "stays"),
    [
        ("from losses import cross_entropy, softmax\n", True),
        ("import losses as L\n\nL.softmax([1.0])\n", True),
        ("from losses import cross_entropy\n", False),
        ("from tensorflow.nn import softmax\n", False),
    ],
)
def test_an_import_that_another_file_takes_from_here_stays(tmp_path: Path, user: str, stays: bool) -> None:
    (tmp_path / "losses.py").write_text(LOSSES)
    (tmp_path / "train.py").write_text(user)
    main(["--fix", "--isolated", "--no-cache", "--quiet", str(tmp_path)])
    fixed = (tmp_path / "losses.py").read_text()
    assert "log_softmax(logits)" in fixed
    assert ("import softmax" in fixed) is stays
