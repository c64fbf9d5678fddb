"""What becomes of the value or the gradient of a finding, as the page of a report tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from samples import FOUND, shown

from tfnanlint import lint_source
from tfnanlint.finding import Finding, Value
from tfnanlint.report.outcome import Outcome
from tfnanlint.report.picture import picture

RUNS = {
    "norm(x) = 0, x / 0 = nan": ("NaN", False),
    "softmax(x) = 0, log(0) = -inf": ("-inf", False),
    "grads = [0, 0, ...]: the gradient of norm([0, 0, ...]) is nan": ("NaN", True),
    "sqrt(0) = 0, the gradient of sqrt(0) is inf": ("inf", True),
}
MESSAGES = {
    "a softmax over a row that is fully masked with -inf is NaN": ("NaN", False),
    "a masked mean is 0/0 = NaN when the mask selects no element": ("NaN", False),
    "the gradient of `sqrt` at 0 is infinite": ("inf", True),
    "an epsilon below 3e-8 is 0 in float16": ("", False),
}
MASKED = (
    "import numpy as np\nimport tensorflow as tf\n\n\ndef attend(q, k, mask):\n"
    "    s = tf.where(mask, tf.matmul(q, k), -np.inf)\n    return tf.nn.softmax(s)\n"
)


@pytest.mark.parametrize("run", RUNS)
def test_the_numbers_of_a_run_tell_what_a_value_becomes(run: str) -> None:
    trial = {"situation": "s", "description": "d", "run": run}
    assert Outcome.of(replace(FOUND, trial=trial)) == RUNS[run]


@pytest.mark.parametrize("message", MESSAGES)
def test_without_a_run_the_message_tells_what_a_value_becomes(message: str) -> None:
    assert Outcome.of(replace(FOUND, trial=None, message=message)) == MESSAGES[message]


def failing(found: Finding) -> Iterator[Value]:
    yield from (value for value in found.slice if value.role == "hazard")


def test_the_picture_says_what_becomes_of_the_op_that_fails_and_where_constants_are() -> None:
    (found,) = lint_source(MASKED, "a.py")
    assert found.rule == "masked-row"
    drawn = picture(found.slice, lambda value: "", fails=str(Outcome.of(found)))
    assert drawn.count("→ NaN") == len(list(failing(found))) == 1
    (infinity,) = (value for value in found.slice if value.op == "-inf")
    assert infinity.bounds == (-float("inf"), -float("inf"))


def test_a_finding_of_the_page_opens_with_what_happens_and_when() -> None:
    code = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x))\n"
    (found,) = lint_source(code, "loss.py")
    page = shown("html", found, code=code)
    consequence = "The value becomes -inf in this situation: a confident network: one score far above the others."
    assert page.index(consequence) < page.index('<pre class="code">')


def test_a_place_in_a_notebook_is_told_in_words() -> None:
    page = shown("html", replace(FOUND, cell=3, line=3, column=12, node=None))
    assert ">cell 3, line 3</a>" in page
    assert "cell 3:3" not in page


def test_the_summary_stands_before_the_list_of_rules() -> None:
    page = shown("html", FOUND)
    assert page.index('class="opening"') < page.index("<nav>") < page.index("<main>")
