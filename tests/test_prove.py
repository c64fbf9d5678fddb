"""`--prove`: a proved finding comes with inputs on which TensorFlow shows it, what is sound is never proved."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_cases import hazards

from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS
from tfnanlint.graph import child_process, job
from tfnanlint.graph.lint import examined
from tfnanlint.graph.prove import Attempt, Prover
from tfnanlint.graph.quiet import quiet
from tfnanlint.graph.specs import parse_spec
from tfnanlint.graph.tracing import subjects_of


@pytest.fixture(autouse=True)
def _within(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested here happens within this process: `test_child_process` tests what happens in another."""

    def events_here(given: job.Job, reading: float | None) -> Iterator[job.Event]:
        with quiet():
            yield from job.events(given)

    monkeypatch.setattr(child_process, "events", events_here)


CASES = Path(__file__).parent / "cases"
PROVE = ("--prove", "--prove-seconds", "90")
"""Time enough on a machine that is busy."""


def proofs(held: Any, *specs: str, seconds: float = 90.0, **options: Any) -> list[tuple[str, int, Attempt]]:
    """(rule, line, what came of proving it) of the findings in an object of Python."""
    found = []
    for subject in subjects_of("case:held", held, [parse_spec(spec) for spec in specs]):
        lowered = subject.lowered()
        pairs = examined(lowered, differentiate=subject.differentiate, unshown=True, **{"pedantic": True, **options})
        prover = Prover(subject, lowered, [match for _, match in pairs])
        for finding, match in pairs:
            found.append((finding.rule, finding.line, prover.attempt(match, seconds)))
    return found


# The programs that died, through the command line.

ENTROPY = "from log_probability_sigmoid import loss_fn"
POLICY = "from log_probability_model import Policy; policy = Policy()"
PATCHED = "from nan_patch_class import Regressor; model = Regressor(); model.compile('sgd', 'mse')"
OBJECTIVE = "from norm_regression_helper import objective"
ENERGIES = "from small_logits_class import EnergyHead; head = EnergyHead(6)"
LOGITS = """import tensorflow as tf
import small_logits_helper as case

def probabilities(x):
    return tf.nn.softmax(case.to_logits(case.activations(x)))
"""
PENALTY = """from gradient_penalty_class import ConditionalWGAN

gan = ConditionalWGAN()
gan.critic_optimizer.build(gan.critic.trainable_variables)
"""
OWN_STEP = """import keras
from gradient_penalty_keras_model import WGAN

model = WGAN()
model.compile(optimizer=keras.optimizers.SGD(0.1))
"""
DIED: dict[str, tuple[str, str, Sequence[str]]] = {
    "norm_regression_helper": (OBJECTIVE, "objective", ("float32[2,2]", "float32[2,3]")),
    "small_logits_helper": (LOGITS, "probabilities", ("float32[3,2]",)),
    "small_logits_class": (ENERGIES, "head", ("float32[2,5]",)),
    "gradient_penalty_class": (PENALTY, "gan.train_critic", ("float32[6,4]", "float32[6,2]")),
    "gradient_penalty_keras_model": (OWN_STEP, "model", ("float32[2,3]",)),
    "nan_patch_class": (PATCHED, "model", ("float32[2,2]", "float32[2,1]")),
    "log_probability_model": (POLICY, "policy.log_prob", ("float32[2,1]", "float32[2,3]")),
    "log_probability_sigmoid": (ENTROPY, "loss_fn", ("float32[2,1]", "float32[2,2]")),
}
"""Each with a module that names what is traced, its target, and what it is traced on."""


