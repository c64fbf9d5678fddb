"""Repairs laid out as the file lays out its code."""

from __future__ import annotations

import ast

import libcst as cst
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tfnanlint.fix.wrap import fitted, flat, style_of
from tfnanlint.source.source_file import SourceFile

FLAT = {
    "f(\n    a,\n    b,\n)": "f(a, b)",
    "f(a, b)": "f(a, b)",
    "(\n    1,\n)": "(1,)",
    "x[\n    0,\n]": "x[0,]",
    "f(\n    a\n).g(\n    b)": "f(a).g(b)",
    "a\n.b": "a.b",
    "a +\n    b": "a + b",
    "f(  a,b )": "f(  a,b )",
    'f("a (b,", c)': 'f("a (b,", c)',
}


@pytest.mark.parametrize(("text", "expected"), FLAT.items())
def test_an_expression_is_put_on_one_line(text: str, expected: str) -> None:
    assert flat(text) == expected
    assert ast.dump(ast.parse(f"({expected})")) == ast.dump(ast.parse(f"({text})"))


@pytest.mark.parametrize("text", ["f(  # why\n    a)", 'f("""a\nb""")', "f(a + \\\n  b)", "f(("])
def test_what_one_line_cannot_hold_stays_as_it_is(text: str) -> None:
    assert flat(text) is None


def source(line: str, *more: str) -> SourceFile:
    """A file of many lines, of which one is to be changed."""
    text = "\n".join([line, *more] * 40) + "\n"
    return SourceFile("a.py", text, cst.parse_module(text))


BLACK = ("value = function(", "    some_argument, another_argument, a_third_argument, and_a_fourth_one12", ")")
GOOGLE = ("value = function(", "    some_argument, another_argument, a_third_argument, and_a_fourth_one2)")
LONG = "tf.math.divide_no_nan(tf.reduce_sum(values * mask, axis=-1), tf.reduce_sum(mask, axis=-1, keepdims=True))"


def test_the_style_of_a_file_is_read_from_its_lines() -> None:
    black, google = style_of(source("x = old", *BLACK)), style_of(source("x = old", *GOOGLE))
    assert (black.limit, black.step, black.dangling) == (79, "    ", True)
    assert (google.limit, google.step, google.dangling) == (79, "    ", False)


def test_a_few_short_lines_say_nothing_of_how_long_lines_may_be() -> None:
    text = "x = old\n"
    assert fitted(SourceFile("a.py", text, cst.parse_module(text)), (1, 5, 1, 8), LONG) == LONG


def test_a_long_call_is_broken_at_its_brackets() -> None:
    assert fitted(source("x = old", *BLACK), (1, 5, 1, 8), LONG) == (
        "tf.math.divide_no_nan(\n"
        "    tf.reduce_sum(values * mask, axis=-1),\n"
        "    tf.reduce_sum(mask, axis=-1, keepdims=True),\n"
        ")"
    )


def test_a_closing_bracket_stands_where_the_file_puts_it() -> None:
    assert fitted(source("x = old", *GOOGLE), (1, 5, 1, 8), LONG) == (
        "tf.math.divide_no_nan(\n"
        "    tf.reduce_sum(values * mask, axis=-1),\n"
        "    tf.reduce_sum(mask, axis=-1, keepdims=True))"
    )


def test_what_fits_stays_on_one_line_and_a_comment_behind_it_does_not_count() -> None:
    file = source("x = old  # " + "why " * 30, *BLACK)
    assert fitted(file, (1, 5, 1, 8), "f(\n    a\n)") == "f(a)"


def test_a_file_without_a_limit_has_no_lines_broken_but_those_longer_than_any_of_its_own() -> None:
    file = source("x = old", "y = old" + " + one" * 50, *BLACK)
    assert fitted(file, (1, 5, 1, 8), f"{LONG} + {LONG}") == f"{LONG} + {LONG}"
    assert "\n" in fitted(file, (2, 5, 2, 8), LONG)


EXPRESSIONS = st.recursive(
    st.sampled_from(["alpha", "beta_gamma", "1e-12", "'a, b'", "x[0, 1]"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map(lambda parts: f"call({', '.join(parts)})"),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({', '.join(parts)})"),
        st.tuples(inner, inner).map(" * ".join),
        st.tuples(inner, inner).map(lambda pair: f"call({pair[0]}, axis={pair[1]})[{pair[0]}]"),
    ),
    max_leaves=20,
)


INDEXED = "ops.log(ops.maximum(probabilities, 1e-30)) + log_so_far_of_them[..., None]"


def test_an_expression_that_stands_alone_is_not_broken_at_an_index() -> None:
    assert fitted(source("result = old", *BLACK), (1, 10, 1, 13), INDEXED, "alone") == f"(\n    {INDEXED}\n)"
    assert fitted(source("result = old", *GOOGLE), (1, 10, 1, 13), INDEXED, "alone") == f"(\n    {INDEXED})"
    assert "(\n    ops.maximum" in fitted(source("result = old", *BLACK), (1, 10, 1, 13), INDEXED)


SUM = "labels * tf.math.log_sigmoid(logits) - (1.0 - labels) * tf.nn.softplus(logits) * weight"


def test_a_sum_in_brackets_is_broken_between_its_terms() -> None:
    first, second = "labels * tf.math.log_sigmoid(logits)", "- (1.0 - labels) * tf.nn.softplus(logits) * weight"
    assert fitted(source("loss = old", *BLACK), (1, 8, 1, 11), f"tf.reduce_mean({SUM})") == (
        f"tf.reduce_mean(\n    {first}\n    {second}\n)"
    )
    file = source("loss = f(", "    old", ")", *BLACK)
    assert fitted(file, (2, 5, 2, 8), SUM, "argument") == f"{first}\n    {second}"


PRODUCT = "tf.exp(tf.minimum(predictions[..., 2:4], 80.0)) * strides_of_levels / image_shape_of"


def test_a_product_is_broken_between_its_factors_where_brackets_close_on_a_line_of_their_own() -> None:
    first, *others = "tf.exp(tf.minimum(predictions[..., 2:4], 80.0))", "* strides_of_levels", "/ image_shape_of"
    whole = f"tf.expand_dims({PRODUCT}, axis=-2)"
    broken = "".join(f"\n    {factor}" for factor in (first, *others))
    assert fitted(source("boxes = old", *BLACK), (1, 9, 1, 12), whole) == f"tf.expand_dims({broken},\n    axis=-2,\n)"
    assert broken not in fitted(source("boxes = old", *GOOGLE), (1, 9, 1, 12), whole)


def test_a_comprehension_is_broken_before_its_loop() -> None:
    norm = "tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(gradient)), 1e-12))"
    file = source("norms = old", *BLACK)
    assert fitted(file, (1, 9, 1, 12), f"[{norm} for gradient in gradients]", "alone") == (
        f"[\n    {norm}\n    for gradient in gradients\n]"
    )


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(EXPRESSIONS, st.sampled_from([BLACK, GOOGLE]))
def test_laying_out_never_changes_what_an_expression_is(text: str, style: tuple[str, ...]) -> None:
    result = fitted(source("x = old", *style), (1, 5, 1, 8), text)
    assert ast.dump(ast.parse(f"({result})")) == ast.dump(ast.parse(f"({text})"))
    assert flat(result) == flat(text)
