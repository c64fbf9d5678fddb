"""The properties of a rule file, tested on TensorFlow in every mode, dtype and spelling that it claims.

1. A `before` fails at its witness. 2. Its repair does not. 3. Elsewhere the two agree as the repair's name promises. 4.
The source pass reports every `before` under its rule only, and nothing in the repair. 5. So does the graph pass. 6. The
applied fix is the repair, and fixing again changes nothing. 7. The `quiet_*` functions are not reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from tfnanlint.interval import FLOAT_TYPES
from tfnanlint.prefilter.candidates import candidate_rules
from tfnanlint.ruleset.rule import Rule, Rules
from tfnanlint.testing.outcomes import (
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
    with_literals_of,
)
from tfnanlint.testing.programs import (
    WRITTEN,
    Program,
    befores,
    functions,
    imported,
    in_every_spelling,
    pattern_of,
    quiets,
    repaired,
    written,
)
from tfnanlint.vocabulary import MODES

SAMPLES = 12
"""At so many ordinary inputs at which the original is finite a repair is compared with it."""
DRAWS = 4 * SAMPLES
"""So many ordinary inputs are drawn to find those."""


@dataclass(frozen=True)
class Property:
    """One thing that a rule file promises: `name` is a sentence, `of` says of which function in which spelling."""

    name: str
    of: str
    check: Callable[[], None]
    """Raises AssertionError where the promise is broken."""

    def __str__(self) -> str:
        return f"{self.name}-{self.of}"


def of_rules(rules: Iterable[Rule], among: Rules | None = None) -> Iterator[Property]:
    """Every property of some rules, which are linted `among` others (by default the built-in ones)."""
    rules = list(rules)
    programs = befores(rules, among)
    sets: dict[str, list[Any]] = {
        "rules": rules,
        "befores of a rule": [[program for program in programs if program.rule is rule] for rule in rules],
        "befores": programs,
        "traced": [program for program in programs if not pattern_of(program.rule, program.name).of_statement],
        "spelled": in_every_spelling(programs),
        "quiets": quiets(rules, among),
    }
    sets["repaired"] = [p for p in programs if pattern_of(p.rule, p.name).repair is not None]
    sets["repaired in every spelling"] = [p for p in sets["spelled"] if pattern_of(p.rule, p.name).repair is not None]
    sets["guarded"] = [p for p in sets["repaired"] if guarded(p)]
    # One function of a rule after the other: what TensorFlow traced and compiled of it serves all its properties, and
    # is let go of when the next function comes.
    places = {rule: place for place, rule in enumerate(rules)}
    every = [((places[_rule_of(one)], _function_of(one)), check, one) for over, check in _CHECKS for one in sets[over]]
    for _, check, one in sorted(every, key=lambda found: found[0]):
        yield Property(check.__name__, name_of(one), partial(check, one))


_CHECKS: list[tuple[str, Callable[[Any], None]]] = []


def _over(what: str) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Have a function check each of some programs, or each rule."""

    def noted(check: Callable[[Any], None]) -> Callable[[Any], None]:
        _CHECKS.append((what, check))
        return check

    return noted


def _rule_of(value: Rule | Program | list[Program]) -> Rule:
    if isinstance(value, list):
        return value[0].rule
    return value if isinstance(value, Rule) else value.rule


def _function_of(value: Rule | Program | list[Program]) -> str:
    return value.name if isinstance(value, Program) else ""


def name_of(value: Rule | Program | list[Program]) -> str:
    if isinstance(value, list):
        return name_of(value[0].rule)
    if isinstance(value, Rule):
        return value.name
    return f"{value.rule.name}.{value.name}-{value.spelling}".replace(" ", "_")


@cache
def exact(program: Program) -> Outcome | None:
    """The repaired program in float64, or None where there is none or it fixes its types itself.

    What TensorFlow computes in one type only is as exact as that, which is enough to tell another function.
    """
    after = fixed(program)
    if after.text == program.text:
        return None
    found = in_double(after)
    repair = pattern_of(program.rule, program.name).repair
    if found is None and repair is not None and repair.kind == "rework":
        return runner(after).run("eager", program.rule.dtypes[0])
    return found


def in_double(program: Program) -> Outcome | None:
    """What a program computes in float64, or None where it fixes its types itself."""
    try:
        return runner(program).run("eager", "float64")
    except Exception as error:
        if isinstance(error, (TypeError, ValueError)) or "InvalidArgument" in type(error).__name__:
            return None
        raise


