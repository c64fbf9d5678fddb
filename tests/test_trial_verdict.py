"""What a trial makes of a failure: an error, a warning or a possibility, or nothing because nobody sees it."""

from __future__ import annotations

import numpy as np
import pytest
from trial_programs import findings, function, program, trained

from tfnanlint.trial import chance
from tfnanlint.trial.part_trial import Part
from tfnanlint.trial.situations import CALM, SITUATIONS


def verdicts(text: str, pedantic: bool = False) -> list[tuple[str, str]]:
    """The severity and the certainty of each finding that a run shows."""
    return [(one.severity, one.certainty) for one in findings(text, pedantic) if one.trial is not None]


def of(expression: str, parameters: str = "x") -> str:
    return function(f"return {expression}", parameters=parameters)


# How certain.


def test_what_fails_whatever_the_numbers_are_is_certain_and_fails_in_a_calm_batch() -> None:
    text = of("tf.math.log(-1.0 - tf.square(x))")
    assert verdicts(text) == [("error", "certain")]
    assert program(text).failing() == {CALM.name}


def test_what_fails_in_a_calm_batch_by_its_numbers_is_likely() -> None:
    text = of("tf.math.log(tf.nn.relu(x))")
    assert CALM.name in program(text).failing()
    assert verdicts(text) == [("error", "likely")]


def test_what_fails_in_an_ordinary_situation_only_is_likely() -> None:
    text = of("tf.math.log(tf.nn.softmax(logits))", "logits")
    assert CALM.name not in program(text).failing()
    assert verdicts(text) == [("error", "likely")]


def test_what_fails_only_where_published_programs_seldom_get_is_a_warning() -> None:
    empty = "x / tf.reduce_sum(mask)"
    assert verdicts(of(empty, "x, mask")) == [("warning", "likely")]
    assert verdicts(of(f"{empty} + tf.reduce_sum(tf.math.log(tf.nn.softmax(logits)))", "x, mask, logits")) == [
        ("warning", "likely"),
        ("error", "likely"),
    ]


def test_what_fails_at_an_edge_of_an_unknown_input_only_is_shown_when_it_is_asked_for() -> None:
    text = of("1.0 / tf.abs(foo - 1.0)", "foo")
    assert verdicts(text) == []
    assert verdicts(text, pedantic=True) == [("info", "possible")]


def test_of_several_failures_the_one_that_says_most_is_told() -> None:
    failures = program(of("x / (tf.reduce_sum(mask) - 12.0)", "x, mask")).failures()
    likely = {one.situation.name for one in failures if one.likely}
    (found,) = [one for one in findings(of("x / (tf.reduce_sum(mask) - 12.0)", "x, mask")) if one.trial is not None]
    assert found.trial is not None
    assert found.trial["situation"] in likely == {"full mask"}


# By chance.


CHANCE = {
    "1.0 / tf.abs(x)": False,
    "tf.math.lgamma(x)": False,
    "tf.math.log(x)": False,
    "tf.math.log(tf.square(x - 3.0))": False,
    "1.0 / tf.abs(x[0] - x[1])": False,
    "1.0 / tf.expand_dims(x, 0)": False,
    "1.0 / tf.nn.relu(x)": True,
    "1.0 / tf.reduce_max(x)": True,
    "1.0 / tf.norm(x, axis=-1)": True,
    "x / tf.reduce_sum(mask)": True,
    "1.0 / tf.reduce_sum(tf.abs(x - anchor))": True,
    "1.0 / tf.abs(gradients)": True,
    "1.0 / tf.round(tf.nn.sigmoid(x))": True,
}


@pytest.mark.parametrize(("expression", "expected"), CHANCE.items(), ids=list(CHANCE))
def test_that_one_element_of_a_parameter_is_special_is_chance_and_that_a_row_is_zero_is_not(
    expression: str, expected: bool
) -> None:
    found = verdicts(of(expression, "x, mask, anchor, gradients"))
    assert bool(found) == expected


def test_an_op_that_is_pointwise_makes_no_special_number_of_ordinary_ones() -> None:
    assert chance.POINTWISE.isdisjoint("relu round floor sign reduce_sum softmax maximum where one_hot".split())


