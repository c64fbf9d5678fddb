"""Which way a run goes, and what a program says of its inputs itself: limits, pairs, branches, chance, loops, lists."""

from __future__ import annotations

import pytest
from trial_programs import function, program, trained

# Limits: the program's own comparisons.


LIMITS = {
    "tf.where(x < 80.0, 1.0 / (x - 80.0), 0.0)": set(),
    "tf.where(x <= 80.0, 1.0 / (x - 80.0), 0.0)": {"at a limit"},
    "tf.where(x - 80.0 <= 0.0, 1.0 / (x - 80.0), 0.0)": {"at a limit"},
    "tf.where(2.0 * x >= 160.0, 1.0 / (x - 80.0), 0.0)": {"at a limit"},
    "tf.where(80.0 >= x, 1.0 / (x - 80.0), 0.0)": {"at a limit"},
    "tf.where(-x > 80.0, tf.math.log(x + 140.0), 0.0)": {"below a limit"},
    "tf.where(x > 80.0, tf.math.log(140.0 - x), 0.0)": {"above a limit"},
    "tf.where(tf.reduce_sum(x) > 80.0, 1.0 / (x - 80.0), 0.0)": set(),
}


@pytest.mark.parametrize(("expression", "expected"), LIMITS.items(), ids=list(LIMITS))
def test_an_input_lies_at_and_on_both_sides_of_what_it_is_compared_with(expression: str, expected: set[str]) -> None:
    assert program(function(f"return {expression}")).failing() == expected


def test_a_small_number_that_is_added_tells_that_a_value_may_be_zero_and_not_that_it_is_negative() -> None:
    guarded = program(function("return tf.math.log(x + 1e-30)", parameters="foo, x"))
    assert guarded.failing() == set()
    absorbed = program(function("return tf.math.log(x + 1e-46)", parameters="x"))
    assert "at a limit" in absorbed.failing(), "the number is 0 in float32"


def test_a_probability_stays_one_at_the_numbers_it_is_compared_with() -> None:
    text = function("return tf.where(probs < 2.0, tf.math.log(2.0 - probs), 0.0)", parameters="probs")
    assert program(text).failing() == set()


# Inputs that are subtracted from each other.


def test_a_prediction_equals_its_label_where_one_is_subtracted_from_the_other() -> None:
    text = function("return tf.math.log(tf.abs(tf.sin(y_pred) - labels))", parameters="y_pred, labels")
    assert "perfect prediction" not in program(text).failing(), "the sine of it is another number"
    text = function("return 1.0 / tf.norm(tf.math.log(y_pred) - tf.math.log(labels))", parameters="y_pred, labels")
    assert "perfect prediction" in program(text).failing("divide")


def test_two_inputs_that_are_equal_break_a_gradient_and_not_what_is_divided_by_their_difference() -> None:
    gradient = trained("return tf.reduce_sum(tf.norm(x - z, axis=-1))", parameters="x, z")
    likely = {f.situation.name for f in program(gradient).failures() if f.likely}
    assert "equal inputs" in likely
    quotient = function("return 1.0 / tf.reduce_sum(tf.abs(foo - bar))", parameters="foo, bar")
    likely = {f.situation.name for f in program(quotient).failures() if f.likely}
    assert "equal inputs" not in likely, "who divides by a difference takes it to be other than 0"


@pytest.mark.parametrize("situation", ["outlier", "equal elements", "equal rows", "constant rows"])
def test_two_inputs_that_are_special_in_one_way_are_not_equal_by_that(situation: str) -> None:
    text = function("return 1.0 / tf.reduce_min(tf.norm(x - z, axis=-1))", parameters="x, z")
    assert situation not in program(text).failing()


@pytest.mark.parametrize("situation", ["equal elements", "constant rows"])
def test_the_mean_of_equal_numbers_is_exactly_theirs(situation: str) -> None:
    varying = function("return 1.0 / tf.math.reduce_std(image, -1)", parameters="x, image")
    assert situation in program(varying).failing()


# Which way a run goes.


BRANCH = """\
def f(x, mode):
    if {}:
        y = tf.abs(x)
    else:
        y = tf.square(x) + 1.0
    return {}
"""


@pytest.mark.parametrize("quotient", ["1.0 / tf.reduce_max(y)", "1.0 / (tf.reduce_max(y) - 1.0)"])
def test_where_nothing_says_which_way_an_if_goes_both_branches_are_tried(quotient: str) -> None:
    assert "dead network" in program(BRANCH.format("mode", quotient)).failing("divide")


