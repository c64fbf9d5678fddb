"""Distributions of TensorFlow Probability: what densities, divergences and moments compute, in ops of the table.

Only what can break is written out: the division by a scale, the logarithm of a scale, of a rate or of a probability.
The rest of a density is left out; its value is not known anyway.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tfnanlint.flow import WITHIN, Node
from tfnanlint.source import grammar
from tfnanlint.source.values import Layer, Origin, Scope, Value

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

PREFIXES = (
    "tensorflow_probability.distributions.",
    "tensorflow_probability.python.distributions.",
    "tf.distributions.",
    "tf.contrib.distributions.",
)
GAUSSIAN = frozenset(("Normal", "MultivariateNormalDiag"))
PARAMETERS = {
    "Normal": "loc scale",
    "LogNormal": "loc scale",
    "Laplace": "loc scale",
    "Logistic": "loc scale",
    "MultivariateNormalDiag": "loc scale_diag",
    "Bernoulli": "logits probs",
    "Categorical": "logits probs",
    "OneHotCategorical": "logits probs",
    "NegativeBinomial": "total_count logits probs",
    "Beta": "concentration1 concentration0",
    "Gamma": "concentration rate",
    "Exponential": "rate",
    "Poisson": "rate",
    "Dirichlet": "concentration",
}
UNIT = frozenset("Beta Bernoulli".split())
"""Distributions of numbers from 0 to 1."""
SHARES = frozenset("Dirichlet OneHotCategorical".split())
"""Distributions of numbers from 0 to 1 that sum to 1 over the last axis."""
POSITIVE = frozenset("LogNormal Gamma Exponential".split()) | SHARES
"""Distributions of positive numbers."""
SUPPORTS = {**dict.fromkeys(UNIT, (0.0, 1.0)), **dict.fromkeys(POSITIVE, (0.0, math.inf))}
"""What the draws and the mean of a distribution lie within."""
MARK = "distribution "
"""How the kind of a distribution is told from that of a layer."""
METHODS = frozenset(("log_prob", "prob", "entropy"))
CUMULATIVE = frozenset("cdf log_cdf survival_function log_survival_function".split())
"""Methods that take a point relative to a scale, and no logarithm of the scale."""
TAILS = frozenset({"cdf", "survival_function"})
"""Those of them that give a share, and not its logarithm: far out it underflows to 0."""
HALF_ROOT = math.sqrt(0.5)
DIVERGENCE = "kl_divergence"


def built(name: str, args: Arguments, origin: Origin) -> Layer | None:
    """A distribution with its parameters."""
    prefix, _, last = name.rpartition(".")
    if f"{prefix}." not in PREFIXES or last not in PARAMETERS:
        return None
    given: dict[str, Value] = {}
    for place, key in enumerate(PARAMETERS[last].split()):
        value = args.get(place, key)
        if value is not None:
            given[key] = value
    return Layer(MARK + last, given, origin)


class _Density:
    """A density while it is written out at one call."""

    def __init__(self, low: Lowering, held: Layer, node: grammar.Syntax, scope: Scope) -> None:
        self.low = low
        self.given = {key: low.tensor(value, node, scope) for key, value in held.arguments.items()}
        self.origin = replace(low.origin(node, scope), written=False)

    def op(self, name: str, *operands: Node) -> Node:
        return self.low.flow.add(name, operands, {}, self.origin)

    def one_less(self, x: Node) -> Node:
        return self.op("subtract", x, self.low.flow.constant(1.0, self.origin))


def _scale(at: _Density) -> Node | None:
    return at.given.get("scale") or at.given.get("scale_diag")


def _scaled(at: _Density, x: Node | None) -> list[Node]:
    """Of a location and a scale: the point over the scale, and the scale's logarithm."""
    scale = _scale(at)
    if scale is None:
        return []
    location = at.given.get("loc")
    away = at.op("subtract", x, location) if x is not None and location is not None else x
    return [*([at.op("divide", away, scale)] if away is not None else []), at.op("log", scale)]


def _log_scaled(at: _Density, x: Node | None) -> list[Node]:
    """Of the location and the scale of a logarithm: those terms, at the logarithm of the point."""
    return _scaled(at, at.op("log", x) if x is not None else None)


def _weighted(at: _Density, x: Node | None) -> list[Node]:
    """Of probabilities: their logarithms."""
    probabilities = at.given.get("probs")
    return [] if probabilities is None else [at.op("log", probabilities)]


def _binary(at: _Density, x: Node | None) -> list[Node]:
    """Of one probability: its logarithm and that of its complement."""
    probability = at.given.get("probs")
    if probability is None:
        return []
    return [at.op("log", probability), at.op("log1p", at.op("neg", probability))]


def _beta(at: _Density, x: Node | None) -> list[Node]:
    """Of two concentrations: the logarithms of the point and its complement, times what they are above 1."""
    a, b = at.given.get("concentration1"), at.given.get("concentration0")
    if a is None or b is None or x is None:
        return []
    return [at.op("xlogy", at.one_less(a), x), at.op("xlog1py", at.one_less(b), at.op("neg", x))]


def _gamma(at: _Density, x: Node | None) -> list[Node]:
    """Of a concentration and a rate: the logarithm of the rate, and that of the point times what is above 1."""
    a, rate = at.given.get("concentration"), at.given.get("rate")
    if a is None or x is None:
        return []
    return [at.op("xlogy", at.one_less(a), x), *([at.op("log", rate)] if rate is not None else [])]


