"""How long the graph pass takes, beside how long TensorFlow took to trace: on models, and on graphs of growing size.

Prints one line a graph: operations, seconds of CPU to trace and to lint, their quotient, findings; then how many of the
graphs were linted within a quarter of the time that tracing took, and the slowest of them.

    python benchmarks/graphs.py models [NAME ...]      # the models of tests/architectures.py
    python benchmarks/graphs.py distributions          # with TensorFlow Probability installed
    python benchmarks/graphs.py sizes
    python benchmarks/graphs.py                        # everything
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parents[1] / part) for part in ("", "tests")]

A_QUARTER = 0.25
SIZES = (6_250, 12_500, 25_000, 50_000)
"""How many operations the graphs of growing size have."""


class Measured(NamedTuple):
    """What tracing and linting one graph took, in seconds of CPU."""

    name: str
    operations: int
    traced: float
    linted: float

    @property
    def share(self) -> float:
        return self.linted / self.traced


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and the seconds of CPU it took."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def warm_up() -> None:
    """Lint a first graph, behind which all is loaded that is loaded once a process."""
    small = chain(25)()

    def first() -> None:
        from tfnanlint.graph import lint_concrete

        lint_concrete(small)

    _, seconds = timed(first)
    print(f"once a process: {seconds:.2f} s of CPU")


def measure(name: str, trace: Callable[[], Any]) -> Measured:
    """Trace and lint one program and print the line."""
    from tfnanlint.graph import lint_concrete

    concrete, traced = timed(trace)
    findings, linted = timed(lambda: lint_concrete(concrete))
    one = Measured(name, operations(concrete), traced, linted)
    print(
        f"{name:44} {one.operations:7} ops  trace {traced:7.3f} s  lint {linted:6.3f} s  {one.share:6.1%}", flush=True
    )
    for finding in findings:
        print(f"    {finding.path}:{finding.line}:{finding.column} {finding.rule} {finding.certainty} {finding.node}")
        print(f"        {finding.evidence}")
    return one


def summary(found: list[Measured]) -> None:
    """How the times compare, in sum and graph by graph."""
    traced, linted = sum(one.traced for one in found), sum(one.linted for one in found)
    print(f"all {len(found)}: trace {traced:.1f} s, lint {linted:.1f} s, {linted / traced:.1%}")
    worst = max(found, key=lambda one: one.share)
    within = sum(one.share <= A_QUARTER for one in found)
    print(f"within a quarter: {within} of {len(found)}; the slowest is {worst.name} with {worst.share:.1%}")


def operations(concrete: Any) -> int:
    """How many operations a graph and its functions have."""
    from tfnanlint.graph.lower import read

    graph = read(concrete)
    functions = [graph.functions.function(name) for name in graph.functions]
    return len(graph.operations) + sum(len(function.operations) for function in functions if function is not None)


def models(names: list[str]) -> None:
    """Models of Keras, forward and in training, in float32 and in mixed precision."""
    from architectures import APPLICATIONS, SMALL, built, traces

    everything = {**SMALL, **APPLICATIONS}
    found = []
    for name in names or everything:
        for mixed in (False, True):
            model, kind = built(everything[name], mixed)
            for way, trace in traces(model, kind).items():
                found.append(measure(f"{name} {way}{' mixed' if mixed else ''}", trace))
    summary(found)


def distributions() -> None:
    """The `log_prob` of distributions of TensorFlow Probability, and its gradient; the findings there are real ones."""
    import tensorflow as tf
    import tensorflow_probability as tfp

    warm_up()  # again: it brings a Keras of its own
    d = tfp.distributions
    softplus, exp = tf.nn.softplus, tf.exp
    programs: dict[str, Callable[..., Any]] = {
        "Normal": lambda x, a, b: d.Normal(a, softplus(b)).log_prob(x),
        "LogNormal": lambda x, a, b: d.LogNormal(a, softplus(b)).log_prob(exp(x)),
        "Beta": lambda x, a, b: d.Beta(exp(a), exp(b)).log_prob(tf.sigmoid(x)),
        "Gamma": lambda x, a, b: d.Gamma(exp(a), exp(b)).log_prob(exp(x)),
        "Dirichlet": lambda x, a, b: d.Dirichlet(exp(a)).log_prob(tf.nn.softmax(x)),
        "Bernoulli": lambda x, a, b: d.Bernoulli(logits=a).log_prob(tf.cast(x > 0, tf.int32)),
        "Categorical": lambda x, a, b: d.Categorical(logits=a).log_prob(tf.argmax(x, -1)),
        "StudentT": lambda x, a, b: d.StudentT(4.0, a, softplus(b)).log_prob(x),
        "VonMises": lambda x, a, b: d.VonMises(a, softplus(b)).log_prob(x),
        "Laplace": lambda x, a, b: d.Laplace(a, softplus(b)).log_prob(x),
        "Mixture": lambda x, a, b: d.MixtureSameFamily(d.Categorical(logits=a), d.Normal(b, 1.0)).log_prob(x[..., 0]),
        "MultivariateNormal": lambda x, a, b: d.MultivariateNormalTriL(a, tf.eye(3)).log_prob(x),
        "Poisson": lambda x, a, b: d.Poisson(log_rate=a).log_prob(tf.round(softplus(x))),
        "NegativeBinomial": lambda x, a, b: d.NegativeBinomial(exp(a), logits=b).log_prob(tf.round(exp(x))),
        "Weibull": lambda x, a, b: d.Weibull(exp(a), exp(b)).log_prob(exp(x)),
        "TruncatedNormal": lambda x, a, b: d.TruncatedNormal(a, softplus(b), -1.0, 1.0).log_prob(tf.tanh(x)),
        "Uniform": lambda x, a, b: d.Uniform(0.0, 1.0).log_prob(x),
        "RelaxedOneHot": lambda x, a, b: d.RelaxedOneHotCategorical(0.5, logits=a).log_prob(tf.nn.softmax(x)),
    }
    found = []
    for name, program in programs.items():

        def gradient(x: Any, a: Any, b: Any, program: Callable[..., Any] = program) -> Any:
            with tf.GradientTape() as tape:
                tape.watch((x, a, b))
                total = tf.reduce_sum(program(x, a, b))
            return tape.gradient(total, (x, a, b))

        for way, function in (("log_prob", program), ("gradient", gradient)):
            traced = tf.function(function, autograph=False)
            trace = partial(traced.get_concrete_function, *[tf.TensorSpec((3, 3))] * 3)
            found.append(measure(f"{name} {way}", trace))
    summary(found)


def chain(count: int) -> Callable[[], Any]:
    """A program of about so many operations: a chain of calls that are folded and calls that are not."""
    import tensorflow as tf

    def program(x: Any) -> Any:
        for _ in range(count // 25):
            x = tf.nn.l2_normalize(x, axis=-1) + tf.nn.softplus(x)
            x = tf.where(x > 0.0, tf.sqrt(tf.maximum(x, 1e-6)), x) * 0.5
            x = x - tf.reduce_logsumexp(x, axis=-1, keepdims=True)
        return x

    return lambda: tf.function(program, autograph=False).get_concrete_function(tf.TensorSpec((4, 4)))


def sizes() -> None:
    """Graphs of growing size: the time an operation takes must not grow."""
    for count in SIZES:
        one = measure(f"chain of {count}", chain(count))
        print(f"    {one.linted / one.operations * 1e6:.0f} microseconds an operation")


def main() -> None:
    what = sys.argv[1] if len(sys.argv) > 1 else "all"
    warm_up()
    if what in ("models", "all"):
        models(sys.argv[2:])
    if what in ("distributions", "all"):
        distributions()
    if what in ("sizes", "all"):
        sizes()


if __name__ == "__main__":
    main()
