"""Measurements for the properties of rules: what TensorFlow computes for a program, and what both passes report."""

from __future__ import annotations

import ast
import contextlib
import linecache
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from tfnanlint.facts import Assumption, Facts, Range
from tfnanlint.finding import Finding
from tfnanlint.fix.choose import Choice
from tfnanlint.flow import Node
from tfnanlint.interval import INF, Interval
from tfnanlint.lint import finding_of
from tfnanlint.match.captures import Match
from tfnanlint.match.matcher import Matcher
from tfnanlint.ruleset.rule import Rules
from tfnanlint.run.edits import apply_edits, choose_fixes
from tfnanlint.template import Precondition
from tfnanlint.testing.programs import Program, lowered

FIX_ROUNDS = 8

# The source pass.


def assumption_of(condition: Precondition) -> Assumption:
    """What a precondition lets the linter take for granted of a parameter."""
    dtype = condition.dtypes[0] if condition.dtypes else None
    outer = condition.inside or Interval()
    if outer.unknown and any(region.lo == region.hi == 0 for region in condition.regions):
        outer = Interval(0.0, INF)
    said = condition.inside is not None or condition.regions or "told" in condition.kinds
    return Assumption(Range(outer, "assumed") if said else None, dtype, condition.kinds)


def witnessed(program: Program, name: str) -> Assumption:
    """What is taken for granted of a parameter: what its precondition says, and that it holds the witness."""
    condition = program.preconditions.get(name, Precondition())
    return replace(assumption_of(condition), witness=program.witness[name])


def asks_for_a_hint(program: Program) -> bool:
    """Whether a program shows what is reported under `--pedantic` only: digits that are lost."""
    return program.rule.severity == "info" and not program.name.startswith("quiet")


_matchers: dict[tuple[int, bool], tuple[Rules, Matcher]] = {}


def _matcher(rules: Rules, keeping: bool = False) -> Matcher:
    """The matcher of some rules, made once; the rules are kept with it, for their number to be theirs alone."""
    if (id(rules), keeping) not in _matchers:
        _matchers[id(rules), keeping] = rules, Matcher(rules, keeping=keeping)
    return _matchers[id(rules), keeping][1]


def matches_in(program: Program, differentiated: bool, keeping: bool = False) -> tuple[list[Match], Facts]:
    """What the source pass matches in a program whose parameters are as the rule demands."""
    flow, root = lowered(program.text, program.name)
    assumed = {
        node: witnessed(program, node.attrs["name"])
        for node in flow
        if node.op == "input" and node.attrs["name"] in program.witness
    }
    if differentiated:
        flow.differentiate(root, "differentiated by the test", root.origin)
    facts = Facts(flow, assumed)
    return _matcher(program.rules, keeping).matches(flow, facts, pedantic=asks_for_a_hint(program)), facts


def findings_in(program: Program, differentiated: bool, tried: bool = False) -> list[Finding]:
    """The findings of the source pass in a program; where fixes are not `tried`, each is what the rule file says."""
    matches, facts = matches_in(program, differentiated, keeping=tried)
    choice = Choice(facts)
    found = [finding_of(match, facts, choice) for match in matches]
    _matcher(program.rules, tried).forget()
    return found


def fixed(program: Program) -> Program:
    """The program after all its fixes, the unsafe ones included; a value that is trained by is not just handed out."""
    for _ in range(FIX_ROUNDS):
        findings = findings_in(program, differentiated=True)
        chosen = choose_fixes(program.text, f"{program.name}.py", findings)
        if not chosen:
            return program
        program = program.with_text(apply_edits(program.text, [e for f in chosen if f.fix for e in f.fix.edits]))
    raise AssertionError(f"{program}: fixing never ends")


def with_literals_of(program: Program, dtype: str) -> Program:
    """The program with its literals as a type holds them: rounding a bound makes no other function of a guard."""

    class Rounding(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.Constant:
            held = Interval.point(node.value).rounded(dtype).lo if isinstance(node.value, float) else node.value
            return ast.copy_location(ast.Constant(held), node)

    return program.with_text(ast.unparse(Rounding().visit(ast.parse(program.text))) + "\n")


def in_half(program: Program, dtype: str) -> Program:
    """The program with its arguments cast to a half-precision type, where the linter sees it."""
    lines = program.text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("def ")) + 1
    floats = [name for name, value in program.witness.items() if np.asarray(value).dtype.kind == "f"]
    lines[start:start] = [f"    {name} = tf.cast({name}, tf.{dtype})" for name in floats]
    return program.with_text("\n".join(["import tensorflow as tf", *lines]) + "\n")