RUNNING_MEAN = """\
class Mean(tf.Module):
    def __init__(self):
        super().__init__()
        self.total = tf.Variable(0.0, trainable=False)
        self.count = tf.Variable(0.0, trainable=False)

    def add(self, y_true, y_pred, mask):
        self.total.assign_add(tf.reduce_sum(tf.abs(y_true - y_pred)))
        {counted}

    def mean(self):
        return self.total / self.count
"""
COUNTED = {
    "self.count.assign_add(1.0)": False,
    "self.count.assign_add(tf.cast(tf.size(y_true), tf.float32))": False,
    "self.count.assign_add(tf.cast(tf.shape(y_true)[0], tf.float32))": False,
    "self.count.assign_add(tf.reduce_sum(mask))": True,
    "self.count.assign_add(tf.cast(tf.size(tf.boolean_mask(y_true, mask > 0.0)), tf.float32))": True,
    "pass": True,
}


@pytest.mark.parametrize(("counted", "expected"), COUNTED.items(), ids=list(COUNTED))
def test_a_count_that_another_method_raises_is_0_only_if_what_it_counts_may_be(counted: str, expected: bool) -> None:
    found = verdicts("import tensorflow as tf\n\n\n" + RUNNING_MEAN.format(counted=counted))
    assert bool(found) == expected


def test_a_count_that_the_same_method_raises_later_is_0_in_its_first_step() -> None:
    lines = "class Rate(tf.Module):", "    def __init__(self):", "        self.steps = tf.Variable(tf.zeros([]))", ""
    step = (
        "    def step(self, x):",
        "        y = x / self.steps",
        "        self.steps.assign_add(1.0)",
        "        return y",
    )
    assert verdicts("import tensorflow as tf\n\n\n" + "\n".join((*lines, *step)) + "\n") == [("warning", "likely")]


SIZES = {
    "x / tf.cast(tf.shape(x)[-1] // heads - tokens, tf.float32)": False,
    "1.0 / float(x.shape[-1] // heads)": False,
    "x / tf.cast(tf.size(tf.boolean_mask(x, mask)), tf.float32)": True,
    "tf.reduce_sum(x) / tf.boolean_mask(x, mask).shape[0]": True,
    "x * (1.0 / (2 * tf.boolean_mask(x, mask).shape[0]))": False,  # Python raises an error
    "x / (tf.reduce_sum(mask) / tf.cast(tf.shape(x)[0], tf.float32))": True,
}


@pytest.mark.parametrize(("expression", "expected"), SIZES.items(), ids=list(SIZES))
def test_the_sizes_of_inputs_are_made_up_and_those_of_a_selection_are_not(expression: str, expected: bool) -> None:
    assert bool(verdicts(of(expression, "x, mask, heads=12, tokens=3"))) == expected


@pytest.mark.parametrize("bound", ["1.0 - tf.reduce_sum(tf.square(x), -1)", "1.0 - tf.square(tf.norm(x, axis=-1))"])
def test_a_vector_may_be_shorter_than_1_where_the_program_relies_on_it(bound: str) -> None:
    assert verdicts(of(f"tf.sqrt({bound})")) == []
    assert verdicts(of(f"tf.sqrt({bound} - 2.0)")) == [("error", "certain")]


def test_two_layers_give_no_equal_numbers_and_a_layer_may_give_those_of_its_label() -> None:
    made = "first, second = tf.keras.layers.Dense(3), tf.keras.layers.Dense(3)"
    loss = "tf.reduce_mean(tf.norm({0} - {1}, axis=-1))"
    text = "import tensorflow as tf\n\n{made}\n\n\ndef step(x, label):\n    with tf.GradientTape() as tape:\n"
    text += "        loss = {loss}\n    return tape.gradient(loss, first.trainable_variables)\n"
    assert verdicts(text.format(made=made, loss=loss.format("first(x)", "second(x)"))) == []
    assert verdicts(text.format(made=made, loss=loss.format("first(x)", "first(second(x))"))) == []
    assert verdicts(text.format(made=made, loss=loss.format("first(x)", "first(label)"))) == [("error", "likely")]
    assert verdicts(text.format(made=made, loss=loss.format("first(x)", "label"))) == [("error", "likely")]


def test_a_number_below_a_limit_stays_within_the_bounds_of_its_role() -> None:
    assert verdicts(of("tf.where(scales < 1.0, 1.0 / scales, scales)", "scales")) == []
    assert verdicts(of("tf.where(scales < 1.0, 1.0 / (scales - 0.5), scales)", "scales")) == [("error", "likely")]


