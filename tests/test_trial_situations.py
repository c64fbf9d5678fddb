"""Each situation shows a hazard that no calm batch shows, and says so; a sound twin of the program stays silent."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from trial_programs import EVERY, findings, function, program, situations, trained

from tfnanlint.trial import verdict
from tfnanlint.trial.edges import EDGES
from tfnanlint.trial.situations import CALM, SITUATIONS


class Case(NamedTuple):
    """A situation, a program that fails in it, the same made sound, and in which other situations it fails, too."""

    situation: str
    hazard: str
    twin: str
    others: str = ""


WEIGHT = "w = tf.Variable(tf.random.normal([3, 3]))\n\n\n"
SAME = "same = tf.cast(tf.equal(labels[:, :1], tf.transpose(labels[:, :1])), tf.float32)"
INDEX = "known = tf.cast(ids >= 0, tf.float32); "
UNITS = "w = tf.Variable(tf.ones([3, 3]))\n\n\n"
MINIMISED = """\
w = tf.Variable(tf.ones([3]))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(x * w) + 0.01 * {}
g = tape.gradient(loss, w)
"""
DISTANCES = """\
def f(x):
    squares = tf.reduce_sum(x * x, 1, keepdims=True)
    d = squares - 2.0 * tf.matmul(x, x, transpose_b=True) + tf.transpose(squares)
    return tf.sqrt({})
"""
LABELLED = """\
w = tf.Variable(tf.ones([3]))
labels = load_labels()
with tf.GradientTape() as tape:
    loss = tf.reduce_sum({})
g = tape.gradient(loss, w)
"""
LOOP = """\
def f(x):
    scale = tf.constant(1.0)
    for _ in data:
        scale = scale * {}
    return x / scale
"""
STATE = """\
class Averaged(tf.Module):
    def __init__(self):
        self.seen = tf.Variable(0.0, trainable=False)

    def __call__(self, x):
        return tf.reduce_sum(x) / {}
