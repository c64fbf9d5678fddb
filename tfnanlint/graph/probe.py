"""The look inside: a traced function rebuilt with a probe around the operations of a finding.

The probe tells whether the hazard shows there while all that comes in is finite, and how far it is. Because a probe
changes what TensorFlow's optimiser makes of a graph, the function is run without it before anything is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.lint import AS_OUTPUT
from tfnanlint.graph.replica import Copy, Key, Made, rebuild
from tfnanlint.graph.statics import DIFFERENTIABLE
from tfnanlint.match.captures import Match
from tfnanlint.ops import OPS
from tfnanlint.ops.row import CONSTANT, EVERY, SOME

if TYPE_CHECKING:
    from tfnanlint.flow import Node, Root
    from tfnanlint.graph.lower import Lowered
    from tfnanlint.graph.model import Operation

REGION_LIMIT = 200
"""More operations than these are no single library call."""
_OUTSIDE = frozenset({"Const", "Placeholder", "ReadVariableOp"})
"""What no library call counts as its own."""
TESTS_FOR_NAN = frozenset({"IsNan", "IsFinite", "IsInf"})


class NotTried(Exception):
    """Why nothing can be run."""


def _region(match: Match) -> tuple[set[Key], Key]:
    """The operations that a match stands for, and the one whose result is the finding's."""
    keys: set[Key] = set()
    root = match.root.origin.operation
    if root is None:
        raise NotTried("its operation is not in the graph")
    for node in {*match.matched, match.root}:
        operation = getattr(node.origin, "operation", None)
        if operation is None or node.op in ("const", "variable", "input", "layer"):
            continue
        ends = {getattr(operand.origin, "operation", None) for operand in node.operands} - {operation}
        keys |= {_key(inner) for inner in _behind(operation, ends)}
    return keys, _key(root)


def _behind(operation: Operation, ends: set[Any]) -> Iterator[Operation]:
    """The operations of one call: from its result back to its operands."""
    seen = {operation}
    waiting = [operation]
    while waiting and len(seen) < REGION_LIMIT:
        at = waiting.pop()
        yield at
        for tensor in at.inputs:
            before = tensor.op
            outside = before in ends or before.node is None or before.type in _OUTSIDE
            if before not in seen and not outside:
                seen.add(before)
                waiting.append(before)


def _key(operation: Operation) -> Key:
    return (operation.graph.name, operation.name)


@dataclass(frozen=True)
class Measured:
    """What a run showed: `what` is not finite ("" where all is), how far the hazard is, and the slopes to it."""

    what: str
    distance: float
    slopes: Sequence[Any]


def roots_of(match: Match, lowered: Lowered) -> Sequence[Root]:
    """What is differentiated through a match: by its own account, else anything that the graph differentiates."""
    return [match.differentiated] if match.differentiated is not None else lowered.flow.roots


def _tensors(values: Sequence[Any]) -> list[Any]:
    import tensorflow as tf

    return [tf.convert_to_tensor(value) for value in values]


@contextmanager
def _optimised(wanted: bool) -> Iterator[None]:
    """With TensorFlow's optimiser of graphs, or with graphs run as they are written."""
    import tensorflow as tf

    name = "disable_meta_optimizer"
    held = tf.config.optimizer.get_experimental_options().get(name, False)
    tf.config.optimizer.set_experimental_options({name: not wanted})
    try:
        yield
    finally:
        tf.config.optimizer.set_experimental_options({name: held})