def shown_again(proof: dict[str, Any]) -> str:
    """What the few lines of a proof print."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(proof["reproduction"], {})
    return printed.getvalue()


@pytest.mark.parametrize("name", DIED)
def test_a_program_that_died_is_reported_on_its_line_when_traced_and_its_proof_dies_again(
    name: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    text, target, specs = DIED[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(CASES))
    Path(f"of_{name}.py").write_text(text)
    options = [word for spec in specs for word in ("--input-spec", spec)]
    assert main(["graph", f"of_{name}.py:{target}", *options, *PROVE, "--output-format", "json"]) == FINDINGS
    found = json.loads(capsys.readouterr().out)
    path = CASES / f"{name}.py"
    assert {(f["line"], f["rule"]) for f in found} == {(line, rule) for _, line, rule in hazards(path)}
    for finding in found:
        assert Path(finding["path"]).resolve() == path
        proof = finding["proof"]
        assert proof["status"] == "proved", proof
        assert Path(proof["file"]).is_file()
        assert len(proof["reproduction"].splitlines()) <= 5
        printed = shown_again(proof)
        assert re.search(r"\b(nan|inf)\b|\['", printed), f"{proof['reproduction']}\n{printed}"


# What is searched for, and where.


def test_a_point_is_found_down_the_slope() -> None:
    import tensorflow as tf

    def far(x: Any) -> Any:
        return tf.math.log(tf.nn.relu(tf.abs(x - 7.25) - 1e-3))

    (found,) = proofs(far, "float32[]")
    assert found[2].status == "proved"
    assert abs(float(found[2].values[0]) - 7.25) <= 2e-3


def test_inputs_stay_within_the_ranges_that_are_given() -> None:
    import tensorflow as tf

    def shifted(x: Any) -> Any:
        return tf.math.log(tf.nn.relu(x - 5.0))

    found = proofs(shifted, "float32[3]", ranges={"x": (0.0, 255.0)})
    assert {got.status for _, _, got in found} == {"proved"}
    assert all((got.values[0] >= 0.0).all() for _, _, got in found)
    found = proofs(shifted, "float32[3]", ranges={"x": (2.0, 1e4)})
    assert {got.status for _, _, got in found} == {"proved"}


def test_a_finding_is_not_proved_by_what_another_one_makes() -> None:
    import tensorflow as tf

    def both(x: Any) -> Any:
        one = x - tf.reverse(tf.reverse(x, [0]), [0]) + 1.0  # which ranges do not show
        return tf.math.log(tf.nn.relu(one)), tf.norm(one - 1.0)

    found = proofs(both, "float32[3]", seconds=12.0)
    assert [(rule, got.status) for rule, _, got in found] == [("log-relu", "not reached"), ("norm-at-zero", "proved")]


def test_what_shows_only_with_another_finding_mended_is_told_so() -> None:
    import tensorflow as tf

    def half(x: Any) -> Any:
        scores = tf.cast(x, tf.float16) + (1.0 - tf.ones([3], tf.float16)) * -1e9  # NaN, whatever comes in
        return tf.exp(scores)

    found = proofs(half, "float32[3]")
    assert [(rule, got.status, got.behind) for rule, _, got in found] == [
        ("mask-float16", "proved", False),
        ("exp-overflow-float16", "proved", True),
    ]


def test_findings_that_break_at_the_same_values_are_each_proved() -> None:
    import tensorflow as tf

    def twice(x: Any) -> Any:
        first = tf.norm(x, axis=-1)
        return tf.reduce_sum(first) + tf.norm(x)

    found = proofs(twice, "float32[2,2]")
    assert [(rule, got.status, got.what) for rule, _, got in found] == [("norm-at-zero", "proved", "gradient")] * 2


def test_what_the_result_does_not_show_is_not_proved() -> None:
    import tensorflow as tf

    def dropped(x: Any) -> Any:
        told = tf.math.log(tf.nn.relu(x))
        return tf.where(tf.math.is_finite(told), tf.stop_gradient(told), 0.0)

    found = proofs(dropped, "float32[3]", seconds=2.0)
    assert [got.status for _, _, got in found if got.status == "proved"] == []


def _branch(tf: Any, x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 5.0, lambda: tf.math.log(tf.nn.softmax(x)), lambda: x)


def _case(tf: Any, x: Any) -> Any:
    return tf.switch_case(tf.cast(x[0, 0] > 3.0, tf.int32), [lambda: x, lambda: x / tf.norm(x[1])])


def _loop(tf: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v / tf.norm(v, axis=-1, keepdims=True)), (0, x))[1]


def _rows(tf: Any, x: Any) -> Any:
    return tf.map_fn(tf.norm, x)


def _call(tf: Any, x: Any) -> Any:
    return tf.function(lambda v: tf.math.log(tf.nn.relu(v)), autograph=False)(x)


def _nested(tf: Any, x: Any) -> Any:
    def turn(i: Any, v: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i, 1), lambda: tf.sqrt(tf.nn.relu(v)), lambda: v - 1.0)

    return tf.while_loop(lambda i, v: i < 3, turn, (0, x))[1]


@pytest.mark.parametrize("program", [_branch, _case, _loop, _rows, _call, _nested])
@pytest.mark.parametrize("trains", [False, True])
def test_what_goes_wrong_inside_a_branch_a_loop_or_a_call_is_proved(program: Any, trains: bool) -> None:
    import tensorflow as tf

    w = tf.Variable(tf.ones((2, 2)))

    def step(x: Any) -> Any:
        if not trains:
            return program(tf, x)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(program(tf, x * w))
        w.assign_sub(tape.gradient(loss, w))
        return loss

    found = proofs(step, "float32[2,2]", seconds=120.0)
    assert [got.status for _, _, got in found] == ["proved"], [got.reason for _, _, got in found]


def test_a_program_with_gradients_of_its_own_is_run() -> None:
    import tensorflow as tf

    found = proofs(lambda x: tf.norm(tf.nn.silu(x)), "float32[3]")
    assert [(rule, got.status, got.what) for rule, _, got in found] == [("norm-at-zero", "proved", "gradient")]


def test_a_program_with_gradients_of_its_own_over_variables_is_run() -> None:
    import tensorflow as tf

    w = tf.Variable(tf.ones((3, 2)))

    @tf.custom_gradient
    def layer(x: Any) -> Any:
        y = tf.tanh(x @ w)

        def gradient(slope: Any, variables: Any = None) -> Any:
            inner = slope * (1.0 - y * y)
            return inner @ tf.transpose(w), [tf.transpose(x) @ inner for _ in variables]

        return y, gradient

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.norm(layer(x))
        w.assign_sub(tape.gradient(loss, w))
        return loss

    found = proofs(step, "float32[2,3]")
    assert [(rule, got.status, got.what) for rule, _, got in found] == [("norm-at-zero", "proved", "gradient")]


def test_a_program_that_does_not_end_is_left_when_the_time_is_over() -> None:
    import tensorflow as tf

    def endless(x: Any) -> Any:
        (y,) = tf.while_loop(lambda v: tf.reduce_all(tf.math.is_finite(v)), lambda v: (tf.sin(v),), (x,))
        return tf.math.log(tf.nn.softmax(y))

    found = proofs(endless, "float32[2,2]", seconds=1.0)
    assert {(rule, got.status) for rule, _, got in found} == {("log-softmax", "not reached")}


def test_what_cannot_be_reached_is_not_proved() -> None:
    import tensorflow as tf

    def positive(x: Any) -> Any:
        return tf.math.log(tf.nn.relu(x * x - x + 1.0))  # at least 0.75, which no range tells

    found = proofs(positive, "float32[3]", seconds=2.0)
    assert {(rule, got.status) for rule, _, got in found} == {("log-relu", "not reached")}


def test_a_function_is_run_in_the_mode_in_which_it_goes_wrong() -> None:
    import tensorflow as tf

    compiled = tf.function(lambda x: tf.math.log(tf.nn.softmax(x)), jit_compile=True)
    (found,) = proofs(compiled, "float32[2,3]")
    assert (found[2].status, found[2].mode) == ("proved", "xla")


def test_variables_of_the_program_are_left_as_they_are() -> None:
    import tensorflow as tf

    w = tf.Variable([1.0, 2.0])

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.norm(w * x)
        w.assign_sub(tape.gradient(loss, w))
        return loss

    (found,) = proofs(step, "float32[2]")
    assert (found[2].status, found[2].what) == ("proved", "gradient")
    assert w.numpy().tolist() == [1.0, 2.0]


def test_a_number_that_its_type_does_not_hold_is_part_of_what_goes_wrong() -> None:
    (found,) = proofs(lambda m: m * -1e9, "float16[3]")
    assert (found[0], found[2].status, found[2].what) == ("mask-float16", "proved", "value")


def test_a_step_under_a_distribution_strategy_is_run() -> None:
    import tensorflow as tf

    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        w = tf.Variable(tf.ones((4, 3)))

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = -tf.reduce_sum(tf.math.log(tf.nn.softmax(x @ w)))
        context = tf.distribute.get_replica_context()
        w.assign_sub(context.all_reduce(tf.distribute.ReduceOp.SUM, tape.gradient(loss, w)))
        return loss

    (found,) = proofs(lambda x: strategy.run(step, (x,)), "float32[2,4]")
    assert (found[0], found[2].status) == ("log-softmax", "proved")


def test_of_what_a_line_computes_twice_that_is_run_whose_result_is_used() -> None:
    import tensorflow as tf

    def entropy(x: Any) -> Any:
        return tf.math.log(tf.nn.softmax(x))

    def program(x: Any) -> Any:
        entropy(x - 1.0)
        return entropy(x)

    (found,) = proofs(program, "float32[2,3]")
    assert found[2].status == "proved"


def test_a_line_that_fails_again_on_what_it_gave_is_proved() -> None:
    import tensorflow as tf

    def normalized(x: Any, links: Any) -> Any:
        return tf.matmul(links * tf.pow(tf.reduce_sum(links, -1, keepdims=True), -0.5), x)

    def program(x: Any, links: Any) -> Any:
        links = tf.cast(links, tf.float32)
        return normalized(normalized(x, links), links)

    (found,) = proofs(program, "float32[2,2,3]", "bool[2,2,2]")
    assert found[2].status == "proved"


def test_what_cannot_be_run_is_not_tried_and_says_why() -> None:
    import tensorflow as tf

    def lookup(x: Any, names: Any) -> Any:
        return tf.math.log(tf.nn.softmax(x)), tf.strings.length(names)

    (found,) = proofs(lookup, "float32[2,3]", "string[2]")
    assert (found[2].status, found[2].reason) == ("not tried", "its input names has dtype string")
    (found,) = proofs(lambda x: tf.math.log(tf.nn.softmax(x)), "float32")
    assert found[2].reason == "the shape of its input x is unknown"


def test_a_graph_that_may_do_more_than_compute_is_not_run(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    import tensorflow as tf

    monkeypatch.chdir(tmp_path)
    spec = tf.TensorSpec([2, 3], tf.float32, name="x")
    text = tf.function(
        lambda x: tf.math.log(tf.nn.softmax(x + tf.strings.to_number(tf.io.read_file("number.txt"))))
    ).get_concrete_function(spec)
    Path("reads.pb").write_bytes(text.graph.as_graph_def().SerializeToString())
    assert main(["graph", "reads.pb", *PROVE, "--output-format", "json", "--quiet"]) == FINDINGS
    (found,) = json.loads(capsys.readouterr().out)
    assert found["proof"]["status"] == "not tried"
    assert found["proof"]["reason"].endswith("may do more than compute; --allow-code permits it")


def test_saved_graphs_are_run_with_what_they_were_saved_with(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    import tensorflow as tf

    monkeypatch.chdir(tmp_path)
    module = tf.Module()
    module.w = tf.Variable(tf.reshape(tf.range(12.0), (4, 3)))
    spec = tf.TensorSpec([None, 4], tf.float32, name="x")
    module.f = tf.function(lambda x: tf.math.log(tf.nn.softmax(x @ module.w)), input_signature=[spec])
    tf.saved_model.save(module, "saved", signatures={"f": module.f})
    module.w.assign(tf.zeros((4, 3)))
    unit = tf.function(lambda x: x / tf.norm(x, axis=-1, keepdims=True)).get_concrete_function(spec)
    Path("unit.pb").write_bytes(unit.graph.as_graph_def().SerializeToString())
    for options in ((), ("--allow-code",)):
        assert main(["graph", "saved", "unit.pb", *PROVE, "--output-format", "json", "--quiet", *options]) == FINDINGS
        found = json.loads(capsys.readouterr().out)
        assert [(f["rule"], f["path"], f["proof"]["status"]) for f in found] == [
            ("log-softmax", str(Path("saved/saved_model.pb")), "proved"),
            ("divide-by-norm", "unit.pb", "proved"),
        ]
        for finding in found:
            assert len(finding["proof"]["reproduction"].splitlines()) <= 5
            assert re.search(r"\b(nan|inf)\b", shown_again(finding["proof"]))


# What is told.

PROGRAM = """\
import keras
import tensorflow as tf