def ways_of(program: Program) -> list[tuple[str, str]]:
    """The modes and types to run a program in: of a mere respelling, the first ones of its rule.

    The rule's own text is run in every mode and in every type, and not in each pair of them, which takes minutes to
    compile. The programs of a rule take turns with the types, so that several of them try most pairs.
    """
    modes, dtypes = program.rule.modes, program.rule.dtypes
    if program.spelling != WRITTEN:
        return [(modes[0], dtypes[0])]
    turn = [pattern.name for pattern in program.rule.patterns].index(program.name)
    further = [(mode, dtypes[(turn + place) % len(dtypes)]) for place, mode in enumerate(modes[1:])]
    return [*((modes[0], dtype) for dtype in dtypes), *further]


def guarded(program: Program) -> bool:
    """Whether the repair is another function at the witness, so that to differ from it is not proof."""
    repair = pattern_of(program.rule, program.name).repair
    return repair is not None and repair.kind == "guard"


def attempt(program: Program, mode: str, dtype: str) -> Outcome | None:
    """The outcome at the witness; None where a mere respelling of the rule's text is refused."""
    try:
        return runner(program).run(mode, dtype)
    except Exception as error:
        refused = isinstance(error, (AttributeError, ValueError)) or "InvalidArgument" in type(error).__name__
        if program.spelling == WRITTEN or not refused:
            raise
        return None


# 1 and 2: wrong before, right after.


@_over("spelled")
def what_a_rule_reports_goes_wrong_at_its_witness(program: Program) -> None:
    truth = exact(written(program.rule, program.name, program.among))  # of all spellings
    bad_values = []
    for mode, dtype in ways_of(program):
        got = attempt(program, mode, dtype)
        if got is None:
            return  # this generation of the library does not take these arguments, or raises an error of its own
        wrong = truth is not None and not guarded(program) and far(got, truth, dtype, program.differentiated)
        assert wrong or not got.finite, f"{mode} {dtype}: {got} is right"
        bad_values.append(wrong or not got.finite_value)
    if not program.differentiated:
        assert any(bad_values), "only the gradient is wrong: a parameter has to be `differentiated`"


@_over("repaired")
def the_applied_fix_is_right_where_the_original_was_wrong(program: Program) -> None:
    after = fixed(program)
    truths: dict[str, Outcome | None] = {}
    for mode, dtype in ways_of(program):
        if dtype not in truths:
            truths[dtype] = in_double(with_literals_of(after, dtype)) if guarded(program) else exact(program)
        got, truth = runner(after).run(mode, dtype), truths[dtype]
        assert got.finite, f"{mode} {dtype}: {got}"
        if truth is not None:
            floor = FLOAT_TYPES[dtype].least  # what is less is flushed to 0
            right = close(got, truth, max(1e-4, 20 * EPSILONS[dtype]), floor)
            assert right, f"{mode} {dtype}: {got} instead of {truth}"


@_over("befores of a rule")
def a_mode_that_a_rule_leaves_out_is_a_mode_in_which_some_witness_is_fine(programs: list[Program]) -> None:
    rule = programs[0].rule
    for mode in set(MODES) - set(rule.modes):
        outcomes = []
        for program in programs:
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


@_over("guarded")
def a_guard_is_one_in_half_precision_too(program: Program) -> None:
    for dtype in ("float16", "bfloat16"):
        _guards(program, dtype)


def _guards(program: Program, dtype: str) -> None:
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


def ordinary(program: Program) -> Any:
    """Ordinary values in the shape of the witness, within what the preconditions demand, as hypothesis draws them."""
    from hypothesis import strategies as st

    numbers = {
        "of both signs": st.integers(-96, 96).map(lambda n: n / 16),
        "positive": st.integers(1, 96).map(lambda n: n / 16),
        "in the unit interval": st.integers(1, 63).map(lambda n: n / 64),
        "small": st.integers(-40, 40).map(lambda n: n / 64),
    }

    @st.composite
    def drawn(draw: Any) -> dict[str, Any]:
        of = numbers[draw(st.sampled_from(sorted(numbers)))]
        found: dict[str, Any] = {}
        for name, value in program.witness.items():
            array = np.asarray(value)
            if array.dtype.kind != "f":
                found[name] = value
                continue
            values = np.array(draw(st.lists(of, min_size=array.size, max_size=array.size)), np.float64)
            condition = program.preconditions.get(name)
            if condition is not None and "count" in condition.kinds:
                values = np.ceil(np.abs(values))
            if condition is not None and condition.inside is not None:
                values = np.clip(values, condition.inside.lo, condition.inside.hi)
            found[name] = values.reshape(array.shape).tolist()
        return found

    return drawn()