def _rated(at: _Density, x: Node | None) -> list[Node]:
    """Of a rate: its logarithm, which the point masks where it is 0."""
    rate = at.given.get("rate")
    if rate is None:
        return []
    return [at.op("multiply_no_nan", at.op("log", rate), x) if x is not None else at.op("log", rate)]


TERMS: dict[str, Callable[[_Density, Node | None], list[Node]]] = {
    "LogNormal": _log_scaled,
    "Bernoulli": _binary,
    "Categorical": _weighted,
    "OneHotCategorical": _weighted,
    "NegativeBinomial": _binary,
    "Beta": _beta,
    "Gamma": _gamma,
    "Exponential": lambda at, x: _rated(at, None),
    "Poisson": _rated,
}
MOMENTS: dict[str, Callable[[_Density], Node | None]] = {
    "mean": lambda at: at.given.get("loc"),
    "mode": lambda at: at.given.get("loc"),
    "stddev": _scale,
    "variance": lambda at: at.op("square", scale) if (scale := _scale(at)) is not None else None,
}
"""What a Gaussian tells of itself."""


def _bell(at: _Density, away: Node, log_scale: Node) -> Node:
    """A Gaussian density but for a constant factor: of how many scales a point is away, and of their logarithm."""
    half = at.low.flow.constant(0.5, at.origin)
    return at.op("exp", at.op("subtract", at.op("neg", at.op("multiply", half, at.op("square", away))), log_scale))


def _tail(at: _Density, away: Node, below: bool) -> Node:
    """The share of a Gaussian below or above a point that is so many scales away, as TensorFlow Probability has it."""
    root = at.op("multiply", at.low.flow.constant(-HALF_ROOT if below else HALF_ROOT, at.origin), away)
    return at.op("multiply", at.low.flow.constant(0.5, at.origin), at.op("erfc", root))


def attribute(held: Layer, name: str) -> Value | None:
    """A parameter of a distribution, by its name."""
    return held.arguments.get(name) if held.path.startswith(MARK) else None


def method(low: Lowering, held: Layer, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A density at a point, its logarithm, the entropy, a divergence, a moment, a share or a draw."""
    kind = held.path.removeprefix(MARK)
    if name in MOMENTS and kind in GAUSSIAN:
        return MOMENTS[name](_Density(low, held, node, scope))
    if name == DIVERGENCE:
        return _diverged(low, held, args.get(0, "other"), node, scope)
    if name == "sample" or (name == "mean" and kind in SUPPORTS):
        return _drawn(_Density(low, held, node, scope), kind, name, args)
    if name not in METHODS | CUMULATIVE:
        return None
    given = args.get(0, "value")
    at = _Density(low, held, node, scope)
    point = low.tensor(given, node, scope) if given is not None else None
    if name in CUMULATIVE:
        terms = _scaled(at, point)[:1] if kind not in TERMS and point is not None else list(at.given.values())
    else:
        terms = TERMS.get(kind, _scaled)(at, point)
    if name == "prob" and kind in GAUSSIAN and len(terms) == 2:
        return _bell(at, *terms)
    if name in TAILS and kind == "Normal" and len(terms) == 1:
        return _tail(at, terms[0], below=name == "cdf")
    result = low.flow.add("unknown", [*terms, *([point] if point is not None else [])], {}, at.origin)
    return at.op("exp", result) if name == "prob" else result


def divergence(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """The Kullback-Leibler divergence of two distributions."""
    held = args.get(0, "distribution_a")
    if not isinstance(held, Layer) or not held.path.startswith(MARK):
        return None
    return _diverged(low, held, args.get(1, "distribution_b"), node, scope)


def _diverged(low: Lowering, held: Layer, other: Value | None, node: grammar.Syntax, scope: Scope) -> Value | None:
    """The logarithms of both densities; of Gaussians, what is between them is measured by the other's scale."""
    if not isinstance(other, Layer) or other.path != held.path:
        return None
    one, two = _Density(low, held, node, scope), _Density(low, other, node, scope)
    kind = held.path.removeprefix(MARK)
    point = one.given.get("loc") if kind in GAUSSIAN else None
    terms = TERMS.get(kind, _scaled)
    return low.flow.add("unknown", [*terms(one, None), *terms(two, point)], {}, one.origin)


def _shared(at: _Density, drawn: Node) -> Node:
    """Positive numbers over their sum."""
    total = at.low.flow.add("reduce_sum", [drawn], {"axis": -1, "keepdims": True}, at.origin)
    return at.op("divide", drawn, total)


def _drawn(at: _Density, kind: str, called: str, args: Arguments) -> Node:
    """A draw: a location and a scaled normal number, through which gradients pass; one of other kinds is unknown.

    So is the mean of those, which lies within the same bounds.
    """
    location, scale = at.given.get("loc"), _scale(at)
    if kind not in GAUSSIAN or location is None or scale is None or args.positional or args.keywords:
        told = {WITHIN: SUPPORTS[kind]} if kind in SUPPORTS else {}
        drawn = at.low.flow.add("unknown", list(at.given.values()), {"called": called, **told}, at.origin)
        return _shared(at, drawn) if kind in SHARES else drawn
    noise = at.op("random_normal", at.low.flow.describe("shape", location, at.origin))
    return at.op("add", location, at.op("multiply", scale, noise))