scale = tf.Variable([1.0, 1.0, 1.0])
other = tf.Variable([2.0, 2.0, 2.0])


def entropy(x):
    return tf.math.log(tf.nn.softmax(x * other))


def length(x, axis):
    return tf.norm(x * scale + 0.0 * other, axis=axis)


keras.utils.set_random_seed(1)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
model.compile("sgd", lambda y, p: -tf.reduce_sum(y * tf.math.log(p), axis=-1))
"""


def test_a_proof_is_saved_and_its_few_lines_show_it_again(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("proved_program.py").write_text(PROGRAM)
    targets = ("proved_program:entropy", "proved_program:model", "proved_program.py:length")
    specs = ("--input-spec", "float32[2,3]")
    status = main(["graph", targets[0], *specs, *PROVE, "--output-format", "json", "--quiet"])
    found = json.loads(capsys.readouterr().out)
    status |= main(["graph", targets[1], *PROVE, "--output-format", "json", "--quiet"])
    found += json.loads(capsys.readouterr().out)
    extra = ("--input-spec", "axis=-1", *PROVE, "--output-format", "json", "--quiet")
    status |= main(["graph", targets[2], *specs, *extra])
    found += json.loads(capsys.readouterr().out)
    assert status == FINDINGS
    assert [(f["rule"], f["certainty"], f["proof"]["what"], f["proof"]["mode"]) for f in found] == [
        ("log-softmax", "certain", "gradient", "graph"),
        ("log-softmax", "certain", "value", "graph"),
        ("norm-at-zero", "certain", "gradient", "graph"),
    ]
    for finding in found:
        proof = finding["proof"]
        assert proof["status"] == "proved"
        with np.load(proof["file"]) as given:
            assert set(proof["inputs"]) <= set(given.files)
        assert len(proof["reproduction"].splitlines()) <= 5
        printed = shown_again(proof)
        assert "nan" in printed or "inf" in printed, proof["reproduction"]


def test_the_report_tells_what_came_of_it(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("told_program.py").write_text(
        "import tensorflow as tf\n\n\ndef entropy(x):\n    return tf.math.log(tf.nn.softmax(x))\n\n\n"
        "def hushed(x):\n    return tf.math.log(tf.nn.softmax(x))  # tfnanlint: ignore[log-softmax]\n"
    )
    assert main(["graph", "told_program.py:entropy", "--input-spec", "float32[1,2]", *PROVE]) == FINDINGS
    out = capsys.readouterr().out
    assert "   proved: the gradient is not finite at x = [[" in out
    assert "in graph mode\n       import numpy as np, tensorflow as tf; from told_program import entropy\n" in out
    (script,) = Path("tfnanlint-proofs").glob("*.py")
    assert (
        script.read_text().splitlines()[1].startswith("# log-softmax at told_program.py:5: `log` of a softmax is -inf")
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert "nan" in done.stdout
    assert Path("tfnanlint-proofs/.gitignore").read_text() == "*\n"
    assert main(["--show-files", "."]) == CLEAN
    assert capsys.readouterr().out == "told_program.py\n"
    target = ("told_program.py:hushed", "--input-spec", "float32[1,2]", "--ignore", "log-reaches-zero")
    Path("tfnanlint-proofs").rename("before")
    assert main(["graph", *target, *PROVE, "--quiet"]) == CLEAN
    assert not Path("tfnanlint-proofs").exists()


def test_a_time_limit_is_a_number_of_seconds(capsys: Any) -> None:
    for text in ("0", "-1", "nan", "soon"):
        with pytest.raises(SystemExit):
            main(["graph", "a:b", "--prove", "--prove-seconds", text])
        assert f"{text!r} is not a positive number of seconds" in capsys.readouterr().err


MIXTURE = """\
import tensorflow as tf