def structure(text: str, name: str) -> Any:
    """What a program computes, as nested tuples: equal for equal flows."""
    _, root = lowered(text, name)
    known: dict[Node, Any] = {}

    def of(node: Node) -> Any:
        if node not in known:
            attrs = tuple(sorted((k, repr(v)) for k, v in node.attrs.items()))
            known[node] = (node.op, attrs, tuple(of(o) for o in node.operands))
        return known[node]

    return of(root)


# TensorFlow.


@dataclass
class Outcome:
    """What a program computes at one point, and the gradients of that."""

    values: list[np.ndarray]
    gradients: list[np.ndarray]

    @property
    def finite_value(self) -> bool:
        return all(np.all(np.isfinite(v)) for v in self.values)

    @property
    def finite(self) -> bool:
        return self.finite_value and all(np.all(np.isfinite(g)) for g in self.gradients)


_files = count()


def compiled(program: Program) -> Any:
    """The program's function, with its source where tracebacks and AutoGraph look for it."""
    path = f"/programs/{next(_files)}/{program.rule.name}/{program.name}.py"
    linecache.cache[path] = (len(program.text), None, program.text.splitlines(keepends=True), path)
    namespace: dict[str, Any] = {"__name__": program.name}
    exec(compile(program.text, path, "exec"), namespace)
    return namespace[program.name]


def tensor(value: Any, dtype: str) -> Any:
    """A witness as a tensor: numbers become `dtype`, integers and truth values stay what they are."""
    import tensorflow as tf

    array = np.asarray(value)
    return tf.constant(value, dtype if array.dtype.kind == "f" else None)


def _whole(function: Any) -> Any:
    """(arguments) -> (values, gradients with respect to every float argument and every variable used)."""
    import tensorflow as tf

    def whole(*arguments: Any) -> Any:
        with tf.GradientTape() as tape:
            sources = [a for a in arguments if a.dtype.is_floating]
            tape.watch(sources)
            values = [tf.convert_to_tensor(v) for v in tf.nest.flatten(function(*arguments))]
        sources += tape.watched_variables()
        targets = [v for v in values if v.dtype.is_floating]
        gradients: list[Any] = []
        if sources and targets:
            upstream = [_upstream(t) for t in targets]
            gradients = tape.gradient(targets, sources, upstream, unconnected_gradients="zero")
        return values, [tf.convert_to_tensor(g) for g in gradients]

    return whole


def _upstream(value: Any) -> Any:
    """Incoming gradients of a value: unequal ones show gradients that cancel in a plain sum, as a softmax's do."""
    import tensorflow as tf

    if value.shape.is_fully_defined():  # the common case, and ten times faster than what any shape needs
        weights = np.linspace(1.0, 2.0, value.shape.num_elements(), dtype=np.float32)
        return tf.constant(weights.reshape(value.shape), value.dtype)
    return tf.reshape(tf.cast(tf.linspace(1.0, 2.0, tf.size(value)), value.dtype), tf.shape(value))


class Runner:
    """Runs one program; what is traced once is used again."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.function = compiled(program)
        self._traced: dict[Any, Any] = {}
        self._variables: list[Any] = []

    def run(self, mode: str, dtype: str, arguments: dict[str, Any] | None = None) -> Outcome:
        """The outcome at the witness, or at other arguments."""
        import tensorflow as tf

        given = self.program.witness if arguments is None else arguments
        tensors = [tensor(given[name], dtype) for name in self.program.witness]
        key = (mode, *((t.dtype, tuple(t.shape)) for t in tensors))
        if key not in self._traced:
            if mode != "eager":
                with contextlib.suppress(tf.errors.InvalidArgumentError):  # which XLA does not raise
                    self.run("eager", dtype, arguments)  # makes the variables, which a trace must not do
            whole = _whole(self.function)
            if mode != "eager":
                whole = tf.function(whole, jit_compile=mode == "xla", autograph=False)
            self._traced[key] = whole
        with tf.variable_creator_scope(self.same_variables()):
            values, gradients = self._traced[key](*tensors)
        return Outcome([np.asarray(v, _wide(v)) for v in values], [np.asarray(g, _wide(g)) for g in gradients])

    def same_variables(self) -> Any:
        """The variables that a program makes are made once, whichever way it is run."""
        place = count()

        def creator(following: Any, **given: Any) -> Any:
            at = next(place)
            if at == len(self._variables):
                self._variables.append(following(**given))
            return self._variables[at]

        return creator


def _wide(value: Any) -> Any:
    return np.float64 if value.dtype.is_floating else None


MOST_RUNNERS = 24
"""How many programs are kept as TensorFlow has traced and compiled them: a megabyte or two each."""
_runners: dict[str, Runner] = {}


def runner(program: Program) -> Runner:
    """The runner of a program's text, shared by the tests that ask for it one soon after the other."""
    key = program.text + repr(program.witness)
    held = _runners.pop(key, None) or Runner(program)
    _runners[key] = held
    while len(_runners) > MOST_RUNNERS:
        del _runners[next(iter(_runners))]
    return held


