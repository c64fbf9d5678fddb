"""Repairs that are run in the program before they are offered: what is refused there, and what takes its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tfnanlint.facts import Facts
from tfnanlint.finding import Finding
from tfnanlint.fix.choose import Choice
from tfnanlint.flow import Flow
from tfnanlint.lint import lint_source, parse
from tfnanlint.match.matcher import Matcher
from tfnanlint.ruleset.cache import installed_rules
from tfnanlint.source.lower import lower
from tfnanlint.testing.outcomes import findings_in
from tfnanlint.testing.programs import befores, pattern_of

HEAD = "import tensorflow as tf\n\n\n"
LAYER = """class Layer(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(4)

    def call(self, x):
        z = self.dense(x)
        return {}
"""
MASKED = "def loss(y_true, y_pred, mask):\n    q = tf.reduce_sum((y_true - y_pred) * mask) / tf.reduce_sum(mask)\n    "


def findings(body: str, pedantic: bool = False) -> list[Finding]:
    return lint_source(HEAD + body, "a.py", pedantic=pedantic)


def test_a_floor_that_is_0_in_half_precision_is_not_offered() -> None:
    body = "def loss(x):\n    h = tf.cast(tf.keras.layers.Dense(3)(x), tf.float16)\n"
    body += "    return tf.reduce_mean(tf.math.log(tf.reduce_sum(tf.square(tf.nn.relu(h)), -1)))\n"
    (found,) = findings(body)
    assert found.fix is not None
    assert "1e-4" in found.fix.message


@pytest.mark.parametrize("line", ["tf.exp(z)", "1.0 - tf.exp(z)"])
def test_a_bound_is_one_that_what_follows_can_hold(line: str) -> None:
    body = LAYER.format(f"tf.reduce_sum({line.replace('z', 'tf.stop_gradient(z)')}, axis=-1)")
    (found,) = (one for one in findings(body, pedantic=True) if one.rule == "exp-overflow")
    assert found.fix is not None
    assert "80.0" in found.fix.message


@pytest.mark.parametrize(
    ("line", "leads_back"),
    [("tf.exp(z)", False), ("1.0 - tf.exp(z)", False), ("tf.exp(z) - z", False), ("tf.exp(z) + tf.square(z)", True)],
)
def test_a_bound_is_offered_only_where_a_gradient_leads_back(line: str, leads_back: bool) -> None:
    found, *_ = findings(LAYER.format(f"tf.reduce_sum({line}, axis=-1)"), pedantic=True)
    assert (found.fix is not None) == leads_back
    told = found.fix.message if found.fix is not None else found.no_fix
    assert ("80.0" if leads_back else "training does not bring the value back") in str(told)
    z = tf.Variable(85.0)  # above the bound, and below the overflow
    with tf.GradientTape(persistent=True) as tape:
        original = eval(line, {"tf": tf, "z": z})
        bounded = eval(line.replace("exp(z)", "exp(tf.minimum(z, 80.0))"), {"tf": tf, "z": z})
    before, after = float(tape.gradient(original, z)), float(tape.gradient(bounded, z) or 0.0)
    assert (np.sign(after) == np.sign(before)) == leads_back


def test_a_repair_that_leaves_a_nan_further_on_is_refused_and_says_where() -> None:
    body = MASKED.replace("y_true - y_pred", "1.0 + tf.abs(y_true - y_pred)")
    found = findings(body + "return tf.reduce_mean(tf.math.log(2.0 * q))\n")
    (refused,) = [one for one in found if one.rule == "divide-by-mask-sum"]
    assert refused.fix is None
    assert refused.no_fix is not None
    assert "`log` on line 6 is not finite" in refused.no_fix


def test_the_same_repair_is_offered_where_nothing_fails_further_on() -> None:
    (found,) = findings(MASKED + "return tf.square(2.0 * q)\n")
    assert found.fix is not None
    assert "divide_no_nan" in found.fix.message


def test_a_repair_does_not_make_a_gradient_steep() -> None:
    body = "def loss(x, z):\n    d = tf.nn.relu(x)\n    return tf.reduce_sum(z / d + tf.tanh(d))\n"
    (found,) = findings(body)
    assert found.fix is not None
    assert "1e-6" in found.fix.message


def test_a_gradient_that_large_weights_make_steep_is_no_reason_against_a_repair() -> None:
    body = """def dense(x, units):
    w = tf.Variable(tf.random.normal([8, units]))
    return tf.matmul(x, w)


def policy(x):
    h = tf.nn.relu(dense(tf.nn.relu(dense(tf.nn.relu(dense(x, 8)), 8)), 8))
    return tf.nn.softmax(dense(h, 4))


def loss(x, y):
    p = policy(x)
    return -tf.reduce_sum(y * tf.math.log(p)) + tf.reduce_sum(p * x)
"""
    (found,) = findings(body)
    assert found.fix is not None
    assert "tf.maximum(p, 1e-30)" in found.fix.message


def test_no_floor_leaves_a_result_beyond_a_billion() -> None:
    (found,) = findings("def scaled(labels, image):\n    return labels / tf.reduce_max(tf.abs(image))\n")
    assert found.fix is not None
    assert found.fix.message == "labels / tf.maximum(tf.reduce_max(tf.abs(image)), 1e-7)"
    assert float(1.0 / tf.maximum(tf.reduce_max(tf.zeros(3)), 1e-7)) < 1e9 < float(1.0 / tf.maximum(0.0, 1e-12))


NUMPY = """import numpy as np


class Net:
    def __init__(self, *inputs):
        rows = np.concatenate(inputs, 1)
        self.deviation = rows.std(0, keepdims=True)

    def __call__(self, *inputs):
        return tf.concat(inputs, 1) / self.deviation
"""


def test_a_bound_of_an_array_of_numpy_is_of_numpy() -> None:
    (found,) = findings(NUMPY, pedantic=True)
    assert found.fix is not None
    assert "/ np.maximum(self.deviation, 1e-" in found.fix.message
    x, deviation = tf.ones([2, 3]), np.zeros(3)
    assert bool(tf.reduce_all(x / np.maximum(deviation, 1e-7) <= 1e9))
    with pytest.raises(TypeError):  # a tensor of the array's own type does not go with `x`
        x / tf.maximum(deviation, 1e-12)


def test_the_floor_of_one_minus_a_probability_is_above_its_rounding() -> None:
    body = "def loss(p, y):\n    p = tf.nn.sigmoid(p)\n    q = tf.identity(p)\n"
    found = findings(body + "    return tf.reduce_sum(p) + tf.reduce_sum(y * tf.math.log(1.0 - q * tf.ones(3)))\n")
    (fix,) = [one.fix for one in found if one.fix is not None]
    assert "1e-7" in fix.message
    assert float(np.nextafter(np.float32(1), np.float32(0))) == pytest.approx(1 - 6e-8, rel=1e-9)


def test_a_floor_of_the_file_is_not_taken_where_rounding_is_coarser() -> None:
    body = "def loss(p, y):\n    p = tf.nn.sigmoid(p)\n    q = tf.identity(p) * tf.ones(3)\n"
    body += "    return tf.math.log(tf.maximum(q, 1e-30)) + tf.reduce_sum(p) + y * tf.math.log(1.0 - q)\n"
    (found,) = findings(body)
    assert found.fix is not None
    assert "tf.math.log(tf.maximum(1.0 - q, 1e-7))" in found.fix.message


def test_a_repair_of_another_type_is_refused() -> None:
    body = """def average(batches):
    steps, total = 0, 0.0
    for batch in batches:
        total += tf.reduce_mean(batch)
        steps += 1
    return total / steps
"""
    assert all(found.fix is None for found in findings(body))


def test_a_failure_that_the_program_has_besides_is_no_reason_against_a_repair() -> None:
    body = "def loss(y, x):\n    p = tf.sigmoid(x)\n"
    body += "    return -tf.reduce_mean(y * tf.math.log(p) + (1 - y) * tf.math.log(1 - p))\n"
    assert [found.fix is not None for found in findings(body)] == [True, True]


FITTED = """def loss(y, x, mask):
    w = tf.concat([mask, x[:, :3]], 1) * tf.transpose(y)
    mean = tf.reduce_sum((1.0 + tf.abs(w)) * mask) / tf.reduce_sum(mask)
    return {}
"""


@pytest.mark.parametrize(("line", "held"), [("tf.square(mean)", True), ("tf.math.log(2.0 * mean)", False)])
def test_a_repair_is_tried_where_shapes_were_made_to_fit(line: str, held: bool) -> None:
    found = findings(FITTED.format(line), pedantic=True)
    assert [one.fix_held for one in found if one.rule == "divide-by-mask-sum"] == [held]


def test_a_repair_that_takes_a_factor_apart_gives_the_same_shape() -> None:
    body = "def loss(x, c: float):\n    p = tf.nn.relu(tf.keras.layers.Dense(3)(x))\n"
    found = findings(body + "    return tf.reduce_sum(tf.Variable(2.0) * p * tf.math.log(p))\n")
    assert [one.fix_held for one in found] == [True]


def test_a_bound_of_what_cancels_out_is_not_offered() -> None:
    lines = ("e = tf.exp(scores)", "return tf.reduce_max(e, -1) / tf.reduce_sum(e, -1)")
    text = "import tensorflow as tf\ndef share(scores):\n" + "".join(f"    {line}\n" for line in lines)
    found = {one.rule: one for one in lint_source(text, pedantic=True)}
    assert found["exp-overflow"].fix is None
    assert "cancel out" in str(found["exp-overflow"].no_fix)


def test_an_overflow_that_another_setting_leaves_does_not_speak_against_a_repair() -> None:
    """The other bound of Donsker and Varadhan overflows as well, and is another finding."""
    text = (
        "import tensorflow as tf\n\n\nclass Critic(tf.keras.layers.Layer):\n"
        "    def __init__(self, f=False):\n        super().__init__()\n"
        "        self.out = tf.keras.layers.Dense(1)\n        self.f = f\n\n"
        "    def call(self, x):\n        t = self.out(x)\n        if self.f:\n"
        "            bound = tf.reduce_mean(tf.exp(t - 1))\n        else:\n"
        "            bound = tf.math.log(tf.reduce_mean(tf.exp(t)))\n"
        "        self.add_loss(bound)\n        return bound\n"
    )
    found = {one.rule: one for one in lint_source(text)}
    assert found["log-sum-exp"].fix is not None
    assert found["log-sum-exp"].fix.kind == "after"


def test_a_bound_is_offered_where_the_overflow_decides_the_result() -> None:
    text = "import tensorflow as tf\ndef score(logits):\n    return tf.reduce_sum(tf.exp(logits)).numpy()\n"
    assert {one.rule: one.fix for one in lint_source(text, pedantic=True)}["exp-overflow"] is not None


def test_a_bound_does_not_hide_what_an_ordinary_batch_has_far_beyond_it() -> None:
    """Rounding brings a variance to 0, but a number that is negative for ordinary data is another matter."""
    every = findings("def scale(precision):\n    return tf.sqrt(0.5 / -precision)\n", pedantic=True)
    (found,) = (one for one in every if one.rule == "sqrt-below-zero")
    assert found.fix is None
    assert found.no_fix is not None
    assert "far beyond the bound" in found.no_fix
    body = "def spread(x):\n    h = tf.keras.layers.Dense(3)(x)\n    mean = tf.reduce_mean(h, -1)\n"
    rounded = findings(body + "    return tf.sqrt(tf.reduce_mean(tf.square(h), -1) - tf.square(mean))\n")
    assert [one.fix is not None for one in rounded] == [True]


TRIED = [program for program in befores() if pattern_of(program.rule, program.name).repair is not None]


def test_what_a_rule_file_shows_is_tried_and_holds() -> None:
    found = [one for program in TRIED for one in findings_in(program, differentiated=True, tried=True)]
    refused = [one for one in found if one.fix_held is False]
    assert [one.rule for one in refused if "no gradient passes" not in str(one.no_fix)] == []
    assert {one.rule for one in refused} == {"exp-overflow", "exp-overflow-float16"}
    assert sum(one.fix_held is True for one in found) > 2 * sum(one.fix_held is None for one in found)


def described(flow: Flow) -> list[tuple[object, ...]]:
    return [(n.op, tuple(o.index for o in n.operands), repr(n.attrs), tuple(u.index for u in n.users)) for n in flow]


PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


GOOD_REASONS = ("far beyond the bound", "cancel out", "no gradient passes")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_repairs_of_an_ordinary_program_hold_there_and_trying_them_leaves_the_flow_as_it_was(path: Path) -> None:
    flow = lower(parse(path.read_text(), path.name), None, frozenset())
    facts = Facts(flow)
    matcher = Matcher(installed_rules(), keeping=True)
    matches = matcher.matches(flow, facts)
    before, computed = described(flow), {node: dict(parts) for node, parts in flow.computed.items()}
    ranges = [facts.range(node).outer for node in flow]
    choice = Choice(facts)
    offers = [choice.fix_of(match) for match in matches]
    assert described(flow) == before
    assert flow.computed == computed
    assert [facts.range(node).outer for node in flow] == ranges
    refused = [one.reason for one in offers if one.fix is None and one.held is False]
    assert len([one for one in refused if not any(reason in str(one) for reason in GOOD_REASONS)]) <= 2
    assert all(refused)


def test_the_work_for_trying_repairs_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfnanlint.fix.choose.MOST_RETRIED", 1)
    (found,) = findings(MASKED + "return tf.square(2.0 * q)\n")
    assert found.fix is not None


def test_a_floor_does_not_leave_a_result_that_is_as_good_as_infinite() -> None:
    weighted = "def weights(images):\n    noise = tf.math.reduce_variance(images, axis=[1, 2])\n    return {} / noise\n"
    (found,) = findings(weighted.format("1.0"))
    assert found.fix is None or "1e-12" not in found.fix.message
    (found,) = findings(weighted.format("tf.math.reduce_mean(tf.square(images), axis=[1, 2])"))
    assert found.fix is None or "1e-12" not in found.fix.message
