"""Every rule file is held to what it says, on real TensorFlow: in every mode and type it claims, in every spelling.

No test here names a rule. A new rule is tested by being there.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rule_harness import (
    EPSILONS,
    Outcome,
    close,
    far,
    findings_in,
    fixed,
    graph_findings_in,
    in_half,
    matches_in,
    runner,
    structure,
)
from rule_programs import (
    BROKEN,
    WRITTEN,
    Program,
    befores,
    befores_in_every_spelling,
    functions,
    imported,
    pattern_of,
    quiets,
    repaired,
    rules,
)

from tfnanlint.finding import FIX_KINDS
from tfnanlint.look import narrowed
from tfnanlint.template import MODES, Rule, load_rules

BEFORES = befores()
SPELLED = befores_in_every_spelling()
REPAIRED = [p for p in BEFORES if pattern_of(p.rule, p.name).repair is not None]
REPAIRED_SPELLED = [p for p in SPELLED if pattern_of(p.rule, p.name).repair is not None]
QUIETS = quiets()
RULES = list(rules())
SAMPLES = 40
SETTINGS = settings(
    max_examples=SAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def name_of(value: Any) -> str:
    if isinstance(value, Rule):
        return value.name
    return f"{value.rule.name}.{value.name}-{value.spelling}".replace(" ", "_")


def each(programs: list[Program]) -> Any:
    return pytest.mark.parametrize("program", programs, ids=name_of)


def exact(program: Program) -> Any:
    """The repaired program in float64, or None where there is none or it fixes its types itself."""
    after = fixed(program)
    return None if after.text == program.text else in_double(after)


def in_double(program: Program) -> Any:
    """What a program computes in float64, or None where it fixes its types itself."""
    import tensorflow as tf

    try:
        return runner(program).run("eager", "float64")
    except (TypeError, ValueError, tf.errors.InvalidArgumentError):
        return None


def modes_of(program: Program) -> tuple[str, ...]:
    """The modes to run a program in: all that its rule claims for the rule's own text, one for a mere respelling."""
    return program.rule.modes if program.spelling == WRITTEN else program.rule.modes[:1]


def dtypes_of(program: Program) -> tuple[str, ...]:
    """The types to run a program in, likewise: TensorFlow takes a literal for the type of what stands before it."""
    return program.rule.dtypes if program.spelling == WRITTEN else program.rule.dtypes[:1]


def guarded(program: Program) -> bool:
    """Whether the repair is another function at the witness, so that to differ from it is no proof."""
    repair = pattern_of(program.rule, program.name).repair
    return repair is not None and repair.kind == "guard"


def attempt(program: Program, mode: str, dtype: str) -> Outcome | None:
    """The outcome at the witness; None where a mere respelling of the rule's text is refused."""
    import tensorflow as tf

    try:
        return runner(program).run(mode, dtype)
    except (AttributeError, ValueError, tf.errors.InvalidArgumentError):
        if program.spelling == WRITTEN:
            raise
        return None


# 1 and 2: wrong before, right after.


@each(SPELLED)
def test_what_a_rule_reports_goes_wrong_at_its_witness(program: Program) -> None:
    truth = exact(program)
    bad_values = []
    for dtype in dtypes_of(program):
        for mode in modes_of(program):
            got = attempt(program, mode, dtype)
            if got is None:
                return  # this generation of the library does not take these arguments, or raises an error of its own
            wrong = truth is not None and not guarded(program) and far(got, truth, dtype)
            assert wrong or not got.finite, f"{mode} {dtype}: {got} is right"
            bad_values.append(wrong or not got.finite_value)
    if not program.differentiated:
        assert any(bad_values), "only the gradient is wrong: a parameter has to be `differentiated`"


@each(REPAIRED)
def test_the_applied_fix_is_right_where_the_original_was_wrong(program: Program) -> None:
    after, truth = fixed(program), exact(program)
    for dtype in program.rule.dtypes:
        for mode in program.rule.modes:
            got = runner(after).run(mode, dtype)
            assert got.finite, f"{mode} {dtype}: {got}"
            if truth is not None:
                assert close(got, truth, max(1e-4, 20 * EPSILONS[dtype])), f"{mode} {dtype}: {got} instead of {truth}"


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_a_mode_that_a_rule_leaves_out_is_a_mode_in_which_some_witness_is_fine(rule: Rule) -> None:
    for mode in set(MODES) - set(rule.modes):
        outcomes = []
        for program in (p for p in BEFORES if p.rule is rule):
            truth = exact(program)
            try:
                got = runner(program).run(mode, rule.dtypes[0])
            except Exception as error:  # what is refused, or XLA cannot compile, does not go wrong there
                if "compile" not in str(error) and "InvalidArgument" not in type(error).__name__:
                    raise
                outcomes.append(True)
                continue
            wrong = truth is not None and not guarded(program) and far(got, truth, rule.dtypes[0])
            outcomes.append(got.finite and not wrong)
        assert any(outcomes), f"every witness is wrong under {mode}, too"