DOMAINS = (
    *("tf.sqrt(x)", "tf.pow(x, 0.5)", "tf.acosh(x)", "tf.acos(x)", "tf.asin(x)", "tf.atanh(x)", "tf.math.erfinv(x)"),
    *("tf.math.log(1.0 - x)", "tf.math.log1p(-x)", "tf.sqrt(1.0 - x * x)", "tf.math.log(x) + tf.math.log(1.0 - x)"),
    *("tf.sqrt(x - 1.0)", "tf.math.ndtri(x)"),
)


@pytest.mark.parametrize("expression", DOMAINS)
def test_who_takes_a_function_of_a_bare_parameter_knows_where_it_is_defined(expression: str) -> None:
    assert verdicts(of(expression)) == []


def test_an_outlier_is_no_number_outside_of_where_a_function_is_defined_and_any_number_elsewhere() -> None:
    assert program(of("tf.acos(x)")).failing() == set()
    assert program(of("tf.sqrt(x) + tf.exp(tf.square(x))")).failing("exp") == {"outlier"}


# Who sees it.


UNSEEN = {
    "chosen away": "tf.where(tf.reduce_sum(mask) > 0.0, x / tf.reduce_sum(mask), 0.0)",
    "chosen away once it is there": "finite(x / tf.reduce_sum(mask))",
    "multiplied out": "tf.math.multiply_no_nan(x / tf.reduce_sum(mask), mask)",
    "divided away": "1.0 / (1.0 + tf.exp(tf.abs(tf.math.log(tf.reduce_sum(mask)))))",
    "clipped": "tf.maximum(tf.math.log(tf.reduce_sum(mask)), -5.0)",
    "exponentiated": "tf.exp(tf.math.log(tf.reduce_sum(mask)))",
    "counted": "tf.argmax(tf.math.log(mask + 0.0), -1)",
    "thrown away": "dropped(tf.math.log(tf.reduce_sum(mask)), x)",
}
HELPERS = """\
def finite(y):
    return tf.where(tf.math.is_finite(y), y, 0.0)


def dropped(unused, x):
    return x


"""


@pytest.mark.parametrize("expression", UNSEEN.values(), ids=list(UNSEEN))
def test_what_is_not_finite_and_ends_on_the_way_is_not_reported(expression: str) -> None:
    assert verdicts(HELPERS + of(expression, "x, mask")) == []


SEEN = {
    "returned": "return x / tf.reduce_sum(mask)",
    "multiplied with 0": "return 0.0 * (x / tf.reduce_sum(mask))",
    "not multiplied out": "return mask * (x / tf.reduce_sum(mask))",
    "chosen by another condition": "return tf.where(x > 0.0, x / tf.reduce_sum(mask), 0.0)",
    "printed": "print(x / tf.reduce_sum(mask))",
    "handed to a stranger": "elsewhere(x / tf.reduce_sum(mask))",
    "stored": "model.loss = x / tf.reduce_sum(mask)",
    "differentiated no further": "return tf.stop_gradient(x / tf.reduce_sum(mask))",
}


@pytest.mark.parametrize("line", SEEN.values(), ids=list(SEEN))
def test_what_reaches_someone_is_reported(line: str) -> None:
    assert verdicts(function(line, parameters="x, mask, model")) == [("warning", "likely")]


CONDITIONS = {
    "if tf.reduce_sum(mask) > 0.0:": 0,
    "if tf.reduce_sum(mask) >= 0.0:": 1,
    "if tf.reduce_sum(mask) == 0.0:": 1,
    "if flag:": 1,
}


@pytest.mark.parametrize(("condition", "count"), CONDITIONS.items(), ids=list(CONDITIONS))
def test_what_a_branch_keeps_from_being_computed_is_not_reported(condition: str, count: int) -> None:
    text = function(condition, "    return x / tf.reduce_sum(mask)", "return x", parameters="x, mask, flag")
    assert len(verdicts(text)) == count


@pytest.mark.parametrize("asked", ["assert total > 0.0", "tf.debugging.assert_positive(total)"])
def test_what_is_asserted_holds(asked: str) -> None:
    lines = ("total = tf.reduce_sum(mask)", "{}", "return x / total")
    assert verdicts(function(*(line.format(asked) for line in lines), parameters="x, mask")) == []
    assert verdicts(function(lines[0], lines[2], parameters="x, mask")) == [("warning", "likely")]


