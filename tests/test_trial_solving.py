"""Shapes that nobody states are solved: no operand is fitted afterwards, and forced failures are merely possible."""

from __future__ import annotations

import numpy as np
import pytest
from trial_programs import Program, function, program

from tfnanlint.flow import Node
from tfnanlint.trial import Failure
from tfnanlint.trial.inputs import Made
from tfnanlint.trial.shape_search import MOST_RUNS, solve
from tfnanlint.trial.shapes import LARGEST
from tfnanlint.trial.situations import CALM, Situation


def solved(one: Program) -> tuple[Program, Node, bool, bool]:
    """A program, its result, and whether the result is approximate before and after its shapes are solved."""
    (end,) = one.flow.kept
    part = one.part()
    with np.errstate(all="ignore"):
        part._settle_domain()
        assert part.ordinary is not None
        before = end in part.ordinary.approximate
        part._solve_shapes([end])
        part.ordinary = part.inputs.ordinary = None
        part._settle_domain()
        assert part.ordinary is not None
        return one, end, before, end in part.ordinary.approximate


MISMATCHES = {
    "a product with a stated matrix": ("tf.matmul(x, tf.ones([7, 2]))", "x"),
    "a bias of a stated length": ("2.0 * x + tf.ones([11])", "x"),
    "an index beyond the usual size": ("x[..., 40] + x[..., 41]", "x"),
    "rows that become matrices": ("tf.reshape(x, [-1, 3, 3]) + tf.eye(3)", "x"),
    "a concatenation of another rank": (
        "tf.concat([x, y], axis=1) + x[:, :1, :]",
        "x, y",
    ),
    "columns that are stacked": ("tf.stack([x, tf.reduce_sum(y, axis=2), z], axis=1)", "x, y, z"),
    "an image with as many channels as the filters": (
        "tf.nn.conv2d(x, tf.ones([3, 3, 5, 2]), 1, 'VALID')",
        "x",
    ),
}


@pytest.mark.parametrize(("expression", "parameters"), MISMATCHES.values(), ids=MISMATCHES)
def test_shapes_are_found_with_which_every_op_can_be_computed(expression: str, parameters: str) -> None:
    _, _, before, after = solved(program(function(f"return {expression}", parameters=parameters)))
    assert before
    assert not after


def test_a_stated_shape_stays() -> None:
    text = "def f():\n    x = tf.keras.Input((6,))\n    return tf.matmul(2.0 * x, tf.ones([7, 2]))\n"
    _, _, before, after = solved(program(text))
    assert before
    assert after


def test_what_no_shape_solves_ends_after_a_bounded_number_of_runs() -> None:
    one = program(function("return tf.zeros([2, 3]) + tf.zeros([4, 5]) + x"))
    part = one.part()
    runs = 0

    def run() -> object:
        nonlocal runs
        runs += 1
        return part.run(part.situations[0])

    with np.errstate(all="ignore"):
        solve(run, part.plan.shapes, lambda node, shape: True)  # type: ignore[arg-type]
    assert 0 < runs <= MOST_RUNS + 1


def test_no_shape_is_tried_whose_array_a_trial_does_not_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    one = program(
        function("return tf.reshape(x[..., 0], [-1]) * tf.reshape(y, [-1]) + x[0, 0, 0, 400]", parameters="x, y")
    )
    part = one.part()
    sizes: list[int] = []
    value = part.inputs.value

    def noted(node: Node, like: object, situation: Situation, made: Made) -> object:
        given = value(node, like, situation, made)
        sizes.append(np.size(given))
        return given

    monkeypatch.setattr(part.inputs, "value", noted)
    with np.errstate(all="ignore"):
        part._settle_domain()
        part._solve_shapes(list(one.flow.kept))
    assert len(sizes) > 20
    assert max(sizes) <= LARGEST


@pytest.mark.parametrize(("fitted", "likely"), [("z", False), ("x", True), ("", True)])
def test_a_failure_of_an_ordinary_batch_is_possible_only_if_what_decides_is_fitted(
    fitted: str, likely: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = program(function("return x / z", parameters="x, z"))
    (end,) = one.flow.kept
    part, run = one.part(), one.run()
    run.approximate.update([end] * bool(fitted), (node for node in end.operands if node.attrs.get("name") == fitted))
    failure = Failure(end, "value", CALM, True, bool(fitted), run)
    monkeypatch.setattr(part, "_try", lambda found: found.append(failure))
    assert [found.likely for found in part.failures()] == [likely]


def test_draws_of_numpy_have_their_size() -> None:
    one = program(function("noise = np.random.normal(size=(6, 2))", "return x + noise"))
    assert one.run().values[one.last("random_normal")].shape == (6, 2)