GUARDED = [p for p in REPAIRED if guarded(p)]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@each(GUARDED)
def test_a_guard_is_one_in_half_precision_too(program: Program, dtype: str) -> None:
    half = in_half(program, dtype)
    after = fixed(half)
    if after.text == half.text:
        assert all(f.no_fix for f in findings_in(half, program.differentiated))
        return
    try:
        got = runner(after).run("eager", dtype)
    except Exception as error:
        if "Could not find device" not in str(error):
            raise
        return  # an op without a kernel for this type goes wrong in no way of ours
    assert got.finite, f"{got}: {after.text}"


# 3: the same elsewhere.

NUMBERS = {
    "of both signs": st.integers(-96, 96).map(lambda n: n / 16),
    "positive": st.integers(1, 96).map(lambda n: n / 16),
    "in the unit interval": st.integers(1, 63).map(lambda n: n / 64),
    "small": st.integers(-40, 40).map(lambda n: n / 64),
}


@st.composite
def ordinary(draw: Any, program: Program) -> dict[str, Any]:
    """Ordinary values in the shape of the witness, within what the preconditions demand."""
    numbers = NUMBERS[draw(st.sampled_from(sorted(NUMBERS)))]
    found: dict[str, Any] = {}
    for name, value in program.witness.items():
        array = np.asarray(value)
        if array.dtype.kind != "f":
            found[name] = value
            continue
        drawn = np.array(draw(st.lists(numbers, min_size=array.size, max_size=array.size)), np.float64)
        condition = program.preconditions.get(name)
        if condition is not None and condition.inside is not None:
            drawn = np.clip(drawn, condition.inside.lo, condition.inside.hi)
        found[name] = drawn.reshape(array.shape).tolist()
    return found


@each(REPAIRED)
def test_the_applied_fix_changes_elsewhere_only_what_its_name_promises(program: Program) -> None:
    after = fixed(program)
    kinds = {f.fix.kind for f in findings_in(program, program.differentiated) if f.fix is not None}
    before_runner, after_runner = runner(program), runner(after)
    double = "float64" if exact(program) is not None and in_double(program) is not None else "float32"
    tolerance = 1e-6 if double == "float64" else 1e-3
    compared = [0]

    @settings(SETTINGS)
    @given(ordinary(program))
    def agree(arguments: dict[str, Any]) -> None:
        try:
            old, new = before_runner.run("eager", double, arguments), after_runner.run("eager", double, arguments)
            claimed = before_runner.run(program.rule.modes[0], program.rule.dtypes[0], arguments)
        except Exception as error:
            if "InvalidArgument" in type(error).__name__:
                return  # a matrix without an inverse, say
            raise
        if not old.finite or not claimed.finite:
            return
        compared[0] += 1
        single = after_runner.run("eager", program.rule.dtypes[0], arguments)
        assert single.finite
        if "rework" not in kinds:
            floor = 0.1 if "guard" in kinds else 0.0
            assert close(new, old, tolerance, floor), f"{arguments}: {new} instead of {old}"
            rounding = max(1e-3, 20 * EPSILONS[program.rule.dtypes[0]])
            assert close(single, new, rounding, floor), f"{arguments}: {single} instead of {new}"

    agree()
    assert compared[0] >= SAMPLES // 8, "the original is hardly ever finite"


# 4: what the source pass says.


@each(SPELLED)
def test_the_source_pass_reports_it_under_this_rule_only(program: Program) -> None:
    found = {f.rule for f in findings_in(program, program.differentiated)}
    assert found == {program.rule.name}, program.text