def graph_findings_in(program: Program, differentiated: bool, pedantic: bool = False) -> list[Finding]:
    """The findings of the graph pass in a program, traced for arguments like its witness."""
    import tensorflow as tf

    from tfnanlint.graph.lint import lint_concrete

    held = runner(program)
    ranges, specs = {}, []
    for name, value in program.witness.items():
        assumed = assumption_of(program.preconditions.get(name, Precondition()))
        like = tensor(value, assumed.dtype or program.rule.dtypes[0])
        specs.append(tf.TensorSpec(like.shape, like.dtype, name=name))
        if assumed.range is not None:
            ranges[name] = assumed.range
    with contextlib.suppress(tf.errors.InvalidArgumentError):
        held.run("eager", program.rule.dtypes[0])  # for its variables
    kinds = [program.preconditions.get(name, Precondition()).kinds for name in program.witness]
    logits = ["logits" in of for of in kinds]
    weights = [
        tf.Variable(tf.eye(spec.shape[-1]) if of_layer else 0.0) for spec, of_layer in zip(specs, logits, strict=True)
    ]

    def given(*arguments: Any) -> Any:
        """The function, of what a layer or a mask gives, or of a difference of sums, where its rule asks for that."""
        taken = list(arguments)
        for place, of in enumerate(kinds):
            if "logits" in of:
                taken[place] = tf.matmul(taken[place], weights[place])
            if "cancelling" in of:
                taken[place] = tf.reduce_sum(taken[place][None], 0) - tf.zeros_like(taken[place])
            if "selection" in of:
                taken[place] = tf.boolean_mask(taken[place], tf.ones_like(taken[place], bool))
        return held.function(*taken)

    compiled = any("compiled" in p.kinds for p in program.preconditions.values()) or None
    with tf.variable_creator_scope(held.same_variables()):
        function = tf.function(given if any(kinds) else held.function, autograph=False, jit_compile=compiled)
        traced = function.get_concrete_function(*specs)
    return lint_concrete(
        traced,
        rules=program.rules,
        ranges=ranges,
        witness=program.witness,
        differentiate=differentiated,
        pedantic=pedantic or asks_for_a_hint(program),
    )


EPSILONS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


def far(got: Outcome, exact: Outcome, dtype: str, gradients: bool = False) -> bool:
    """Whether a value, or one of the gradients where they are asked for, has lost most of its digits."""
    pairs = list(zip(got.values, exact.values, strict=True))
    if gradients:
        pairs += zip(got.gradients, exact.gradients, strict=True)
    return any(_error(g, e) > max(1e-3, 100 * EPSILONS[dtype]) for g, e in pairs)


def close(got: Outcome, exact: Outcome, tolerance: float, floor: float = 0.0) -> bool:
    """Whether values agree to a relative tolerance, and gradients too, to an absolute one where they cancel."""
    values = all(_error(g, e, floor) <= tolerance for g, e in zip(got.values, exact.values, strict=True))
    gradients = all(
        _error(g, e, floor=0.1) <= 10 * tolerance for g, e in zip(got.gradients, exact.gradients, strict=True)
    )
    return values and gradients


def _error(got: np.ndarray, exact: np.ndarray, floor: float = 0.0) -> float:
    """The largest difference over the largest magnitude."""
    if got.dtype.kind != "f":
        return 0.0 if np.array_equal(got, exact) else INF
    scale = max(float(np.max(np.abs(exact), initial=0.0)), floor)
    difference = float(np.max(np.abs(got - exact), initial=0.0))
    return 0.0 if difference == 0 else difference / scale if scale else INF
