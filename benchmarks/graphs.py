"""How long the graph pass takes, beside how long TensorFlow took to trace: on models, and on graphs of growing size.

Prints one line a graph: operations, seconds of CPU to trace and to lint, their quotient, findings.

    python benchmarks/graphs.py models [NAME ...]      # the models of tests/architectures.py
    python benchmarks/graphs.py distributions          # with TensorFlow Probability installed
    python benchmarks/graphs.py sizes
    python benchmarks/graphs.py                        # everything
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / part) for part in ("", "tests")]

SIZES = (6_250, 12_500, 25_000, 50_000)
"""How many operations the graphs of growing size have."""


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and the seconds of CPU it took."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def warm_up() -> None:
    """Load what is loaded once a process, which is no part of what a graph costs."""
    from tfnanlint.graph import lint_concrete

    _, seconds = timed(lambda: lint_concrete(chain(25)()))
    print(f"once a process: {seconds:.2f} s of CPU")


def measure(name: str, trace: Callable[[], Any]) -> tuple[int, float, float]:
    """Trace and lint one program and print the line."""
    from tfnanlint.graph import lint_concrete

    concrete, traced = timed(trace)
    findings, linted = timed(lambda: lint_concrete(concrete))
    count = operations(concrete)
    print(f"{name:44} {count:7} ops  trace {traced:7.2f} s  lint {linted:6.2f} s  {linted / traced:6.1%}", flush=True)
    for finding in findings:
        print(f"    {finding.path}:{finding.line}:{finding.column} {finding.rule} {finding.certainty} {finding.node}")
        print(f"        {finding.evidence}")
    return count, traced, linted


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
    total_traced = total_linted = 0.0
    for name in names or everything:
        for mixed in (False, True):
            model, kind = built(everything[name], mixed)
            for way, trace in traces(model, kind).items():
                _, traced, linted = measure(f"{name} {way}{' mixed' if mixed else ''}", trace)
                total_traced, total_linted = total_traced + traced, total_linted + linted
    print(f"all: trace {total_traced:.1f} s, lint {total_linted:.1f} s, {total_linted / total_traced:.1%}")


def distributions() -> None:
    """The `log_prob` of distributions of TensorFlow Probability, and its gradient; the findings there are real ones."""
    import tensorflow as tf
    import tensorflow_probability as tfp

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
    for name, program in programs.items():

        def gradient(x: Any, a: Any, b: Any, program: Callable[..., Any] = program) -> Any:
            with tf.GradientTape() as tape:
                tape.watch((x, a, b))
                total = tf.reduce_sum(program(x, a, b))
            return tape.gradient(total, (x, a, b))

        for way, function in (("log_prob", program), ("gradient", gradient)):
            traced = tf.function(function, autograph=False)
            measure(f"{name} {way}", lambda traced=traced: traced.get_concrete_function(*[tf.TensorSpec((3, 3))] * 3))


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
        found, _, linted = measure(f"chain of {count}", chain(count))
        print(f"    {linted / found * 1e6:.0f} microseconds an operation")


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
