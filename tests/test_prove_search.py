"""What the search of `--prove` makes of programs that fail at some inputs, at some sizes, or always."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_prove import proofs

import tfnanlint
from tfnanlint.graph.search import Search, _refused


def test_an_exception_of_tensorflow_ends_its_own_trial_alone() -> None:
    import tensorflow as tf

    def picky(x: Any, place: Any) -> Any:
        return tf.math.log(tf.nn.relu(50.0 - x) * tf.gather([1.0, 2.0], tf.cast(tf.abs(place), tf.int32)))

    (found,) = proofs(picky, "float32[2]", "float32[]")
    assert (found[0], found[2].status) == ("log-reaches-zero", "proved")
    x, place = found[2].values
    assert x.max() >= 50.0
    assert abs(place) < 2.0


def test_whole_numbers_are_those_that_the_program_takes() -> None:
    import tensorflow as tf

    table = tf.Variable(tf.reshape(tf.range(12.0), (4, 3)) - 9.0)

    def looked_up(ids: Any) -> Any:
        return tf.math.log(tf.nn.relu(tf.gather(table, ids)))

    (found,) = proofs(looked_up, "int32[None]")
    assert found[2].status == "proved"
    assert (found[2].values[0] < 4).all()
    guarded = proofs(
        lambda ids: tf.math.log(tf.nn.relu(tf.gather(table, ids)) + 0.5 * tf.cast(ids, tf.float32) + 1.0),
        "int32[None]",
        pedantic=False,
    )
    assert guarded == []


def test_an_index_of_several_parts_is_one_that_the_program_takes() -> None:
    import tensorflow as tf

    def looked_up(places: Any) -> Any:
        return tf.math.log(tf.nn.relu(tf.gather_nd(tf.constant([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]]), places)))

    (found,) = proofs(looked_up, "int32[None,2]")
    assert found[2].status == "proved"
    assert (found[2].values[0] == 1).all(axis=-1).any()
    assert list(_refused("indices[0] = [2, 7] does not index into param shape [3,2], node")) == [(7, 2)]


def test_a_value_that_only_the_written_weights_show_is_proved() -> None:
    import tensorflow as tf

    weights = tf.Variable([[1.0], [2.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])])
    def sharpened(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.relu(1.0 - y * tf.matmul(x, weights)))
        slope = tape.gradient(loss, weights)
        weights.assign_add(0.05 * slope / tf.sqrt(tf.reduce_sum(tf.square(slope))))
        return loss

    ((rule, _, got),) = proofs(sharpened, pedantic=False)
    assert (rule, got.status, got.what) == ("divide-by-root", "proved", "value")


def test_weights_as_training_leaves_them_are_tried_before_all_sizes() -> None:
    import tensorflow as tf

    weights = tf.Variable(tf.random.stateless_uniform([4, 3], (1, 2)))

    @tf.function(input_signature=[tf.TensorSpec([None, None, 4], tf.int8)])
    def scored(x: Any) -> Any:
        with tf.GradientTape() as tape:
            signs = tf.tanh(tf.cast(x, tf.float32)) / 4.0
            loss = tf.reduce_sum(tf.math.log(tf.reduce_sum(tf.exp(tf.matmul(signs, weights) * 8.0), -1)))
        return tape.gradient(loss, weights)

    ((_, _, got),) = proofs(scored, pedantic=False)
    assert (got.status, got.weights) == ("proved", 30.0)


def test_a_sweep_tries_no_inputs_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow as tf

    sweeps: list[list[bytes]] = []
    through, single = Search._through, Search._try

    def noted_sweep(self: Search, trials: Any) -> Any:
        sweeps.append([])
        return through(self, trials)

    def noted(self: Search, values: Any, sloping: bool = False) -> Any:
        if sweeps:
            sweeps[-1].append(bytes(str(values[0].shape), "ascii") + values[0].tobytes())
        return single(self, values, sloping)

    monkeypatch.setattr(Search, "_through", noted_sweep)
    monkeypatch.setattr(Search, "_try", noted)
    found = proofs(lambda x: tf.math.log(tf.abs(tf.sin(tf.cast(x, tf.float32) + 0.5))), "uint8[2]", seconds=3.0)
    assert [got.status for _, _, got in found] == ["not reached"]
    assert all(len(sweep) == len(set(sweep)) for sweep in sweeps[:-1])


def test_a_program_that_needs_other_sizes_is_run_at_them() -> None:
    import tensorflow as tf

    def of_one(x: Any) -> Any:
        return tf.math.log(tf.nn.relu(tf.reshape(x, (1, 3))))

    (found,) = proofs(of_one, "float32[None,3]")
    assert (found[2].status, found[2].values[0].shape) == ("proved", (1, 3))


def test_a_hazard_of_one_row_alone_is_reached() -> None:
    import tensorflow as tf

    def spread(x: Any) -> Any:
        rows = tf.cast(tf.shape(x)[0], tf.float32)
        return tf.reduce_sum(tf.square(x)) / tf.nn.relu(rows - 1.0)

    found = proofs(spread, "float32[None,3]")
    assert [(rule, got.status) for rule, _, got in found] == [("divide-by-zero", "proved")]
    assert found[0][2].values[0].shape == (1, 3)


def test_a_proof_is_not_left_to_what_the_program_draws() -> None:
    import tensorflow as tf

    def noisy(x: Any) -> Any:
        return tf.math.log(tf.nn.relu(x + tf.random.uniform([], 0.0, 50.0)))

    found = proofs(noisy, "float32[]")
    assert [(rule, got.status) for rule, _, got in found] == [("log-relu", "proved")]
    assert float(found[0][2].values[0]) <= -50.0  # at -10 one run in five fails


def test_a_program_that_always_fails_is_left_early_with_its_reason() -> None:
    import tensorflow as tf

    def never(x: Any) -> Any:
        return tf.math.log(tf.nn.relu(x)) * tf.gather(x, 100 + tf.shape(x)[0])

    (found,) = proofs(never, "float32[None]", seconds=600.0)
    assert found[2].status == "not tried"
    assert found[2].reason.startswith("TensorFlow cannot run it: ")
    assert "is not in [0, " in found[2].reason


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where proofs are kept."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outcomes(function: Any, *shapes: Any, **options: Any) -> list[tuple[str, str, str, str]]:
    import tensorflow as tf

    found = tfnanlint.lint_function(function, *map(tf.TensorSpec, shapes), prove=60.0, **options)
    return [(f.rule, f.severity, f.certainty, f.proof["status"] if f.proof else "") for f in found]


def test_what_is_merely_possible_is_reported_where_it_is_proved(elsewhere: Path) -> None:
    import tensorflow as tf

    shapes = ([None, 3], [None, 3])
    assert outcomes(lambda x, y: tf.abs(x - y) / tf.abs(y), *shapes) == [
        ("divide-by-zero", "error", "certain", "proved")
    ]
    assert outcomes(lambda x, y: (x - y) / (tf.abs(y) + tf.square(tf.sin(y + 0.5))), *shapes) == []
    assert list(elsewhere.glob("tfnanlint-proofs/divide-by-zero-*.npz"))


def test_what_a_function_is_given_as_it_is_is_for_its_caller_to_see_to(elsewhere: Path) -> None:
    import tensorflow as tf

    assert outcomes(lambda x: tf.math.log(x[..., 0]), [None, 3]) == []
    assert outcomes(lambda x: tf.math.log(x + 0.0), [None], ranges={"x": (0.0, 1.0)})[0][2:] == ("certain", "proved")


def test_what_is_likely_and_shows_in_no_situation_is_lowered_and_says_so(elsewhere: Path) -> None:
    import tensorflow as tf

    def calmed(x: Any) -> Any:
        zeros = tf.numpy_function(lambda v: v * 0, [x], tf.float32)  # which nothing tells
        return tf.math.log(tf.nn.softmax(tf.ensure_shape(zeros, [2, 3])))

    (found,) = tfnanlint.lint_function(calmed, tf.TensorSpec([2, 3]), prove=20.0)
    assert (found.severity, found.certainty) == ("info", "possible")
    assert found.proof is not None
    assert found.proof["status"] == "not reached"
    assert found.proof["reason"].endswith(
        "trials, including all corners of its input ranges: certainty is at most possible"
    )


def test_everything_traced_in_a_with_is_proved_where_that_is_asked_for(elsewhere: Path) -> None:
    import tensorflow as tf

    with tfnanlint.watch(prove=60.0) as findings:
        tf.function(lambda x: tf.math.log(tf.nn.softmax(x)))(tf.ones((2, 3)))
    assert [(found.rule, found.certainty, found.proved) for found in findings] == [("log-softmax", "certain", True)]


def test_a_number_that_half_precision_does_not_hold_is_proved_be_it_cast(elsewhere: Path) -> None:
    import tensorflow as tf

    def masked(x: Any, mask: Any) -> Any:
        half = tf.cast(x, tf.float16)
        return half + tf.cast(mask, half.dtype) * tf.cast(-1e9, half.dtype)

    assert outcomes(masked, [2, 3], [2, 3]) == [("mask-float16", "error", "certain", "proved")]


def test_what_only_ruined_numbers_come_to_is_not_refuted(elsewhere: Path) -> None:
    import tensorflow as tf

    def behind(x: Any) -> Any:
        ruined = x + tf.strings.to_number("nan")  # which no finding tells
        return tf.math.log(tf.nn.softmax(ruined))

    found = tfnanlint.lint_function(behind, tf.TensorSpec([3]), prove=20.0)
    assert [(f.certainty, f.severity) for f in found if f.rule == "log-softmax"] == [("likely", "error")]