weights = tf.Variable(0.3 * tf.random.stateless_normal([6, 9], [1, 2]))


def likelihood(x, y):
    shares, means, spreads = tf.split(tf.matmul(x, weights), 3, axis=-1)
    spreads = tf.nn.softplus(spreads) + 1e-3
    far = (y[:, None] - means) / spreads
    return tf.math.log(tf.reduce_sum(tf.nn.softmax(shares) * tf.exp(-0.5 * far * far) / spreads, -1))
"""


def test_a_density_that_underflows_far_from_the_data_is_proved(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mixture_density.py").write_text(MIXTURE)
    specs = "--input-spec", "float32[None,6]", "--input-spec", "float32[None]"
    command = ["graph", "mixture_density.py:likelihood", *specs, "--isolated", "--output-format", "concise"]
    assert main([*command, *PROVE]) == FINDINGS
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("mixture_density.py:10:12: error (certain)")


def test_what_a_function_takes_is_not_sought_beyond_what_it_is_called_with() -> None:
    import tensorflow as tf

    from tfnanlint import lint_function

    def shifted(x: Any) -> Any:
        return tf.math.log(0.05 + 0.9 * x)

    def multiplied(x: Any, y: Any) -> Any:
        return tf.math.log(x * y + 0.05)

    spec = tf.TensorSpec([2, 3])
    assert lint_function(shifted, spec, prove=True) == []
    assert [finding.certainty for finding in lint_function(multiplied, spec, spec, prove=True)] == ["certain"] * 2


def test_graphs_and_their_definitions_are_run_from_python() -> None:
    import tensorflow as tf

    from tfnanlint import lint_graph

    graph = tf.Graph()
    with graph.as_default():
        scores = tf.compat.v1.placeholder(tf.float32, [None, 4], name="scores")
        tf.math.log(tf.nn.softmax(scores))
    traced = tf.function(lambda scores: tf.math.log(tf.nn.softmax(scores)))
    concrete = traced.get_concrete_function(tf.TensorSpec([None, 4]))
    for given in (graph, graph.as_graph_def(), concrete, concrete.graph):
        (found,) = lint_graph(given, prove=True)
        assert (found.rule, found.certainty, found.proved) == ("log-softmax", "certain", True)
    with graph.as_default():
        tf.math.log(tf.nn.softmax(scores @ tf.compat.v1.get_variable("kernel", [4, 2])))
    reasons = [found.proof["reason"] for found in lint_graph(graph, prove=True) if found.proof and not found.proved]
    assert set(reasons) == {"the value of its variable kernel is unknown"}
