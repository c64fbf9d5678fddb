"""Repairs of what rule files do not show: other axes, scalars, types, unknown shapes, symbolic tensors.

Every variant is derived from a rule's own `before`; what TensorFlow does not accept as a program is none. Where the
original is finite, its repair gives the same shape and type, and what the repair's kind promises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tfnanlint.testing.outcomes import compiled, findings_in, fixed, in_half
from tfnanlint.testing.programs import Program, befores, in_every_spelling, pattern_of, with_statics

REPAIRED = [p for p in befores() if pattern_of(p.rule, p.name).repair is not None]
AXES = (0, -1, -2, [0], (-1,), [0, 1], (-1, -2), None)
WITH_AXES = [p for p in REPAIRED if {"axis", "keepdims"} & p.statics.keys()]
SYMBOLIC = [
    p
    for p in in_every_spelling(REPAIRED)
    if p.spelling == "keras.ops" and all(np.asarray(v).dtype.kind == "f" for v in p.witness.values())
]


def each(programs: list[Program]) -> Any:
    return pytest.mark.parametrize("program", programs, ids=lambda p: f"{p.rule.name}.{p.name}")


def ordinary(program: Program, shape: Callable[[Any], tuple[int, ...]] = np.shape, seed: int = 0) -> list[Any]:
    """Numbers away from 0 and 1 in the place of every float of the witness, within what is demanded of it."""
    draws = np.random.default_rng(seed)
    found: list[Any] = []
    for name, value in program.witness.items():
        array = np.asarray(value)
        if array.dtype.kind != "f":
            found.append(value)
            continue
        condition = program.preconditions.get(name)
        numbers = draws.uniform(0.125, 0.875, shape(value)) * draws.choice([-1.0, 1.0, 1.0])
        if condition is not None and condition.inside is not None:
            numbers = np.clip(numbers, condition.inside.lo, condition.inside.hi)
        if condition is not None and "count" in condition.kinds:
            numbers = np.ceil(np.abs(numbers) * 8)
        found.append(numbers.astype("float32"))
    return found


def longer(value: Any) -> tuple[int, ...]:
    return tuple(extent + 1 for extent in np.shape(value))


def ran(function: Any, arguments: list[Any]) -> list[np.ndarray] | None:
    """What a function gives; None where TensorFlow does not accept that."""
    import tensorflow as tf

    try:
        return [np.asarray(v) for v in tf.nest.flatten(function(*map(tf.convert_to_tensor, arguments)))]
    except (ValueError, TypeError, AttributeError, IndexError, tf.errors.OpError):
        return None


def holds(old: list[np.ndarray], new: list[np.ndarray] | None, kinds: set[str], text: str) -> None:
    """That a repaired program gives what its original gave, if that was finite."""
    if not all(np.isfinite(v).all() for v in old):
        return
    assert new is not None, text
    for was, now in zip(old, new, strict=True):
        assert (was.shape, was.dtype) == (now.shape, now.dtype), text
        assert np.isfinite(now).all(), text
        if "rework" not in kinds:
            np.testing.assert_allclose(now, was, rtol=2e-3, atol=2e-4, err_msg=text)


def kinds_of(program: Program) -> set[str]:
    return {f.fix.kind for f in findings_in(program, differentiated=True) if f.fix is not None}


def variants(program: Program) -> Iterator[Program]:
    """The program with every other axis, and with its dimensions kept."""
    for axis in AXES if "axis" in program.statics else ():
        yield with_statics(program, axis=axis)
    if "keepdims" in program.statics:
        yield with_statics(program, keepdims=not program.statics["keepdims"])


@each(WITH_AXES)
def test_a_repair_carries_every_axis_over(program: Program) -> None:
    repaired = 0
    for variant in variants(program):
        after = fixed(variant)
        if after.text == variant.text:
            continue
        for shape in (np.shape, longer):
            arguments = ordinary(variant, shape)
            old = ran(compiled(variant), arguments)
            if old is not None:
                repaired += 1
                holds(old, ran(compiled(after), arguments), kinds_of(variant), after.text)
    assert repaired, "it is repaired along no other axis"


@each(REPAIRED)
def test_a_repair_takes_scalars_and_other_extents_as_the_original_does(program: Program) -> None:
    before, after, kinds = compiled(program), fixed(program), kinds_of(program)
    for shape in (lambda value: (), longer):
        old = ran(before, ordinary(program, shape))
        if old is not None:
            holds(old, ran(compiled(after), ordinary(program, shape)), kinds, after.text)


@each(REPAIRED)
def test_a_repair_of_complex_numbers_is_one_that_runs(program: Program) -> None:
    variant = in_half(program, "complex64")
    after = fixed(variant)
    if after.text != variant.text:
        old = ran(compiled(variant), ordinary(variant))
        if old is not None:
            holds(old, ran(compiled(after), ordinary(variant)), kinds_of(variant), after.text)


@each(REPAIRED)
def test_a_repair_is_traced_where_the_original_is_though_no_shape_is_known(program: Program) -> None:
    import tensorflow as tf

    after = fixed(program)
    arguments = ordinary(program)
    specs = [tf.TensorSpec(None, tf.convert_to_tensor(a).dtype) for a in arguments]

    def traced(function: Any) -> Any:
        return tf.function(function, input_signature=specs, autograph=False)

    old = ran(compiled(program), arguments)
    new = ran(traced(compiled(after)), arguments)
    if new is None and ran(traced(compiled(program)), arguments) is None:
        return  # neither can do without
    if old is not None:
        holds(old, new, kinds_of(program), after.text)


@each(SYMBOLIC)
def test_a_repair_stands_in_a_functional_model_as_the_original_does(program: Program) -> None:
    import keras

    after, arguments = fixed(program), ordinary(program)

    def model(function: Any) -> Any:
        inputs = [keras.Input(batch_shape=np.shape(a)) for a in arguments]
        made = keras.Model(inputs, function(*inputs))
        return lambda *given: made(list(given))

    def built(function: Any) -> list[np.ndarray] | None:
        try:
            return ran(model(function), arguments)
        except (ValueError, TypeError, AttributeError):
            return None

    old = built(compiled(program))
    if old is not None and after.text != program.text:
        holds(old, built(compiled(after)), kinds_of(program), after.text)


WHOLE = [p for p in SYMBOLIC if len(p.witness) == 1 and not p.statics]


@settings(max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(WHOLE), st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_whole_numbers_give_a_repair_the_type_that_they_gave_the_original(program: Program, numbers: list[int]) -> None:
    import tensorflow as tf

    after = fixed(program)
    old = ran(compiled(program), [tf.constant(numbers)])
    new = ran(compiled(after), [tf.constant(numbers)])
    if old is not None and new is not None:  # some functions take no whole numbers, and say so
        holds(old, new, kinds_of(program), after.text)