@each(SPELLED)
def test_the_cheap_look_keeps_the_rule_for_it(program: Program) -> None:
    # What a precondition assumes stands in a real file: something that attains a bound, something that differentiates.
    text = "from tensorflow import GradientTape\nfrom tensorflow.nn import relu\n" + program.text
    text += "\n\nwith GradientTape() as tape:\n    loss = relu(x)\n"
    kept = narrowed(text, rules())
    assert program.rule in kept


@each(REPAIRED)
def test_the_source_pass_reports_nothing_in_the_repair(program: Program) -> None:
    repair = repaired(program, pattern_of(program.rule, program.name))
    assert findings_in(repair, program.differentiated) == [], repair.text


# 5: what the graph pass says.


@each(BEFORES)
def test_the_graph_pass_reports_it_under_this_rule_only(program: Program) -> None:
    found = {f.rule for f in graph_findings_in(program, program.differentiated)}
    assert found == {program.rule.name}, program.text


@each(REPAIRED)
def test_the_graph_pass_reports_nothing_in_the_fixed_text(program: Program) -> None:
    after = fixed(program)
    assert graph_findings_in(after, program.differentiated) == [], after.text


@each(QUIETS)
def test_the_graph_pass_does_not_report_a_quiet_program(program: Program) -> None:
    assert graph_findings_in(program, differentiated=True) == [], program.text


# 6: the fix.


@each(REPAIRED)
def test_the_fix_lowers_to_the_repair(program: Program) -> None:
    own = [m for m in matches_in(program, program.differentiated)[0] if m.pattern.name == program.name]
    assert own or matches_in(program, program.differentiated)[0], "it is matched by nothing"
    after = fixed(program)
    assert after.text != program.text, "its fix is not applied: " + str(
        [f.no_fix for f in findings_in(program, program.differentiated)]
    )
    if own:
        repair = fixed(repaired(program, own[0].pattern))
        assert structure(after.text, program.name) == structure(repair.text, program.name), after.text


@each(REPAIRED_SPELLED)
def test_the_fixed_text_runs_and_has_nothing_left_to_fix(program: Program) -> None:
    after = fixed(program)
    found = findings_in(after, program.differentiated)
    if after.text == program.text:
        assert all(f.no_fix for f in found)  # and the report says why
    else:
        assert found == [], after.text
        assert runner(after).run("eager", program.rule.dtypes[0]).finite


# 7: the look-alikes.


@each(QUIETS)
def test_a_quiet_program_is_not_reported(program: Program) -> None:
    assert findings_in(program, differentiated=True) == [], program.text


@each(QUIETS)
def test_a_quiet_program_runs_finite(program: Program) -> None:
    for dtype in program.rule.dtypes:
        for mode in program.rule.modes:
            got = runner(program).run(mode, dtype)
            assert got.finite, f"{mode} {dtype}: {got}"


# The file itself.


def test_every_rule_file_can_be_read_and_understood() -> None:
    assert not BROKEN
    assert sorted(load_rules().names) == sorted(rules().names)


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_a_rule_file_speaks_in_the_voice_of_the_linter(rule: Rule) -> None:
    first = rule.text.split('"""')[1].splitlines()[0]
    assert first[0] == "`" or first[0].islower(), "a message starts in lower case or with code"
    assert len(first) < 90, "a message is shorter than 90 characters"
    assert not first.endswith((".", "!")), "a message ends without a stop"
    said = re.sub(r"`[^`]*`", "", rule.message + " " + rule.description)
    assert not re.search(r"\b(may|might|could|can potentially|should)\b", rule.message), "a message states a fact"
    assert "!" not in said, "a rule does not exclaim"
    assert len(rule.description) > 80, "a rule says why it happens and what to do"


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_a_rule_file_shows_a_look_alike_and_pairs_every_repair(rule: Rule) -> None:
    assert functions(rule, "quiet"), "a rule has at least one quiet_... function"
    assert all("_" in name for name in functions(rule, "quiet")), "the name of a quiet_... function says what it shows"
    used = {id(p.repair.expression) for p in rule.patterns if p.repair is not None}
    repairs = [name for kind in FIX_KINDS for name in functions(rule, kind)]
    assert len(used) == len(repairs), f"a repair belongs to no `before`: {repairs}"


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_a_rule_file_can_be_imported_and_its_defaults_are_what_it_says(rule: Rule) -> None:
    module = imported(rule)
    for name in (*functions(rule, "before"), *functions(rule, "quiet")):
        function = getattr(module, name)
        assert function.__defaults__ is None or len(function.__defaults__) == function.__code__.co_argcount
