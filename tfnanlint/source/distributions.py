"""Distributions of TensorFlow Probability: what their densities compute, in ops of the table.

Only what can break is written out: the division by a scale, the logarithm of a scale or of a probability. The rest of a
density is left out; its value is not known anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tfnanlint.flow import Node
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
    "Beta": "concentration1 concentration0",
}
MARK = "distribution "
"""How the kind of a distribution is told from that of a layer."""
METHODS = frozenset(("log_prob", "prob", "entropy"))


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


def _scaled(at: _Density, x: Node | None) -> list[Node]:
    """Of a location and a scale: the point over the scale, and the scale's logarithm."""
    scale = at.given.get("scale") or at.given.get("scale_diag")
    if scale is None:
        return []
    location = at.given.get("loc")
    away = at.op("subtract", x, location) if x is not None and location is not None else x
    return [*([at.op("divide", away, scale)] if away is not None else []), at.op("log", scale)]


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


TERMS: dict[str, Callable[[_Density, Node | None], list[Node]]] = {
    "Bernoulli": _binary,
    "Categorical": _weighted,
    "OneHotCategorical": _weighted,
    "Beta": _beta,
}


def method(low: Lowering, held: Layer, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A density at a point, its logarithm, or the entropy; everything else of a distribution is unknown."""
    if name not in METHODS:
        return None
    given = args.get(0, "value")
    at = _Density(low, held, node, scope)
    point = low.tensor(given, node, scope) if given is not None else None
    terms = TERMS.get(held.path.removeprefix(MARK), _scaled)(at, point)
    result = low.flow.add("unknown", [*terms, *([point] if point is not None else [])], {}, at.origin)
    if name != "prob":
        return result
    if held.path.removeprefix(MARK) in GAUSSIAN:
        result = at.op("subtract", result, at.op("square", terms[0]))
    return at.op("exp", result)