"""


def of_positive(formula: str) -> str:
    """A function that computes something of logits where all of them are positive."""
    kept = "return tf.where(tf.reduce_min(logits) > 0.0, p, tf.zeros_like(p))"
    return function(f"p = {formula}", kept, parameters="logits")


KNOWN = "nan = tf.math.is_nan(labels); known = 1.0 - tf.cast(nan, tf.float32); t = tf.where(nan, 0.0, labels); "
OVERLAP = "t, p = labels, tf.cast(preds > 0.5, tf.float32); both = tf.reduce_sum(t * p, 1); "

TALLY = """
class Tally(tf.keras.metrics.Metric):
    def __init__(self, classes):
        super().__init__()
        self.right = self.add_weight(name="right", shape=(classes,), initializer="zeros")
        self.seen = self.add_weight(name="seen", shape=(classes,), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = tf.one_hot(tf.argmax(y_pred, axis=-1), self.seen.shape[0])
        self.right.assign_add(tf.reduce_sum(y_true * y_pred, axis=0))
        self.seen.assign_add(tf.reduce_sum(tf.maximum(y_true, y_pred), axis=0))

    def result(self):
        return {}
"""


CASES = (
    # What a network gives.
    Case(
        "trained network",
        WEIGHT + function("return tf.math.log(1.0 - tf.sigmoid(tf.matmul(x, w)))"),
        WEIGHT + function("return tf.math.log_sigmoid(-tf.matmul(x, w))"),
        "confident network, outlier",
    ),
    Case(
        "trained but wrong",
        function("return tf.math.log(1.0 - tf.reduce_max((1.0 - y) * tf.nn.softmax(a), -1))", parameters="y, a"),
        function("return tf.math.log(2.0 - tf.reduce_max((1.0 - y) * tf.nn.softmax(a), -1))", parameters="y, a"),
        "mistaken network, one class for all, trained on one class",
    ),
    Case(
        "trained on one class",
        function("return tf.math.log(1.0 - tf.reduce_max(tf.reduce_mean(tf.nn.softmax(a), 0)))", parameters="a"),
        function("return tf.math.log(2.0 - tf.reduce_max(tf.reduce_mean(tf.nn.softmax(a), 0)))", parameters="a"),
        "one class for all",
    ),
    Case(
        "trained negative",
        function("return tf.math.log(1.0 - tf.reduce_min(tf.sigmoid(-logits)))", parameters="logits"),
        function("return tf.reduce_max(tf.math.log_sigmoid(logits))", parameters="logits"),
        "confidently negative, nothing to find",
    ),
    Case(
        "trained positive",
        function("return tf.math.log(1.0 - tf.reduce_min(tf.sigmoid(logits)))", parameters="logits"),
        function("return tf.reduce_max(tf.math.log_sigmoid(-logits))", parameters="logits"),
        "confidently positive",
    ),
    Case(
        "trained and positive",
        of_positive("tf.math.log(1.0 - tf.nn.softmax(logits))"),
        of_positive("tf.nn.log_softmax(logits)"),
        "confident and positive",
    ),
    Case(
        "confident network",
        WEIGHT + function("return tf.math.log(tf.sigmoid(tf.matmul(x, w)))"),
        WEIGHT + function("return tf.math.log_sigmoid(tf.matmul(x, w))"),
    ),
    Case(
        "mistaken network",
        function("return tf.math.log(tf.reduce_sum(y * tf.nn.softmax(a), -1))", parameters="y, a"),
        function("return tf.reduce_sum(y * tf.nn.log_softmax(a), -1)", parameters="y, a"),
        "no label, nothing to find, one class for all, rightly nothing",
    ),
    Case(
        "one class for all",
        function("return tf.math.log(tf.reduce_mean(tf.nn.softmax(logits), axis=0))", parameters="logits"),
        function("return tf.math.log(tf.reduce_mean(tf.nn.softmax(logits), axis=0) + 1e-6)", parameters="logits"),
    ),
    Case(
        "scores of one row",
        function("return tf.math.log(tf.reduce_sum(tf.exp(a - tf.reduce_max(a)), -1))", parameters="a"),
        function("return tf.math.log(tf.reduce_sum(tf.exp(a - tf.reduce_max(a, -1, True)), -1))", parameters="a"),
    ),
    Case(
        "confidently negative",
        function("return tf.math.log(tf.reduce_max(tf.sigmoid(logits)))", parameters="logits"),
        function("return tf.reduce_max(tf.math.log_sigmoid(logits))", parameters="logits"),
    ),
    Case(
        "confidently positive",
        function("return 1.0 / tf.reduce_max(tf.exp(-logits))", parameters="logits"),
        function("return tf.reduce_min(logits)", parameters="logits"),
    ),
    Case(
        "confident and positive",
        of_positive("tf.math.log(tf.nn.softmax(logits))"),
        of_positive("tf.nn.log_softmax(logits)"),
    ),
    Case(
        "dead network",
        function("return x / tf.reduce_max(tf.abs(x))"),
        function("return x / (tf.reduce_max(tf.abs(x)) + 1e-3)"),
    ),
    Case(
        "untrained network",
        function("y = tf.keras.layers.Dense(3, kernel_initializer='zeros')(x)", "return y / tf.reduce_max(tf.abs(y))"),
        function("y = tf.keras.layers.Dense(3)(x)", "return y / tf.reduce_max(tf.abs(y))"),
    ),
    Case(
        "blank patch",
        function(
            "y = tf.keras.layers.Conv2D(8, 3)(image)",
            "return y / tf.norm(y, axis=-1, keepdims=True)",
            parameters="image",
        ),
        function(
            "y = tf.keras.layers.Conv2D(8, 3)(image)",
            "return y / (tf.norm(y, axis=-1, keepdims=True) + 1e-6)",
            parameters="image",
        ),
    ),
    Case(
        "perfect prediction",
        function("return tf.math.log(tf.reduce_sum(tf.square(output - labels)))", parameters="output, labels"),
        function("return tf.math.log(tf.reduce_sum(tf.square(output - labels)) + 1.0)", parameters="output, labels"),
    ),
    Case(
        "rightly nothing",
        function(f"{OVERLAP}return both / (tf.reduce_sum(t, 1) + tf.reduce_sum(p, 1))", parameters="labels, preds"),
        function(
            f"{OVERLAP}return both / (tf.reduce_sum(t, 1) + tf.reduce_sum(p, 1) + 1.0)", parameters="labels, preds"
        ),
        "nothing to find",
    ),
    Case(
        "nothing to find",
        function("return 1.0 / (tf.reduce_sum(labels) + tf.reduce_sum(preds))", parameters="labels, preds"),
        function("return 1.0 / (tf.reduce_sum(labels) + tf.reduce_sum(preds) + 1.0)", parameters="labels, preds"),
    ),
    # Masks and labels.
    Case(
        "empty mask",
        function("return tf.reduce_sum(x * mask) / tf.reduce_sum(mask)", parameters="x, mask"),
        function("return tf.reduce_sum(x * mask) / tf.maximum(tf.reduce_sum(mask), 1.0)", parameters="x, mask"),
    ),
    Case(
        "full mask",
        function("return tf.reduce_sum(x) / tf.reduce_sum(1.0 - mask)", parameters="x, mask"),
        function("return tf.reduce_sum(x) / tf.reduce_sum(2.0 - mask)", parameters="x, mask"),
    ),
    Case(
        "padded row",
        function("return x / tf.reduce_min(tf.norm(x, axis=-1))"),
        function("return x / (tf.reduce_min(tf.norm(x, axis=-1)) + 1e-3)"),
        "dead network",
    ),
    Case(
        "absent class",
        function("return x / tf.reduce_sum(labels, 0)", parameters="x, labels"),
        function("return x / (tf.reduce_sum(labels, 0) + 1.0)", parameters="x, labels"),
        "lone class, no label, nothing to find",
    ),
    Case(
        "lone class",
        function(SAME, "return x / (tf.reduce_sum(same, -1, keepdims=True) - 1.0)", parameters="x, labels"),
        function(SAME, "return x / tf.reduce_sum(same, -1, keepdims=True)", parameters="x, labels"),
        "rightly nothing, real labels",
    ),
    Case(
        "every label positive",
        function("return tf.reduce_sum(x) / tf.reduce_sum(1.0 - labels)", parameters="x, labels"),
        function("return tf.reduce_sum(x) / tf.maximum(tf.reduce_sum(1.0 - labels), 1.0)", parameters="x, labels"),
    ),
    Case(
        "no label",
        function("return tf.reduce_sum(x) / tf.reduce_sum(labels)", parameters="x, labels"),
        function("return tf.reduce_sum(x) / tf.maximum(tf.reduce_sum(labels), 1.0)", parameters="x, labels"),
        "nothing to find",
    ),
    Case(
        "real labels",
        function(
            "whole = tf.equal(labels, tf.round(labels))",
            "return 1.0 / tf.reduce_mean(tf.cast(whole, tf.float32))",
            parameters="labels",
        ),
        function(
            "whole = tf.equal(labels, tf.round(labels))",
            "return 1.0 / (tf.reduce_mean(tf.cast(whole, tf.float32)) + 1.0)",
            parameters="labels",
        ),
    ),
    # Data.
    Case(
        "silence",
        function("return audio / tf.reduce_max(tf.abs(audio))", parameters="audio"),
        function("return audio / (tf.reduce_max(tf.abs(audio)) + 1e-3)", parameters="audio"),
    ),
    Case(
        "white image",
        function("return tf.math.log(image + 1e-6) - tf.math.log(1.0 - image)", parameters="image"),
        function("return tf.math.log(image + 1e-6) - tf.math.log(1.0 + 1e-6 - image)", parameters="image"),
    ),
    Case(
        "a silent row",
        function("return audio / tf.reduce_max(tf.abs(audio), -1, keepdims=True)", parameters="audio"),
        function("return audio / (tf.reduce_max(tf.abs(audio), -1, keepdims=True) + 1e-3)", parameters="audio"),
        "silence",
    ),
    Case(
        "one silent signal",
        trained(
            "return tf.reduce_mean(tf.abs(tf.reduce_sum(audio, -1) - tf.sqrt(tf.reduce_sum(speech ** 2, -1))))",
            parameters="speech, audio",
        ),
        trained(
            "return tf.reduce_mean(tf.abs(tf.reduce_sum(audio, -1) - tf.sqrt(tf.reduce_sum(speech ** 2, -1) + 1e-6)))",
            parameters="speech, audio",
        ),
    ),
    Case(
        "equal rows",
        function("return x / tf.reduce_max(tf.abs(x - tf.reduce_mean(x, 0)))"),
        function("return x / (tf.reduce_max(tf.abs(x - tf.reduce_mean(x, 0))) + 1e-3)"),
        "dead network, equal elements",
    ),
    Case(
        "constant rows",
        function("return (x - tf.reduce_mean(x, -1, True)) / tf.math.reduce_std(x, -1, True)"),
        function("return (x - tf.reduce_mean(x, -1, True)) / (tf.math.reduce_std(x, -1, True) + 1e-3)"),
        "dead network, padded row, equal elements",
    ),
    Case(
        "equal elements",
        function("return image / (tf.reduce_max(image) - tf.reduce_min(image))", parameters="image"),
        function("return image / (tf.reduce_max(image) - tf.reduce_min(image) + 1e-3)", parameters="image"),
        "silence, white image",
    ),
    Case(
        "no rotation",
        function("return tf.linalg.trace(rotation) / (3.0 - tf.linalg.trace(rotation))", parameters="rotation"),
        function("return tf.linalg.trace(rotation) / (3.1 - tf.linalg.trace(rotation))", parameters="rotation"),
    ),
    Case(
        "standing still",
        function("return 1.0 / tf.acos(tf.abs(tf.reduce_sum(quats[1:] * quats[:-1], axis=-1)))", parameters="quats"),
        function("return 1.0 / (0.1 + tf.reduce_sum(tf.square(quats[1:] - quats[:-1])))", parameters="quats"),
    ),
    Case(
        "half turn",
        function("return 1.0 / tf.sqrt(tf.linalg.trace(rotation) + 1.0)", parameters="rotation"),
        function("return 1.0 / tf.sqrt(tf.linalg.trace(rotation) + 1.1)", parameters="rotation"),
    ),
    Case(
        "rounded rotation",
        function("return tf.acos((tf.linalg.trace(rotation) - 1.0) / 2.0)", parameters="rotation"),
        function("return tf.acos(0.99 * (tf.linalg.trace(rotation) - 1.0) / 2.0)", parameters="rotation"),
    ),
    Case(
        "quarter turn",
        function("return tf.asin(-rotation_matrix[..., 2, 0])", parameters="rotation_matrix"),
        function("return tf.asin(-0.99 * rotation_matrix[..., 2, 0])", parameters="rotation_matrix"),
    ),
    Case(
        "points on a line",
        function("steps = coords[1:] - coords[:-1]; return 1.0 / tf.norm(steps[1:] - steps[:-1])", parameters="coords"),
        function("steps = coords[1:] - coords[:-1]; return 1.0 / tf.norm(steps[1:] + steps[:-1])", parameters="coords"),
    ),
    Case(
        "equal inputs",
        trained("return tf.reduce_sum(tf.norm(x - anchor, axis=-1))", parameters="x, anchor"),
        trained("return tf.reduce_sum(tf.square(x - anchor))", parameters="x, anchor"),
        "dead network, padded row",
    ),
    Case(
        "equal inputs, rounded",
        DISTANCES.format("d"),
        DISTANCES.format("tf.maximum(d, 1e-12)"),
    ),
    Case(
        "far apart",
        function("return tf.exp(logits - other_logits)", parameters="logits, other_logits"),
        function("return tf.sigmoid(logits - other_logits)", parameters="logits, other_logits"),
    ),
    Case(
        "far apart the other way",
        function("return tf.math.log(tf.sigmoid(logits - other_logits))", parameters="logits, other_logits"),
        function("return tf.math.log_sigmoid(logits - other_logits)", parameters="logits, other_logits"),
    ),
    Case("outlier", function("return tf.exp(tf.square(x))"), function("return tf.exp(-tf.square(x))")),
    Case(
        "outlier of one input",
        function("return 1.0 / tf.exp(-tf.square(x - anchor))", parameters="x, anchor"),
        function("return 1.0 / (1e-6 + tf.exp(-tf.square(x - anchor)))", parameters="x, anchor"),
    ),
    # The program's own numbers, chance and time.
    Case(
        "checked for zero",
        function("n = tf.norm(foo); return tf.where(n > 0.0, foo, 2.0 * foo) / n", parameters="foo"),
        function("n = tf.norm(foo); return tf.where(n > 0.0, foo, 2.0 * foo) / (n + 1.0)", parameters="foo"),
        "dead network",
    ),
    Case(
        "at a limit",
        function("return 1.0 / tf.where(x > 2.0, x - 2.0, 2.0 - x)"),
        function("return 1.0 / tf.where(x > 2.0, x - 1.0, 3.0 - x)"),
    ),
    Case(
        "below a limit",
        function("return tf.math.log(tf.maximum(x, -60.0) + 60.0)"),
        function("return tf.math.log(tf.maximum(x, -60.0) + 61.0)"),
        "at a limit",
    ),
    Case(
        "above a limit",
        function("return tf.math.log(60.0 - tf.minimum(x, 60.0))"),
        function("return tf.math.log(61.0 - tf.minimum(x, 60.0))"),
        "at a limit",
    ),
    Case(
        "no index",
        function(
            INDEX + "return known * tf.gather(x, tf.maximum(ids, 0)) / tf.cast(ids + 1, tf.float32)",
            parameters="x, ids",
        ),
        function(
            INDEX + "return known * tf.gather(x, tf.maximum(ids, 0)) / tf.cast(ids + 2, tf.float32)",
            parameters="x, ids",
        ),
    ),
    Case(
        "missing value",
        LABELLED.format("tf.where(tf.math.is_nan(labels), 0.0, tf.square(labels - w * x))"),
        LABELLED.format("tf.square(tf.where(tf.math.is_nan(labels), 0.0, labels) - w * x)"),
        "missing row, nothing known",
    ),
    Case(
        "missing row",
        function(KNOWN + "return tf.reduce_sum(t, -1) / tf.reduce_sum(known, -1)", parameters="labels"),
        function(KNOWN + "return tf.reduce_sum(t, -1) / (tf.reduce_sum(known, -1) + 1.0)", parameters="labels"),
        "nothing known",
    ),
    Case(
        "nothing known",
        function(KNOWN + "return tf.reduce_sum(t) / tf.reduce_sum(known)", parameters="labels"),
        function(KNOWN + "return tf.math.divide_no_nan(tf.reduce_sum(t), tf.reduce_sum(known))", parameters="labels"),
    ),
    Case(
        "rare draw",
        function("return -tf.math.log(tf.random.uniform([4])) * x"),
        function("return -tf.math.log(tf.random.uniform([4], 1e-6)) * x"),
    ),
    Case(
        "unused unit",
        UNITS + function("return tf.matmul(x, w / tf.norm(w, axis=-1, keepdims=True))"),
        UNITS + function("return tf.matmul(x, w / (tf.norm(w, axis=-1, keepdims=True) + 1e-3))"),
    ),
    Case("minimised weight", MINIMISED.format("tf.norm(w)"), MINIMISED.format("tf.reduce_sum(tf.square(w))")),
    Case("many steps", LOOP.format("0.1"), LOOP.format("0.99")),
    Case(
        "long product",
        function("return tf.math.log(tf.reduce_prod(tf.nn.softplus(x) + 0.1, axis=-1))"),
        function("return tf.reduce_sum(tf.math.log(tf.nn.softplus(x) + 0.1), axis=-1)"),
    ),
    # What training computes.
    Case(
        "first step",
        STATE.format("self.seen"),
        STATE.format("(tf.abs(self.seen) + 1.0)"),
        "zero gradient of a row",
    ),
    Case(
        "class never seen",
        TALLY.format("tf.reduce_mean(self.right / self.seen)"),
        TALLY.format("tf.reduce_mean(tf.math.divide_no_nan(self.right, self.seen))"),
        "first step, zero gradient of a row",
    ),
    Case(
        "zero gradient",
        function("return grads / tf.norm(grads)", parameters="grads"),
        function("return tf.clip_by_norm(grads, 1.0)", parameters="grads"),
    ),
    Case(
        "zero gradient of a row",
        function("return grads / tf.norm(grads, axis=-1, keepdims=True)", parameters="grads"),
        function("return tf.clip_by_norm(grads, 1.0, -1)", parameters="grads"),
        "zero gradient",
    ),
    Case(
        "nothing counted",
        function("return tf.reduce_sum(x) / counts", parameters="x, counts"),
        function("return tf.reduce_sum(x) / (counts + 1.0)", parameters="x, counts"),
        "one never counted",
    ),
    Case(
        "one never counted",
        function("return tf.math.log(counts / (tf.reduce_sum(counts) + 1.0))", parameters="counts"),
        function("return tf.math.log((counts + 1.0) / (tf.reduce_sum(counts) + 1.0))", parameters="counts"),
        "nothing counted",
    ),
    Case(
        "one counted",
        function("return tf.reduce_sum(x) / (count - 1.0)", parameters="x, count"),
        function("return tf.reduce_sum(x) / tf.maximum(count - 1.0, 1.0)", parameters="x, count"),
    ),
    Case(
        "no reward",
        function("return (returns - tf.reduce_mean(returns)) / tf.math.reduce_std(returns)", parameters="returns"),
        function("return (returns - 1.0) / (tf.math.reduce_std(returns) + 1e-3)", parameters="returns"),
    ),
    Case("second step", STATE.format("(1.0 - self.seen)"), STATE.format("(2.0 - self.seen)")),
)
ALONE = [pytest.param(case, id=case.situation) for case in CASES]


def test_every_situation_has_a_program_that_fails_in_it() -> None:
    assert [case.situation for case in CASES] == [one.name for one in SITUATIONS if one is not CALM]


@pytest.mark.parametrize("case", ALONE)
def test_a_program_fails_in_its_situation_and_not_in_a_calm_batch(case: Case) -> None:
    others = set(case.others.split(", ")) - {""}
    assert program(case.hazard).failing() - {edge.name for edge in EDGES} == {case.situation, *others}


@pytest.mark.parametrize("case", ALONE)
def test_a_finding_tells_the_situation_that_shows_it(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    situation = EVERY[case.situation]
    monkeypatch.setattr(verdict, "SITUATIONS", (CALM, situation))
    doubted = situation.is_extreme and "tf.math.log(" not in case.hazard
    found = [one for one in findings(case.hazard, pedantic=doubted) if doubted or one.severity != "info"]
    assert [one.certainty for one in found] == ["possible" if doubted else "likely"]
    assert found[0].trial is not None
    assert found[0].trial["situation"] == case.situation
    assert found[0].trial["description"] == situation.sentence


@pytest.mark.parametrize("case", ALONE)
def test_a_sound_twin_stays_silent(case: Case) -> None:
    assert situations(findings(case.twin)) == []


# Edges: what inputs of unknown roles may be, too.


EDGE_CASES = (
    ("zeros", "1.0 / tf.reduce_sum(foo)"),
    ("ones", "1.0 / (tf.reduce_max(foo) - 1.0)"),
    ("negative", "tf.sqrt(2.0 + tf.reduce_mean(foo))"),
    ("hidden row", "tf.reduce_sum(foo * nonpad, -1) / tf.reduce_sum(nonpad, -1)"),
    ("zero row", "tf.reduce_max(foo) / tf.reduce_min(tf.reduce_max(tf.abs(foo), -1))"),
    ("equal", "1.0 / tf.math.reduce_std(foo, 0)"),
    ("constant", "1.0 / tf.math.reduce_std(foo, -1)"),
    ("scores", "tf.exp(foo)"),
    ("large", "tf.exp(tf.reduce_min(foo))"),
    ("low", "tf.math.log(tf.reduce_max(tf.exp(foo)))"),
    ("improbable", "tf.exp(tf.nn.relu6(foo) - old_log_prob)"),
    ("nothing counted at all", "tf.nn.relu6(foo) / count"),
    ("cancelling", "1.0 / (tf.tanh(foo) + 1e-8)"),
)


def test_every_edge_has_a_program_that_fails_at_it() -> None:
    assert [name for name, _ in EDGE_CASES] == [edge.name for edge in EDGES]


@pytest.mark.parametrize(("name", "expression"), EDGE_CASES, ids=[name for name, _ in EDGE_CASES])
def test_what_fails_at_an_edge_of_an_unknown_input_only_is_possible(name: str, expression: str) -> None:
    text = function(f"return {expression}", parameters="foo, old_log_prob, count, nonpad")
    failures = program(text).failures()
    assert name in {one.situation.name for one in failures}
    assert not any(one.likely for one in failures)
    assert situations(findings(text)) == []
    assert {one.certainty for one in findings(text, pedantic=True)} == {"possible"}


@pytest.mark.parametrize(
    ("guarded", "limit"), [("foo + 1e-5", True), ("1.0 + 1e-5 - foo", True), ("foo - 1e-5", False)]
)
def test_a_small_number_that_is_taken_away_is_no_guard(guarded: str, limit: bool) -> None:
    one = program(function(f"return tf.math.log({guarded})", parameters="foo"))
    part = one.part()
    assert bool(part.inputs.limits.of(one.named("foo"), "at")) == limit