# Gradients.


GRADIENTS = {
    "tf.where(x > 0.0, tf.math.log(x), 0.0)": True,
    "tf.where(x > 0.0, tf.math.log(tf.where(x > 0.0, x, 1.0)), 0.0)": False,
    "tf.where(x > 0.0, x ** 0.5, 0.0)": True,
    "tf.where(x > 0.0, tf.pow(x, -0.5), 0.0)": True,
    "tf.norm(x)": True,
    "tf.norm(x + 0.0, axis=-1)": True,
    "tf.sqrt(tf.reduce_sum(tf.square(x)) + 1e-6)": False,
    "tf.sqrt(tf.reduce_sum(tf.square(x)))": True,
    "tf.reduce_sum(tf.square(x))": False,
    "tf.reduce_sum(x) + tf.norm(tf.stop_gradient(x))": False,
    "tf.math.reduce_std(x)": True,
}


@pytest.mark.parametrize(("loss", "expected"), GRADIENTS.items(), ids=list(GRADIENTS))
def test_a_gradient_that_is_not_finite_is_reported_though_the_value_is(loss: str, expected: bool) -> None:
    text = trained(f"return tf.reduce_sum({loss})")
    assert verdicts(function(f"return tf.reduce_sum({loss})")) == []
    assert verdicts(text) == [("error", "likely")] * expected
    assert program(text).failing(kinds=["value"]) == set()


STEP = """\
model = tf.keras.Sequential([tf.keras.layers.Dense(3)])


def step(x, labels):
    with tf.GradientTape() as tape:
        prediction = model(x)
        loss = tf.reduce_sum(prediction) + {}
    return tape.gradient(loss, {})
"""
WEIGHTS = "model.trainable_variables"


@pytest.mark.parametrize(
    ("term", "sources", "expected"),
    [
        ("tf.norm(prediction - labels)", WEIGHTS, True),
        ("tf.norm(labels)", WEIGHTS, False),
        ("tf.norm(x)", WEIGHTS, False),
        ("tf.norm(x)", "x", True),
        ("tf.norm(tf.stop_gradient(prediction) - labels)", WEIGHTS, False),
    ],
)
def test_a_gradient_is_reported_where_it_reaches_what_is_trained(term: str, sources: str, expected: bool) -> None:
    assert bool(verdicts(STEP.format(term, sources))) == expected


def test_a_sum_that_begins_at_zero_has_no_epsilon() -> None:
    """`0.0 + norm` is the norm: it is told where the norm stands, once, with its fix."""
    text = trained("total = 0.0", "total += tf.norm(x)", "return total")
    (found,) = findings(text)
    assert (found.rule, found.column) == ("norm-at-zero", len("    total += ") + 1)
    assert found.fix is not None


def test_a_gradient_that_nobody_takes_is_none() -> None:
    assert program(function("return tf.norm(x)")).failing(kinds=["gradient"]) == set()


# Modes.


def test_what_only_xla_breaks_says_so_and_is_a_warning_where_code_is_traced() -> None:
    eager = trained("return tf.reduce_sum(tf.where(x > 0.0, tf.sqrt(x), 0.0))")
    assert not program(eager).failures()
    assert not findings(eager)
    text = eager.replace("def train", "@tf.function\ndef train")
    assert {one.compiled_only for one in program(text).failures()} == {True}
    (found,) = findings(text)
    assert (found.severity, found.certainty) == ("warning", "likely")
    assert "XLA" in found.message


@pytest.mark.parametrize("masked", ["tf.math.log(x)", "x ** 0.5", "1.0 / x"])
def test_what_breaks_eagerly_says_nothing_of_xla(masked: str) -> None:
    text = trained(f"return tf.reduce_sum(tf.where(x > 0.0, {masked}, 0.0))")
    assert {one.compiled_only for one in program(text).failures()} == {False}
    (found,) = findings(text)
    assert (found.severity, "XLA" in found.message) == ("error", False)


# Precision.


@pytest.mark.parametrize(
    ("dtype", "expected"), [("float16", True), ("bfloat16", True), ("float32", True), ("float64", False)]
)
def test_a_run_is_in_the_type_of_the_tensor(dtype: str, expected: bool) -> None:
    text = of(f"tf.math.log(tf.reduce_max(tf.sigmoid(tf.cast(logits, tf.{dtype}))))", "logits")
    assert bool(program(text).failing("log")) == expected