def test_the_second_branch_is_told() -> None:
    told = program(BRANCH.format("mode", "1.0 / (tf.reduce_max(y) - 1.0)")).failures()
    assert {one.situation.sentence.partition(", ")[2] for one in told} == {"in another branch of an `if`"}


def test_a_condition_that_the_run_knows_goes_one_way() -> None:
    known = BRANCH.format("tf.reduce_max(tf.abs(x)) > 0.0", "1.0 / tf.reduce_max(y)")
    assert program(known).failing() == set()


def test_a_flag_goes_as_its_default_says_and_is_switched_on_as_well() -> None:
    text = BRANCH.replace("mode", "mode={}")
    assert program(text.format(True, "mode", "1.0 / tf.reduce_max(y)")).failing("divide") >= {"dead network"}
    switched = [f for f in program(text.format(False, "mode", "1.0 / tf.reduce_max(y)")).failures() if f.likely]
    assert {f.situation.flags for f in switched} == {frozenset({"mode"})}
    assert all(f.situation.sentence.endswith(", with mode=True") for f in switched)


def test_a_flag_that_guards_is_not_switched_off_by_itself() -> None:
    text = BRANCH.replace("mode", "mode={}")
    assert program(text.format(True, "not mode", "1.0 / tf.reduce_max(y)")).failing() == set()


@pytest.mark.parametrize(("given", "absent"), [("x * weights", "x"), ("x", "x * tf.reduce_sum(x)")])
def test_an_argument_whose_default_is_none_is_tried_with_a_value_and_without(given: str, absent: str) -> None:
    text = (
        "def f(x, weights=None):\n"
        f"    y = {given} if weights is not None else {absent}\n"
        "    return tf.reduce_sum(x) / tf.reduce_sum(tf.abs(y - x))\n"
    )
    assert program(text).failing("divide")


# Chance.


DRAWS = {
    "tf.math.log(tf.random.uniform([4]))": {"rare draw"},
    "tf.math.log(tf.random.uniform([4], 0.0, 1.0, tf.float64))": set(),
    "tf.math.log(tf.random.uniform([4], 1e-6, 1.0))": set(),
    "tf.math.log(1.0 - tf.random.uniform([4]))": set(),
    "tf.math.log(tf.random.uniform([4]) + 1e-7)": set(),
    "1.0 / tf.random.normal([4])": set(),
}


@pytest.mark.parametrize(("drawn", "expected"), DRAWS.items(), ids=list(DRAWS))
def test_a_uniform_number_is_0_now_and_then_in_float32(drawn: str, expected: set[str]) -> None:
    assert program(function(f"return x * {drawn}")).failing() == expected


# Time.


LOOPS = {
    "scale = scale * 0.1": {"many steps"},
    "scale = scale * 0.99": set(),
    "scale = scale + 1.0": set(),
    "scale = tf.square(scale) * 0.9": {"many steps"},
}


@pytest.mark.parametrize(("step", "expected"), LOOPS.items(), ids=list(LOOPS))
def test_a_loop_is_run_a_hundred_times(step: str, expected: set[str]) -> None:
    text = f"def f(x):\n    scale = tf.constant(1.0)\n    for _ in data:\n        {step}\n    return x / scale\n"
    assert program(text).failing() == expected


def test_what_fails_in_the_second_turn_only_is_seen() -> None:
    text = (
        "def f(x):\n"
        "    turn, total = 0.0, x * 0.0\n"
        "    for _ in data:\n"
        "        total += x / (1.0 - turn)\n"
        "        turn += 1.0\n"
        "    return total\n"
    )
    assert "calm" in program(text).failing("divide")


# Inputs that come as one.


def test_the_elements_of_a_list_that_is_handed_in_are_inputs_of_their_own() -> None:
    text = (
        "class Masked(tf.keras.layers.Layer):\n"
        "    def call(self, inputs):\n"
        "        data, mask = inputs\n"
        "        return tf.reduce_sum(data * mask, 1) / tf.reduce_sum(mask, 1)\n"
    )
    given = program(text)
    assert (given.role("data").name, given.role("mask").name) == ("features", "mask of padding")
    assert given.failing("divide") == {"hidden row"}