class Probe:
    """The traced function, run with a look at the operations of a match."""

    def __init__(self, concrete: Any, match: Match, roots: Sequence[Root]) -> None:
        import tensorflow as tf

        self.concrete = concrete
        self.match = match
        self.differentiated = roots
        self.by_output = all(root.how == AS_OUTPUT for root in roots)
        self.region, self.root = _region(match)
        self.with_nan = False
        """Whether the program itself tests for NaN here, and so expects it in what comes in."""
        modes = match.rule.modes
        self._mode = next(mode for mode in ("eager", "graph", "xla") if mode in modes)
        self._run = tf.function(self._measure, jit_compile=self._mode == "xla", autograph=False)
        self._plain: dict[str, Any] = {}

    def build(self, values: Sequence[Any]) -> None:
        """Trace the probe for values like these."""
        self._run.get_concrete_function(*_tensors(values))

    def __call__(self, values: Sequence[Any]) -> Measured:
        with _optimised(self._mode != "eager"):
            got = self._run(*_tensors(values))
        clean, value, upstream, gradient, distance, *slopes = got
        what = ""
        if self.with_nan:
            what = "gradient" if value else ""
        elif clean and not value:
            what = "value"
        elif clean and upstream and not gradient:
            what = "gradient"
        return Measured(what, float(distance), [slope.numpy() for slope in slopes])

    def confirm(self, values: Sequence[Any], mode: str) -> str:
        """What is not finite when nothing but the function itself is run: "value", "gradient" or ""."""
        import tensorflow as tf

        if mode not in self._plain:
            jit = mode == "xla"
            self._plain[mode] = [
                tf.function(made, jit_compile=jit, autograph=False) for made in (self._value, self._gradient)
            ]
        value, gradient = self._plain[mode]
        tensors = _tensors(values)
        with _optimised(mode != "eager"):
            root, result = value(*tensors)
            if not root:
                return "value"
            if not self.differentiated or (self.with_nan and not result):
                return ""
            if self.by_output:
                sources = [tensor for tensor in tensors if _is_float(tensor)]
                with tf.GradientTape() as tape:
                    tape.watch(sources)
                    outputs = [tensor for tensor in gradient(*tensors) if _is_float(tensor)]
                return "" if _finite(tape.gradient(outputs, sources)) else "gradient"
            return "" if gradient(*tensors) else "gradient"

    def _value(self, *values: Any) -> tuple[Any, Any]:
        """Whether the result at the finding is finite, and those of the function."""
        copy = rebuild(self.concrete, values)
        return _finite(self._roots(copy)), _finite([tensor for tensor in copy.outputs if _is_float(tensor)])

    def _gradient(self, *values: Any) -> Any:
        """The results of the function, to be differentiated; where it does so itself, whether gradients are finite."""
        import tensorflow as tf

        copy = rebuild(self.concrete, values)
        if self.by_output:
            return copy.outputs
        return _finite(tf.gradients(self._targets(copy), [value for value in values if _is_float(value)]))

    def _roots(self, copy: Copy) -> list[Any]:
        return [tensor for one in copy.of(self.root) for tensor in one.outputs if _is_float(tensor)]

    def _measure(self, *values: Any) -> list[Any]:
        import tensorflow as tf

        copy = rebuild(self.concrete, values)
        made = [one for key in self.region for one in copy.of(key)]
        roots = self._roots(copy)
        if not roots or not made:
            raise NotTried("its operation is inside a branch, a loop or a function that is not entered")
        self.with_nan = any(one.type in TESTS_FOR_NAN for one in made)
        entering = _entering(made)
        slopes: Sequence[Any] = [None] * (len(entering) + len(roots))
        targets = self._targets(copy)
        if targets:
            weights = [tf.reshape(tf.cast(tf.linspace(1.0, 2.0, tf.size(t)), t.dtype), tf.shape(t)) for t in targets]
            slopes = tf.gradients(targets, [*entering, *roots], grad_ys=weights)
        distance = self._distance(copy)
        sources = [value for value in values if _is_float(value)]
        downhill = tf.gradients(distance, sources) if sources else []
        return [
            _finite(entering),
            _finite(roots),
            _finite(slopes[len(entering) :]),
            _finite(slopes[: len(entering)]),
            distance,
            *(
                tf.zeros_like(x) if slope is None else tf.convert_to_tensor(slope)
                for x, slope in zip(sources, downhill, strict=True)
            ),
        ]

    def _targets(self, copy: Copy) -> list[Any]:
        """What is differentiated."""
        if self.differentiated and self.by_output:
            return [tensor for tensor in copy.outputs if _is_float(tensor)]
        operations = [getattr(root.node.origin, "operation", None) for root in self.differentiated]
        made = [one for operation in operations if operation is not None for one in copy.of(_key(operation))]
        return [tensor for one in made for tensor in one.outputs if _is_float(tensor)]

    def _distance(self, copy: Copy) -> Any:
        """The logarithm of how far the operands are from where their operations break."""
        import tensorflow as tf

        found = []
        for node in {*self.match.matched, self.match.root}:
            row = OPS.get(node.op)
            for broken in row.breaks if row is not None else ():
                place = row.operands.index(broken.operand) if row is not None else 0
                tensors = _values(copy, node.operands[place]) if place < len(node.operands) else []
                for tensor in tensors:
                    if tensor.dtype.is_floating and broken.of in _DISTANCES:
                        x = tf.cast(tensor, tf.float32)
                        found.append(_DISTANCES[broken.of](tf, x, broken.region.lo, broken.region.hi))
        return tf.math.log(tf.reduce_min(tf.stack(found)) + 1e-30) if found else tf.constant(0.0)


def _outside(tf: Any, x: Any, low: float, high: float) -> Any:
    return tf.maximum(x - high, 0.0) + tf.maximum(low - x, 0.0)


_DISTANCES: dict[str, Callable[..., Any]] = {
    SOME: lambda tf, x, low, high: tf.reduce_min(_outside(tf, x, low, high)),
    EVERY: lambda tf, x, low, high: tf.reduce_max(_outside(tf, x, low, high)),
    CONSTANT: lambda tf, x, low, high: tf.reduce_max(x) - tf.reduce_min(x),
}


def _values(copy: Copy, node: Node) -> list[Any]:
    """The rebuilt results of a node's operation."""
    operation = getattr(node.origin, "operation", None)
    made = copy.of(_key(operation)) if operation is not None else []
    return [one.outputs[0] for one in made if one.outputs and _is_float(one.outputs[0])]


def _entering(made: Sequence[Made]) -> list[Any]:
    """The floating-point tensors that go into some operations from outside of them."""
    own = {id(tensor) for one in made for tensor in one.outputs}
    found = {id(t): t for one in made for t in one.inputs if id(t) not in own and _is_float(t)}
    return list(found.values())


def _is_float(tensor: Any) -> bool:
    return getattr(getattr(tensor, "dtype", None), "name", "") in DIFFERENTIABLE


def _finite(tensors: Sequence[Any]) -> Any:
    """Whether every element of some tensors is finite."""
    import tensorflow as tf

    flags = []
    for tensor in tensors:
        if tensor is not None:
            held = tensor.values if isinstance(tensor, tf.IndexedSlices) else tensor
            parts = (tf.math.real(held), tf.math.imag(held)) if held.dtype.is_complex else (held,)
            flags += [tf.reduce_all(tf.math.is_finite(part)) for part in parts]
    return tf.reduce_all(tf.stack(flags)) if flags else tf.constant(True)