def test_what_is_less_than_a_normal_number_is_0() -> None:
    assert program(of("1.0 / (tf.abs(x) * 0.0 + 2e-39)")).failing("divide")
    assert not program(of("1.0 / (tf.abs(x) * 0.0 + 2e-38)")).failing("divide")


# Where it fails.


MASKED = """\
w = tf.Variable(tf.ones([3]))
labels = load_labels()
with tf.GradientTape() as tape:
    {}
    loss = tf.reduce_sum(tf.where(tf.math.is_nan(labels), 0.0, error))
g = tape.gradient(loss, w)
"""


def test_the_trail_leads_to_the_op_whose_gradient_a_missing_value_breaks() -> None:
    (found,) = findings(MASKED.format("error = tf.abs(labels - w * x)"))
    assert found.rule == "missing-label-too-late"
    assert [step.line for step in found.trail if "in the run" in step.note] == [found.line - 1]
    assert not findings(MASKED.format("error = tf.abs(tf.where(tf.math.is_nan(labels), 0.0, labels) - w * x)"))


def test_an_input_outside_a_part_changes_none_of_its_runs() -> None:
    text = "def {0}({1}):\n    return tf.exp({1})\n\n\n"
    whole = program(text.format("f", "logits") + text.format("g", "scores"))
    inside = [node for node in whole.flow if whole.named("logits") in (node, *node.operands)]
    part = Part(whole.facts, inside, candidates=inside, held={})
    with np.errstate(all="ignore"):
        part._settle_domain()
        part.inputs.role(whole.named("scores"))  # as where a gradient reaches further than the part
        for situation in SITUATIONS:
            assert part.run(situation).values.keys() <= set(inside)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("def scaled(image, other):\n    return image / tf.reduce_max(image * other)\n", False),
        ("def scaled(image):\n    return image / tf.reduce_max(image)\n", True),
        ("def scaled_loss(image, other):\n    return image / tf.reduce_max(image * other)\n", True),
        ("def scaled(scores, other):\n    return other * tf.math.log(1.0 - tf.sigmoid(scores))\n", True),
        ("def mean(losses, mask):\n    return tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)\n", True),
    ],
    ids=["names beside numbers that are made up", "a name", "a loss", "told by its use", "a mask"],
)
def test_names_beside_numbers_that_are_made_up_are_no_evidence_unless_a_loss_shows_it(
    text: str, reported: bool
) -> None:
    assert bool(findings(text)) == reported


HEADS = "def loss(x):\n    z = tf.keras.layers.Dense(4)(x)\n    return tf.reduce_sum({})\n"


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("tf.exp(z)", []),
        ("x / tf.exp(z)", []),
        ("tf.math.log(tf.nn.softmax(z))", ["log-softmax"]),
        ("tf.math.log(tf.map_fn(tf.nn.softmax, z))", ["log-reaches-zero"]),
        ("tf.math.log(1.0 - tf.reduce_max(tf.nn.softmax(z), -1))", ["log-reaches-zero"]),
    ],
    ids=["an exponential", "a divisor", "an exact repair", "a logarithm", "scores that training reaches"],
)
def test_scores_that_training_hardly_reaches_are_evidence_only_for_an_exact_repair(line: str, rules: list[str]) -> None:
    assert [one.rule for one in findings(HEADS.format(line))] == rules
    assert findings(HEADS.format(line), pedantic=True)


@pytest.mark.parametrize(
    "expression",
    [
        "tf.sqrt(tf.square(p)[..., 0] - tf.reduce_sum(tf.square(p)[..., 1:], axis=-1))",  # a mass of a momentum
        "-tf.math.log(tf.math.reciprocal(p * (0.9 / 32.0) + 0.05) - 1.0)",  # the logit of a pixel
    ],
)
def test_made_up_numbers_outside_a_domain_show_only_what_is_possible(expression: str) -> None:
    text = function(f"return {expression}", parameters="p")
    assert findings(text) == []
    assert {one.certainty for one in findings(text, pedantic=True)} == {"possible"}


def test_numbers_of_a_known_range_outside_a_domain_are_evidence() -> None:
    found = findings(function("return tf.math.log(tf.tanh(p))", parameters="p"))
    assert [(one.rule, one.certainty) for one in found] == [("log-below-zero", "likely")]