@_over("repaired")
def the_applied_fix_changes_elsewhere_only_what_its_name_promises(program: Program) -> None:
    from hypothesis import HealthCheck, given, settings

    after = fixed(program)
    kinds = {f.fix.kind for f in findings_in(program, program.differentiated) if f.fix is not None}
    before_runner, after_runner = runner(program), runner(after)
    double = "float64" if exact(program) is not None and in_double(program) is not None else "float32"
    tolerance = 1e-6 if double == "float64" else 1e-3
    compared = [0]

    @settings(
        max_examples=DRAWS,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(ordinary(program))
    def agree(arguments: dict[str, Any]) -> None:
        if compared[0] == SAMPLES:
            return
        try:
            old = before_runner.run("eager", double, arguments)
            if not old.finite or not before_runner.run(program.rule.modes[0], program.rule.dtypes[0], arguments).finite:
                return
            new = after_runner.run("eager", double, arguments)
        except Exception as error:
            if "InvalidArgument" in type(error).__name__:
                return  # a matrix without an inverse, say
            raise
        compared[0] += 1
        single = after_runner.run("eager", program.rule.dtypes[0], arguments)
        assert single.finite
        if "rework" not in kinds:
            floor = 0.1 if "guard" in kinds else 0.0
            assert close(new, old, tolerance, floor), f"{arguments}: {new} instead of {old}"
            rounding = max(1e-3, 20 * EPSILONS[program.rule.dtypes[0]])
            assert close(single, new, rounding, floor), f"{arguments}: {single} instead of {new}"

    agree()
    # What a rework repairs may never have been finite: a mask of infinities is finite nowhere.
    assert compared[0] * 8 >= SAMPLES or "rework" in kinds, "the original is hardly ever finite"


# 4: what the source pass says.


@_over("spelled")
def the_source_pass_reports_it_under_this_rule_only(program: Program) -> None:
    found = {f.rule for f in findings_in(program, program.differentiated)}
    assert found == {program.rule.name}, program.text


@_over("spelled")
def the_cheap_look_keeps_the_rule_for_it(program: Program) -> None:
    # What preconditions assume stands in a real file: what attains a bound, selects, differentiates, is infinite, half
    # precision.
    text = "from tensorflow import GradientTape, boolean_mask, float16\nfrom tensorflow.nn import relu\n" + program.text
    text += "\n\nwith GradientTape() as tape:\n    loss = relu(x - float('inf'))\n"
    kept = candidate_rules(text, program.rules)
    assert program.rule in kept


@_over("repaired")
def the_source_pass_reports_nothing_in_the_repair(program: Program) -> None:
    repair = repaired(program, pattern_of(program.rule, program.name))
    assert findings_in(repair, program.differentiated) == [], repair.text


# 5: what the graph pass says.


@_over("traced")
def the_graph_pass_reports_it_under_this_rule_only(program: Program) -> None:
    found = {f.rule for f in graph_findings_in(program, program.differentiated)}
    assert found == {program.rule.name}, program.text


@_over("repaired")
def the_graph_pass_reports_nothing_in_the_fixed_text(program: Program) -> None:
    after = fixed(program)
    assert graph_findings_in(after, program.differentiated) == [], after.text


@_over("quiets")
def the_graph_pass_does_not_report_a_quiet_program(program: Program) -> None:
    assert graph_findings_in(program, differentiated=True) == [], program.text


# 6: the fix.


@_over("repaired")
def the_fix_lowers_to_the_repair(program: Program) -> None:
    own = [m for m in matches_in(program, program.differentiated)[0] if m.pattern.name == program.name]
    assert own or matches_in(program, program.differentiated)[0], "nothing matches it"
    after = fixed(program)
    assert after.text != program.text, "its fix is not applied: " + str(
        [f.no_fix for f in findings_in(program, program.differentiated)]
    )
    if own:
        repair = fixed(repaired(program, own[0].pattern))
        assert structure(after.text, program.name) == structure(repair.text, program.name), after.text


@_over("repaired in every spelling")
def the_fixed_text_runs_and_has_nothing_left_to_fix(program: Program) -> None:
    after = fixed(program)
    found = findings_in(after, program.differentiated)
    if after.text == program.text:
        assert all(f.no_fix for f in found)  # and the report says why
    else:
        assert found == [], after.text
        got = attempt(after, "eager", program.rule.dtypes[0])
        assert got is None or got.finite


# 7: the look-alikes.


@_over("quiets")
def a_quiet_program_is_not_reported(program: Program) -> None:
    assert findings_in(program, differentiated=True) == [], program.text


@_over("quiets")
def a_quiet_program_runs_finite(program: Program) -> None:
    modes, dtypes = program.rule.modes, program.rule.dtypes
    for mode, dtype in [(mode, dtypes[0]) for mode in modes] + [(modes[0], dtype) for dtype in dtypes[1:]]:
        got = runner(program).run(mode, dtype)
        assert got.finite, f"{mode} {dtype}: {got}"


# The file itself.


@_over("rules")
def a_rule_file_can_be_imported_and_its_defaults_are_what_it_says(rule: Rule) -> None:
    module = imported(rule)
    for name in (*functions(rule, "before"), *functions(rule, "quiet")):
        function = getattr(module, name)
        assert function.__defaults__ is None or len(function.__defaults__) == function.__code__.co_argcount
